"""The exercises of the part ``book/per_instance``, a module for each chapter."""
