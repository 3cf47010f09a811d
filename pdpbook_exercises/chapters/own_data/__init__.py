"""The exercises of the part ``book/own_data``, a module for each chapter."""
