# Every target makes what it needs, .venv included, from Python >= 3.11 and pip alone.
#   make run            set up, then train a language model on Kuhn poker against itself
#   make test           set up, then run the tests (ARGS="-k kuhn" selects)
#   make check          set up, then formatter, linter, types, import contracts, dependencies
#   make test-slow      the tests that take minutes
#   make experiments    the measured results of the documentation, resumable
#   make bench          speed tables
#   make check-gpu      the tests that need an accelerator
#   make clean          remove .venv and caches; runs/ stays
# PYTHON=python3.12 chooses the interpreter. TORCH chooses the build of PyTorch and may carry pip options, for
# example TORCH="torch==2.13.0 --index-url URL" with the address that pytorch.org names for CPU or CUDA builds.

PYTHON ?= python3
TORCH ?= torch==2.13.0
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check

export OMP_NUM_THREADS ?= 1
export HF_HUB_OFFLINE ?= 1

.PHONY: run test test-slow check check-gpu experiments bench clean help

help:
	@sed -n 's/^#   //p' Makefile

run: $(VENV)/.installed-train
	$(BIN)/ludus train campaign=kuhn_selfplay $(ARGS)

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(ARGS)

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "slow and not gpu" --timeout 1800 $(ARGS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry .

check-gpu: $(VENV)/.installed-dev
	@$(BIN)/python -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' || { \
	  echo "check-gpu: expected a CUDA accelerator that torch can use, got none;" \
	    "run it on a machine with one, with TORCH naming a CUDA build (make clean first)" >&2; exit 2; }
	$(BIN)/python -m pytest -m gpu --timeout 1800 $(ARGS)

experiments: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.experiments $(ARGS)

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find arena roles curricula training tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp file for each set of packages; it is older than the files that decide the set when they change.
# PyTorch comes first and by itself: otherwise the newest build, which may be gigabytes of CUDA, would be taken.
$(VENV)/.installed-train: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(call install,.[train])
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@$(call install,.[train$(comma)dev])
	@touch $@ $(VENV)/.installed-train

comma := ,

define install
set -e; start=$$(date +%s); \
echo "set-up: installing $(TORCH) and $(1) into $(VENV); the first time takes a few minutes"; \
$(PIP) -qq $(TORCH); \
$(PIP) -qq -c constraints.txt -e '$(1)'; \
echo "set-up: done in $$(( $$(date +%s) - start )) s (once; not part of any campaign's time)"
endef

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Makefile: expected Python 3.11 or newer, got '$(PYTHON)' ($$($(PYTHON) --version 2>&1));" \
	    "install one and name it: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "Makefile: expected a working venv module in '$(PYTHON)', got none;" \
	    "on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 2; }
