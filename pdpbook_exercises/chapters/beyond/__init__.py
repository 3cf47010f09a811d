"""The exercises of the part ``book/beyond``, a module for each chapter."""
