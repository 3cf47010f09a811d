"""The exercises of the part ``book/foundations``, a module for each chapter."""
