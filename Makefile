# Every target sets up what it needs: on a fresh clone `make test` is the only command to know.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup test test-slow check format demo train-models clean

help:
	@echo "make setup      create $(VENV) and install annealco with everything its tests need"
	@echo "make test       run the tests (about five minutes on two cores)"
	@echo "make test-slow  run the exhaustive tests too"
	@echo "make check      format, lint, types, import contracts"
	@echo "make format     put the code into the project's format"
	@echo "make train-models  train the networks of the package anew (about an hour of one core; needs ANNEALCO_DATA)"
	@echo "make demo       solve example graphs, print a table with bounds, save pictures"

setup: $(READY)
	@echo "setup: $(VENV) is ready ($$($(BIN)/annealco --version))"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "annealco needs Python 3.11 or newer; set PYTHON=")'
	@echo "setup: installing into $(VENV), constraints.txt names the versions (a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch $(READY)

test: setup
	$(BIN)/pytest -m "not slow" --numprocesses 2

test-slow: setup
	$(BIN)/pytest --numprocesses 2

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

demo: setup
	$(BIN)/python examples/demo.py --out demo

train-models: setup
	$(BIN)/python benchmarks/train_models.py

clean:
	rm -rf $(VENV) demo .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
