# Two commands do all the set-up:
#   make quick   installs, trains a self-play policy in ten minutes at most, evaluates it against the baselines
#   make test    installs and runs the tests
# Python: set PYTHON to choose an interpreter (3.11 or newer).

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Threads that wait by spinning slow each other down tenfold when something else needs a core.
export OMP_WAIT_POLICY := passive
# A notice of the documentation tool about its successor.
export NO_MKDOCS_2_WARNING := 1
TORCH := torch==2.13.0

.PHONY: quick test check lint types docs benchmark clean

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(TORCH)
	$(BIN)/pip install --quiet --editable ".[train,dev,docs,render,interop,play]"
	touch $@

quick: $(BIN)/.installed
	OMP_NUM_THREADS=1 $(BIN)/torchrun --nproc_per_node 2 -m training.ppo --config configs/ppo/quick.yaml \
	    $(if $(wildcard runs/ppo-quick/checkpoint.safetensors),--resume)
	$(BIN)/lostcities evaluate runs/ppo-quick/policy.safetensors \
	    random discard greedy threshold projection --pairs 1000 --seed 7

test: $(BIN)/.installed
	$(BIN)/pytest -n 2

lint: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(BIN)/.installed
	$(BIN)/mypy

docs: $(BIN)/.installed
	$(BIN)/mkdocs build --strict

benchmark: $(BIN)/.installed
	$(BIN)/python benchmarks/throughput.py

clean:
	find lostcities_env training -name '*.nb[ic]' -delete
