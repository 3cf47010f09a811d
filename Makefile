# `make book` and `make test` are all that a reader needs. Every target installs what it needs
# on its first run; later runs install nothing and need no network.

PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin/python -m
STAMP  := $(VENV)/.installed
LABCONFIG := $(VENV)/etc/jupyter/labconfig/default_setting_overrides.json
# The book never depends on data that only one machine has.
ALONE  := env -u PDPBOOK_DATA
# What a build of the book needs, and the mark that it leaves.
SOURCES := $(shell find book pdpbook pdpbook_pages pdpbook_exercises vendor docs/bundle _config.yml _toc.yml -type f ! -path '*__pycache__*')
BUILT   := _build/.built
ARCHIVE := _build/html/pdpbook-notebooks.zip
BUILD  := $(ALONE) $(VENV)/bin/jupyter-book build . -W -n --keep-going
define COMPLETE
ln -sfn _build/html _build/instructor/html && cp $(ARCHIVE) _build/instructor/html/ && \
  echo "The instructor's book is built. Open $(CURDIR)/_build/instructor/html/index.html"
endef

# Two targets at once, for two processors. What the second one says is shown at the end.
define BESIDE
mkdir -p _build; $(MAKE) $(2) > _build/$(2).log 2>&1 & other=$$!; $(MAKE) $(1); failed=$$?; \
  wait $$other || failed=$$?; cat _build/$(2).log; exit $$failed
endef

export JUPYTER_PREFER_ENV_PATH := 1
# Nobody's own settings of Matplotlib, and the list of fonts: a page that had to make it might say so.
export MPLCONFIGDIR := $(abspath $(VENV))/matplotlib
export PYTHONUNBUFFERED := 1
# Some images forbid it; here a hundred processes import the same modules.
export PYTHONDONTWRITEBYTECODE :=

.NOTPARALLEL:
.PHONY: format proofs book page watch notebooks pdf instructor-book instructor-pages books \
  test test-all lint environment compiled uncompiled oldest newest nbval outputs lab edit bench mutants clean

book: $(STAMP)
	$(BUILD)
	@$(RUN) book._ext.edition.student_bundle
	@touch $(BUILT)
	@echo "The book is built. Open $(CURDIR)/_build/html/index.html"

# One page as it looks in the book, in seconds: make page P=book/game/nvo-game.md
page: $(STAMP)
	@$(ALONE) $(RUN) book._ext.build.one_page "$(P)"

# The same in a browser: every page that is saved is built, and the browser loads it again.
watch: $(STAMP)
	@$(ALONE) $(RUN) book._ext.build.watch "$(or $(P),book/index.md)"

# The notebook edition and the student bundle, from the built book; nothing is executed.
notebooks: $(BUILT)
	@$(RUN) book._ext.edition.student_bundle

# The whole book as one PDF, from the built pages, by headless Chromium; nothing is executed.
pdf: $(BUILT)
	@$(RUN) book._ext.edition.print_book

$(BUILT): $(SOURCES) | $(STAMP)
	$(MAKE) book

# The same execution cache serves both books, so the second executes only the solutions.
instructor-book: $(BUILT)
	$(MAKE) instructor-pages
	@$(COMPLETE)

instructor-pages: $(STAMP)
	$(BUILD) --toc _toc_instructor.yml --path-output _build/instructor

# Both, side by side: each is read by one process.
books: $(STAMP)
	@$(call BESIDE,book,instructor-pages)
	@$(COMPLETE)

# Everything that CI runs, in this order: the books are built from what nbval executed.
PROFILE ?= default
test: $(STAMP)
	@$(call BESIDE,compiled environment lint uncompiled nbval,oldest)
	$(MAKE) books
	$(RUN) pytest -q -rfER -n 2 --dist loadfile --no-loadscope-reorder --hypothesis-profile=$(PROFILE) \
	  tests pdpbook pdpbook_pages pdpbook_exercises
	@echo "All checks passed."

