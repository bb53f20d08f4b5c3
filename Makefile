# Everything a person needs: `make demo` to see it work, `make test` to check it. Both set themselves up.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
CORE   := $(VENV)/.core
JOBS   ?= auto
PYTEST := $(BIN)/python -m pytest
PARALLEL := -n $(JOBS) --dist worksteal

# Bytecode is kept, whatever the shell says: without it each worker prepares the assertions of all tests anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo env test fast lint format golden bench pure docs docs-check site bare tools clean

help:           ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "petri needs Python 3.11 or later; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# The compiled parts, again after each change of them; without a C compiler everything works in Python.
$(CORE): hatch_build.py $(wildcard petri_cli/soundness/native/*.[ch] petri_cli/formats/native/*.[ch]) | $(READY)
	@$(BIN)/python hatch_build.py || true
	@touch $@

env: $(READY) $(CORE)  ## create the environment in .venv

demo: $(READY)  ## judge one sound and one unsound plan, run one
	@echo '$$ petri analyze samples/migration.petri.yaml'
	@$(BIN)/petri analyze samples/migration.petri.yaml
	@echo
	@echo '$$ petri analyze samples/lock-inversion.petri.yaml'
	@$(BIN)/petri analyze --exit-zero samples/lock-inversion.petri.yaml
	@echo
	@echo '$$ petri run samples/release.petri.yaml'
	@rm -rf build/demo && mkdir -p build/demo
	@cd build/demo && $(abspath $(BIN))/petri run ../../samples/release.petri.yaml
	@echo '$$ petri status'
	@cd build/demo && $(abspath $(BIN))/petri status

tools: $(READY)  ## fetch what some tests drive of other people's tools, once, into build/tools
	@$(BIN)/python -m tests.tools

test: $(READY) $(CORE) tools  ## all tests
	$(PYTEST) $(PARALLEL)

fast: $(READY) $(CORE)  ## the tests without the slow ones, properties on a fifth of their examples, in under a minute
	$(PYTEST) $(PARALLEL) -m 'not slow' --examples 20

lint: $(READY)  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

golden: $(READY)  ## rewrite the golden files; read the diff before you commit it
	PETRI_GOLDEN=write $(PYTEST) tests/golden

bench: $(READY) $(CORE)  ## measure, print the tables
	$(BIN)/python -m benchmarks

pure: $(READY)  ## the tests of the searches, without the compiled core
	PETRI_PURE=1 $(PYTEST) $(PARALLEL) $(wildcard tests/*/test_nets_*.py) tests/property/test_plans_gate.py

docs: $(READY)  ## rewrite the generated pages
	$(BIN)/python -m docs.generate

docs-check: $(READY)  ## are the generated pages up to date?
	$(BIN)/python -m docs.generate --check

site: $(READY)  ## the pages as a static site, in build/site
	$(BIN)/python -m docs.site

# tests of other folders that need no other library either
BARE := $(addprefix tests/,golden/test_plans.py golden/test_plan_errors.py golden/test_net_errors.py \
  unit/test_nets_shape.py unit/test_nets_verdicts.py unit/test_shorten.py)

bare: export PETRI_PURE = 1
bare: $(READY)  ## the mathematics in an interpreter with nothing but PyYAML, and without the compiled search
	rm -rf .bare && $(PYTHON) -m venv .bare
	.bare/bin/python -m pip install --quiet pyyaml pytest
	.bare/bin/python -m pytest tests/bare $(BARE)

clean:          ## remove what was built
	rm -rf $(VENV) .bare build dist *.egg-info .mypy_cache .ruff_cache .hypothesis .import_linter_cache petri_cli/soundness/native/*.so petri_cli/formats/native/*.so
