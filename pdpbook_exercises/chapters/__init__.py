"""The checks of each chapter: ``<part>/<chapter>.py`` has those of ``book/<part>/<chapter>.md``."""
