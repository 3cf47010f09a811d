# `make book` and `make test` are all that a reader needs. Every target installs what it needs
# on its first run; later runs install nothing and need no network.

PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin/python -m
STAMP  := $(VENV)/.installed
BUILT  := _build/.built
BUILD  := $(VENV)/bin/jupyter-book build . -W -n --keep-going

export JUPYTER_PREFER_ENV_PATH := 1
# Nobody's own settings of Matplotlib.
export MPLCONFIGDIR := $(abspath $(VENV))/matplotlib
# The book never depends on data that only one machine has.
unexport PDPBOOK_DATA

.NOTPARALLEL:
.PHONY: book instructor-book watch notebooks lab pdf outputs nbval test lint format proofs bench clean

book: $(STAMP)
	$(RUN) tools.execute
	$(BUILD)
	@$(RUN) tools.bundle
	@touch $(BUILT)
	@echo "The book is built. Open $(CURDIR)/_build/html/index.html"

$(BUILT):
	$(MAKE) book

# The book with all solutions and a guide for instructors.
instructor-book: $(BUILT)
	$(BUILD) --toc _toc_instructor.yml --path-output _build/instructor
	@rm -rf _build/instructor/html && ln -s _build/html _build/instructor/html
	@cp _build/html/pdpbook-notebooks.zip _build/instructor/html/
	@echo "The instructor's book is built. Open $(CURDIR)/_build/instructor/html/index.html"

# Serve the book; a page that is saved is built again, and the browser loads it.
watch: $(BUILT)
	$(VENV)/bin/sphinx-autobuild --port 0 --open-browser . _build/html

# Run the notebooks in JupyterLab, in a folder of your own: what you have there is not overwritten.
lab: $(BUILT)
	mkdir -p my-notebooks
	cp -rn _build/notebooks/. my-notebooks/
	$(RUN) jupyterlab --notebook-dir=my-notebooks my-notebooks/book/foundations/why-noise.ipynb
