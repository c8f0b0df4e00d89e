# Every target sets up what it needs: on a fresh clone `make test` is the only command to know.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DOCS_READY := $(VENV)/.docs-ready
PIP_INSTALL := -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt
INSTALL := $(BIN)/python $(PIP_INSTALL)
BUILD_TOOLS := nanobind scikit-build-core cmake ninja

# An environment of its own: an editable install would be imported before the core with sanitizers.
SANITIZED := build/sanitized
SANITIZERS := address,undefined

FIND_PYTHON := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "annealco needs Python 3.11 or newer; set PYTHON=")'
FIND_COMPILER := for each in $${CXX:-c++ g++ clang++}; do command -v "$$each" > /dev/null && exit 0; done; \
	echo "annealco needs a C++20 compiler and found none: run 'apt install g++' (Debian, Ubuntu), 'dnf install gcc-c++' (Fedora) or 'xcode-select --install' (macOS)" >&2; exit 1

.PHONY: help setup test test-slow test-sanitized check check-wheel stub format demo docs docs-look docs-test first-contact train-models bench clean

help:
	@echo "make setup      create $(VENV) and install annealco with everything its tests need"
	@echo "make test       run the tests (some minutes on two cores)"
	@echo "make test-slow  run the exhaustive tests too, and more examples of every property"
	@echo "make test-sanitized  build the core with sanitizers, run its tests and a fuzz of its functions (Linux, GCC)"
	@echo "make check      format, lint, types, import contracts"
	@echo "make check-wheel  build sdist and wheel, use the wheel in a fresh environment without a compiler"
	@echo "make stub       write the types of the compiled core, src/annealco/_core.pyi"
	@echo "make format     put the code into the project's format"
	@echo "make train-models  train the networks of the package anew (1.4 hours of one core; needs ANNEALCO_DATA)"
	@echo "make bench      measure what benchmarks/results lacks, print its tables (hours from nothing; needs ANNEALCO_DATA)"
	@echo "make docs       build the documentation into site/, strictly; open site/index.html"
	@echo "make docs-look  open every page in Chromium, wide and narrow, and say what is cut off or wrong (some minutes)"
	@echo "make docs-test  run every command and program that the documents show (some minutes)"
	@echo "make first-contact  clone what is committed, paste every command of README and Start (some minutes)"
	@echo "make demo       solve a graph per problem, train a network with and without annealing, draw the outcome (2 minutes)"

setup: $(READY)
	@echo "setup: $(VENV) is ready ($$($(BIN)/annealco --version))"

$(READY): pyproject.toml constraints.txt CMakeLists.txt $(wildcard native/*/*)
	@$(FIND_PYTHON)
	@$(FIND_COMPILER)
	@echo "setup: installing into $(VENV), constraints.txt names the versions (a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) $(BUILD_TOOLS)
	@$(INSTALL) --no-build-isolation --config-settings=cmake.define.ANNEALCO_STRICT=ON --editable ".[dev]"
	@$(BIN)/python -m compileall -q src
	@touch $(READY)

test: setup
	$(BIN)/pytest -m "not slow" --numprocesses 2 --dist worksteal

test-slow: setup
	$(BIN)/pytest --numprocesses 2 --dist worksteal --hypothesis-profile exhaustive

test-sanitized:
	@$(FIND_PYTHON)
	@$(FIND_COMPILER)
	@$(PYTHON) -m venv $(SANITIZED)
	@$(SANITIZED)/bin/python $(PIP_INSTALL) $(BUILD_TOOLS) hypothesis networkx pytest
	@$(SANITIZED)/bin/python $(PIP_INSTALL) --no-build-isolation --config-settings=build-dir=$(SANITIZED)/core \
		--config-settings=cmake.build-type=RelWithDebInfo --config-settings=cmake.define.ANNEALCO_SANITIZE=$(SANITIZERS) .
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 $(SANITIZED)/bin/python -m pytest --capture=sys tests/core

check-wheel: setup
	$(BIN)/python tools/check_wheel.py

check: setup
	$(BIN)/clang-format --dry-run --Werror native/*/*.?pp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

stub: setup
	$(BIN)/python -m nanobind.stubgen -q -m annealco._core -o src/annealco/_core.pyi

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i native/*/*.?pp

demo: setup
	$(BIN)/python examples/demo.py --out demo

$(DOCS_READY): $(READY)
	@$(INSTALL) --no-build-isolation --config-settings=cmake.define.ANNEALCO_STRICT=ON --editable ".[dev,docs]"
	@touch $(DOCS_READY)

# The variable silences a note of the theme on its own future, which is no warning about these pages.
docs: $(DOCS_READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "docs: open site/index.html; its search needs a server: python3 -m http.server --directory site"

docs-look: docs
	$(BIN)/python tools/look_at_site.py --pictures site-pictures

docs-test: setup
	$(BIN)/python tools/run_documents.py

# A clone of its own, which sets itself up: nothing of this one is used but what is committed.
first-contact:
	$(PYTHON) tools/first_contact.py

train-models: setup
	$(BIN)/python benchmarks/train_models.py

# A row that is there is not measured again: a fresh clone has all, and prints. Timed rows want an idle machine.
bench: setup
	$(BIN)/python benchmarks/search_quality.py --goals --out benchmarks/results/search_quality.jsonl
	$(BIN)/python benchmarks/scale.py --out benchmarks/results/scale.jsonl
	$(BIN)/python benchmarks/train_quality.py
	$(BIN)/python benchmarks/model_ablation.py
	$(BIN)/python benchmarks/cut_networks.py --budgets
	$(BIN)/python benchmarks/model_quality.py
	$(BIN)/python benchmarks/learning_regime.py

clean:
	rm -rf $(VENV) demo site site-pictures .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
