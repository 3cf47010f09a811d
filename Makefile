# `make book` and `make test` are all that a reader needs. Every target installs what it needs
# on its first run; later runs install nothing and need no network.

PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin/python -m
STAMP  := $(VENV)/.installed
BUILT  := _build/.built
BUILD  := $(VENV)/bin/jupyter-book build . -W -n --keep-going

export JUPYTER_PREFER_ENV_PATH := 1
# Nobody's own settings of Matplotlib, and no data that only one machine has.
export MPLCONFIGDIR := $(abspath $(VENV))/matplotlib
unexport PDPBOOK_DATA

.NOTPARALLEL:
.PHONY: book instructor-book watch lab pdf outputs nbval test lint format proofs bench clean

book: $(STAMP)
	$(RUN) tools.execute
	$(BUILD)
	$(RUN) tools.notebooks
	$(RUN) tools.bundle
	@touch $(BUILT)
	@echo "The book is built. Open $(CURDIR)/_build/html/index.html"

$(BUILT):
	$(MAKE) book

# The book with all solutions and a guide for instructors.
instructor-book: book
	$(BUILD) --toc _toc_instructor.yml --path-output _build/instructor
	$(RUN) tools.notebooks _toc_instructor.yml _build/instructor/_build/html
	@ln -sfn _build/html _build/instructor/html
	@cp _build/html/pdpbook-notebooks.zip _build/instructor/html/
	@echo "The instructor's book is built. Open $(CURDIR)/_build/instructor/html/index.html"

# Serve the book: a page that is saved is built again, and the browser loads it.
watch: $(BUILT)
	$(VENV)/bin/jupyter-book config sphinx .
	$(VENV)/bin/sphinx-autobuild --port 0 --open-browser --watch book . _build/html

# Run the notebooks in JupyterLab, in a folder of your own: what is there is not overwritten. Some
# versions of cp call it a failure that they leave a file alone.
lab: $(BUILT)
	mkdir -p my-notebooks
	-cp -rn _build/notebooks/. my-notebooks/
	$(RUN) jupyterlab --notebook-dir=my-notebooks my-notebooks/book/foundations/why-noise.ipynb

# The whole book as one PDF, printed by Chromium from the built pages.
pdf: $(BUILT)
	$(RUN) tools.print_book

# Store what the checked cells of the pages print, for later comparisons.
outputs: $(STAMP)
	$(RUN) tools.execute
	$(RUN) pytest -q tests/test_outputs.py --accept

# A reader's environment: the three wheels, what they declare to need, and a kernel.
READER := _build/reader
$(READER)/.installed: $(STAMP) | $(BUILT)
	$(PYTHON) -m venv --clear $(READER)
	$(READER)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --find-links _build/notebooks --constraint _build/notebooks/pins.txt pdpbook-exercises ipykernel
	$(READER)/bin/python -m ipykernel install --sys-prefix
	@touch $@

# Execute every notebook there, as a processor without vector instructions would, and compare what
# its checked cells print with the outputs of the build: a sum depends in its last bits on the order
# in which a processor adds.
nbval: $(READER)/.installed
	$(READER)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --no-deps --no-index --force-reinstall _build/notebooks/*.whl
	OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 \
	  NPY_DISABLE_CPU_FEATURES=X86_V3,X86_V4,AVX512_ICL,AVX512_SPR \
	  JUPYTER_PATH=$(CURDIR)/$(READER)/share/jupyter \
	  $(RUN) pytest -q -n 2 --dist loadfile --nbval-lax _build/nbval

# Everything that CI runs.
test: lint book instructor-book nbval
	$(RUN) pytest -q -rfER -n 2 --dist loadfile tests pdpbook pdpbook_pages pdpbook_exercises
	@echo "All checks passed."

lint: $(STAMP)
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/lint-imports
	$(RUN) deptry pdpbook
	$(RUN) codespell_lib *.md book pdpbook pdpbook_pages pdpbook_exercises tests tools benchmarks

format: $(STAMP)
	$(RUN) ruff format .

# Check the files of proofs/ with Coq.
proofs:
	$(PYTHON) -m tests.tools.proofs

bench: $(STAMP)
	$(RUN) benchmarks

clean:
	rm -rf _build book/reference

$(STAMP): requirements.txt pyproject.toml pdpbook_pages/pyproject.toml pdpbook_exercises/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@