# The same with twenty times the examples of hypothesis, the drawn cases of exercises at 100 seeds
# instead of 3, and all of the cases of which some are tried here; a workflow does it each night.
test-all:
	PDPBOOK_SEEDS=100 $(MAKE) test PROFILE=nightly

# The tests of the loops without the compiler, which hides what NumPy would say of an index.
uncompiled: $(STAMP)
	NUMBA_DISABLE_JIT=1 $(RUN) pytest -q \
	  tests/test_loops.py tests/test_loop_moves.py tests/per_instance tests/game

# One sentence a line in the pages, and the code as Ruff sets it.
format: $(STAMP)
	$(RUN) tests.tools.sentence_lines
	$(RUN) ruff format .

lint: $(STAMP)
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

# Check the files of proofs/ with Coq, if it is installed, or one file and the proofs that it needs:
# make proofs [FILE=proof.v]. Needs no environment.
proofs:
	@$(PYTHON) -m tests.tools.proofs $(if $(FILE),"$(FILE)")

# What the pages run in: the wheel, what it declares to need, and a kernel.
environment: $(STAMP)
	$(RUN) tests.tools.clean_environment

# Processes that begin side by side would each compile the loops for themselves.
compiled: $(STAMP)
	$(RUN) book._ext.execution.compile_loops

# The examples of the docstrings, the tests of pdpbook.scaling, and what the command prints, with the
# oldest version of everything that pyproject.toml allows.
oldest: $(STAMP)
	$(RUN) tests.tools.range_environments oldest

# The same with the newest versions, which pip looks for each time. A workflow does it each night, and
# `make test` does not: a library that appears today would make it fail without a change of ours.
newest: $(STAMP)
	$(RUN) tests.tools.range_environments newest

# Execute every page there (or P="book/... ...") as an older processor would compute it, compare its
# checked cells with tests/outputs, and keep it for the books. At night each page imports everything
# anew, in a kernel of its own.
nbval: environment
	$(ALONE) env $$($(RUN) tests.tools.arithmetic) JUPYTER_PATH=$(CURDIR)/_build/clean/pages/jupyter \
	  $(RUN) pytest -q -n 3 --dist loadfile $(if $(filter nightly,$(PROFILE)),--own-kernels) \
	  --nbval-lax $(or $(P),book)

# Re-execute the notebooks and rewrite the outputs that the checked cells are compared with.
outputs: $(STAMP)
	$(RUN) tests.tools.outputs $(PAGES)

# Run the notebooks in JupyterLab, in a folder of your own: what you change there is never
# overwritten.
lab: notebooks
	@$(RUN) book._ext.edition.lab_folder my-notebooks
	$(RUN) jupyterlab --notebook-dir=my-notebooks my-notebooks/book/foundations/why-noise.ipynb

# Edit the book's sources in JupyterLab: a click on a page opens it as a notebook. Not with
# jupyterlab-myst 2.7: it draws boxes and proofs well, but knows none of the macros in _config.yml,
# no citation and no other page, so each of them is an error on the page; and it renders the cells of
# every notebook of this environment, those of `make lab` too.
edit: $(STAMP)
	@mkdir -p $(VENV)/etc/jupyter/labconfig
	$(VENV)/bin/jupytext-config --settings-file $(LABCONFIG) set-default-viewer markdown myst
	$(RUN) jupyterlab --notebook-dir=. book/index.md

bench: $(STAMP)
	$(RUN) benchmarks

# Put small faults into the package and see whether the tests notice. Takes hours; no part of CI.
mutants: $(STAMP)
	$(RUN) tests.tools.mutants $(MUTANTS)

$(STAMP): requirements.txt pyproject.toml pdpbook_pages/pyproject.toml pdpbook_exercises/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(VENV)/bin/python -c 'import matplotlib.font_manager'
	@touch $@

clean:
	rm -rf _build book/reference
