"""The exercises of the part ``book/experiments``, a module for each chapter."""
