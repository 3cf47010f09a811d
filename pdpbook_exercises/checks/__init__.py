"""The machinery of the checks: what an answer must get right, how it is tried and isolated."""
