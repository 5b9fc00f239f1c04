# Every target sets up .venv by itself the first time; after that it starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(shell cksum pyproject.toml | cut -d' ' -f1)
BASE := $(VENV)/.base-$(STAMP)
FULL := $(VENV)/.full-$(STAMP)
SITE := $(VENV)/.site-$(STAMP)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable
FUZZ_FILES ?= 200000
FUZZ_ROBOTS ?= 20000

TOOLS := $(VENV)/.tools-$(STAMP)

.PHONY: demo quick test docs slow check mutate bench fuzz clean pictures package

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(BASE): $(BIN)/python      # what a user needs
	$(PIP) .
	@rm -f $(VENV)/.base-* && touch $@

$(FULL): $(BIN)/python      # with oracles, peers and checkers
	$(PIP) ".[test,check]"
	@rm -f $(VENV)/.base-* $(VENV)/.full-* && touch $(BASE) $@

$(SITE): $(BASE)            # with the builder of the documentation site
	$(PIP) ".[docs]"
	@rm -f $(VENV)/.site-* && touch $@

$(TOOLS): $(BIN)/python     # with what a release takes
	$(PIP) ".[release]"
	@rm -f $(VENV)/.tools-* && touch $@

demo: $(BASE)               ## three robots shown, simulated and compared; the report is out/report.html
	$(BIN)/gearwright demo

quick test slow: export PYTHONDONTWRITEBYTECODE =  # tests start hundreds of processes: each would compile the package again

quick: $(FULL)              ## one or two telling tests per folder, in under a minute: tests/quick.txt
	$(BIN)/python -m pytest -n 2 --dist worksteal @tests/quick.txt

test: $(FULL)               ## the whole default suite, on two cores: a third worker while tests of clients wait
	$(BIN)/python -m pytest -n 3 --dist worksteal

docs: $(SITE)               ## the documentation site, links checked: out/site/index.html
	$(BIN)/python docs/make_site.py

slow: $(FULL)               ## the long runs that `make test` leaves out
	$(BIN)/python -m pytest -m slow -n 2 --dist worksteal

check: $(FULL)              ## lint, types, import directions
	$(BIN)/ruff check src tests examples benchmarks docs
	$(BIN)/ruff format --check src tests examples benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports

mutate: $(FULL)             ## constants that no test notices when they are changed; ONLY=dynamics.solve for some of them
	$(BIN)/python -m tests.mutate $(ONLY)

bench: $(FULL)              ## figures against peers, each in one run; written to docs/performance.md
	$(BIN)/python benchmarks/loading.py
	$(BIN)/gearwright bench --peers --write docs/performance.md
	$(BIN)/python benchmarks/dropped.py --write

pictures: $(FULL)           ## all pictures of README and docs, drawn again; without changes where nothing changed
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/page_picture.py

fuzz: $(FULL)               ## FUZZ_FILES mutated files (200,000: 25 minutes), FUZZ_ROBOTS compiled and stepped on all cores (20,000: an hour of one)
	$(BIN)/python -m tests.formats.fuzz --files $(FUZZ_FILES)
	$(BIN)/python -m tests.sim.fuzz --count $(FUZZ_ROBOTS) --processes 0

package: $(TOOLS)           ## wheel and source archive in dist/, tried in fresh environments; licences and bill of materials in out/
	rm -rf dist && $(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tests/fresh.py --dependencies newest
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tests/fresh.py --dependencies oldest
	mkdir -p out && $(BIN)/uv venv --quiet --clear out/plain && $(BIN)/uv pip install --quiet --python out/plain dist/*.whl
	$(BIN)/pip-licenses --python out/plain/bin/python --format markdown --order license --output-file out/licences.md
	$(BIN)/cyclonedx-py environment out/plain/bin/python --pyproject pyproject.toml --of JSON -o out/sbom.json
	rm -rf out/plain

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
