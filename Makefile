# Every target works as the first command in a fresh clone: it needs Python ≥ 3.11 (with venv) and make.
PYTHON ?= python3
BIN := .venv/bin
SHARE ?= 1/1
INSTALLED := .venv/.installed
CONFLICTING := $(patsubst %,tests/data/visaasm/%.visaasm,\
	lane_conflict/tgllp-O2-simd8 conflict_div/tgllp-O2-simd8 permute_scatter/tgllp-O2-simd8 vc_scatter4/tgllp-vc)

# Tests start hundreds of processes: without byte code each would compile the package again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: prove test test-slow wheel lint bench evidence counterexamples errata pages docs clean
.DEFAULT_GOAL := prove

prove: $(INSTALLED)
	$(BIN)/visaproof prove

test: $(INSTALLED)
	$(BIN)/pytest -n auto -m "not slow"

# SHARE=1/2 SEED=word: that share of them.
test-slow: $(INSTALLED)
	$(BIN)/pytest -n auto -m slow tests --share $(SHARE) --seed '$(SEED)'

# The wheel, installed outside of the checkout, answers a question.
wheel: $(INSTALLED)
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(BIN)/python -m pip install --quiet --no-deps --target build/wheel/installed build/wheel/*.whl
	cd build/wheel && PYTHONPATH=$(CURDIR)/build/wheel/installed $(CURDIR)/$(BIN)/python -m visaproof conflicts \
		$(CURDIR)/tests/data/visaasm/lane_conflict_fixed/tgllp-O2-simd8.visaasm --launch $(CURDIR)/tests/data/manifest.json \
		> answer.txt && grep -q "free: no two of 8 lanes" answer.txt && test -e installed/visaproof/visaasm/grammar.lark

lint: $(INSTALLED)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/python .ci/words.py
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks

evidence: $(INSTALLED)
	$(BIN)/python -m benchmarks.evidence

counterexamples: $(INSTALLED)
	$(BIN)/visaproof prove 'refute_*' --save counterexamples
	-$(BIN)/visaproof conflicts $(CONFLICTING) --launch tests/data/manifest.json --save counterexamples
	$(BIN)/visaproof replay counterexamples

errata: $(INSTALLED)
	$(BIN)/python -m visaproof.report.claims.errata counterexamples/errata.toml > counterexamples/ERRATA.md
	$(BIN)/visaproof replay counterexamples/errata.toml

pages: $(INSTALLED)
	$(BIN)/python -m docs.generator

docs: .venv/.docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs build/docs
	@echo build/docs/index.html

clean:
	rm -rf .venv build .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(INSTALLED): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit("visaproof needs Python 3.11 or newer; try make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.docs: $(INSTALLED) docs/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r docs/requirements.lock
	@touch $@
