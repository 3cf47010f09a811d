"""The exercises of each chapter: ``<part>/<chapter>.py`` has those of ``book/<part>/<chapter>.md``.

A course adds a folder of its own to ``__path__``, and its modules are found as well.
"""
