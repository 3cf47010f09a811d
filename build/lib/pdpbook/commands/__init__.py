"""The command ``pdpbook``, and the files that it reads."""
