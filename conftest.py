"""Makes the nbval collector for MyST pages known to pytest, whatever folder it runs on."""

pytest_plugins = ["tests.tools.nbval_myst"]
