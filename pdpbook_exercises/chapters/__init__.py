"""The checks of each chapter: ``<part>/<chapter>.py`` for ``book/<part>/<chapter>.md``."""
