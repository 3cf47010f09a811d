# `make book` and `make test` are all that a reader needs. Every target installs what it needs
# on its first run; later runs install nothing and need no network.

PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin/python -m
STAMP  := $(VENV)/.installed
LABCONFIG := $(VENV)/etc/jupyter/labconfig/default_setting_overrides.json
# The book never depends on data that only one machine has.
ALONE  := env -u PDPBOOK_DATA
BUILD  := $(ALONE) $(VENV)/bin/jupyter-book build . --all -W -n --keep-going

export JUPYTER_PREFER_ENV_PATH := 1
export PYTHONUNBUFFERED := 1

.NOTPARALLEL:
.PHONY: book instructor-book test lint nbval outputs lab bench mutants clean

book: $(STAMP)
	$(BUILD)
	@echo "The book is built. Open $(CURDIR)/_build/html/index.html"

# The same execution cache serves both books, so the second executes only the solutions.
instructor-book: $(STAMP)
	$(BUILD) --toc _toc_instructor.yml --path-output _build/instructor
	@ln -sfn _build/html _build/instructor/html
	@echo "The instructor's book is built. Open $(CURDIR)/_build/instructor/html/index.html"

# Everything that CI runs, in this order: the books are built from what nbval executed.
test: lint nbval book instructor-book
	NUMBA_DISABLE_JIT=1 $(RUN) pytest -q -n 2 --hypothesis-profile=small \
	  tests/foundations tests/per_instance tests/game
	$(RUN) pytest -q -n 2 tests/site
	$(RUN) pytest -q -n 2 --dist loadfile --ignore=tests/site tests pdpbook
	@echo "All checks passed."

lint: $(STAMP)
	$(RUN) ruff check .
	$(RUN) mypy

# Execute every page, compare its checked cells with tests/outputs, and keep it for the books.
nbval: $(STAMP)
	$(ALONE) $(RUN) pytest -q -n 2 --dist loadfile --nbval-lax book

# Re-execute the notebooks and rewrite the outputs that the checked cells are compared with.
outputs: $(STAMP)
	$(RUN) tests.tools.outputs $(PAGES)

# Read and run the book in JupyterLab: a click on a page opens it as a notebook.
lab: $(STAMP)
	@mkdir -p $(VENV)/etc/jupyter/labconfig
	$(VENV)/bin/jupytext-config --settings-file $(LABCONFIG) set-default-viewer markdown myst
	$(RUN) jupyterlab --notebook-dir=. book/index.md

bench: $(STAMP)
	$(RUN) benchmarks

# Put small faults into the package and see whether the tests notice. Takes hours; no part of CI.
mutants: $(STAMP)
	$(RUN) tests.tools.mutants $(MUTANTS)

$(STAMP): requirements.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

clean:
	rm -rf _build
