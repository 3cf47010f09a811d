"""The exercises of the part ``book/game``, a module for each chapter."""
