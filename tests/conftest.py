"""Settings that all tests share."""

from hypothesis import settings

settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile("small", deadline=None, max_examples=10)
settings.load_profile("default")
