"""The exercises of the part ``book/audit``, a module for each chapter."""
