# Every target sets up .venv by itself the first time; after that it starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready-$(shell cksum pyproject.toml | cut -d' ' -f1)
EXTRAS := test,check
FUZZ_FILES ?= 200000

.PHONY: demo test check bench fuzz clean

$(READY):
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]"
	@rm -f $(VENV)/.ready-* && touch $@

demo: $(READY)            ## load, check and draw the bundled robots
	$(BIN)/python examples/tour.py

test: $(READY)            ## the whole default suite
	$(BIN)/python -m pytest -n 2

check: $(READY)           ## lint, types, import directions
	$(BIN)/ruff check gearwright tests examples
	$(BIN)/ruff format --check gearwright tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)           ## figures against peers, in one run; docs/performance.md is written from it
	$(BIN)/python benchmarks/loading.py

fuzz: $(READY)            ## FUZZ_FILES mutated robot files; 200,000 take about an hour on two cores
	$(BIN)/python -m tests.formats.fuzz --files $(FUZZ_FILES)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
