# Two commands do everything: `make run` (set up, then the example task) and `make test` (the whole suite).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Python keeps what it has compiled, whatever the machine's habit is: reading all tests takes a third of the time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run check test prove mutants cgroup2 world catalogue format lock bench clean

run: $(VENV)/.ready
	@scripts/system-packages run
	@scripts/show-example $(BIN)/dayjob

# The inner loop: format, lint, types, and the tests that need no sandbox, browser or daemon.
FAST := tests/test_*.py tests/http tests/task tests/report tests/tools tests/llm tests/company/*/store

check: $(VENV)/.ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q -n 2 $(FAST)

# What rooms stand on is made once for the tasks' claims and for the tests.
test: export DAYJOB_BASES ?= $(CURDIR)/.cache/bases
test: $(VENV)/.ready-dev
	@scripts/system-packages test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/dayjob check tasks/
	$(BIN)/dayjob test tasks/ --paraphrases tenth
	$(BIN)/pytest -n 2 --dist loadgroup

format: $(VENV)/.ready-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Every claim of every task five times, each time with another seed, all answers in other words, ten variants of every
# family, and once in docker: the long version of what `test` does. It can be stopped and gone on with. SHARD=1/4,
# TIMES=5, VARIANTS=10, FRESH=1.
prove: $(VENV)/.ready-dev
	@scripts/system-packages test
	$(BIN)/python -m tools.prove $(if $(SHARD),--shard $(SHARD)) $(if $(TIMES),--times $(TIMES)) $(if $(VARIANTS),--variants $(VARIANTS)) $(if $(FRESH),--fresh)

# Small faults in src/, each against the tests that reach it: docs/testing.md. GROUP="llm npc", SAMPLE=60, SEED=15, SHARD=1/4, BUDGET=30,
# MINUTES=5, JOBS=2; CHANGED=1 for the lines of a change since main, SINCE=REV for those since another revision.
mutants: $(VENV)/.ready-dev
	$(BIN)/python -m tools.mutants $(GROUP) $(if $(CHANGED),--changed) $(if $(SINCE),--since $(SINCE)) $(if $(SAMPLE),--sample $(SAMPLE)) \
		$(if $(SEED),--seed $(SEED)) $(if $(SHARD),--shard $(SHARD)) $(if $(BUDGET),--budget $(BUDGET)) $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(JOBS),--jobs $(JOBS)) $(if $(OUT),--out $(OUT))

# Limits in a virtual machine whose control groups are version 2 alone; root, under software emulation, some ten minutes.
cgroup2: $(VENV)/.ready-dev
	@scripts/system-packages cgroup2
	$(BIN)/python -m tools.cgroup2_vm

# Larkspur's generated documents, and the catalogue of tasks.
world: $(VENV)/.ready-dev
	$(BIN)/python -m tools.larkspur

catalogue: $(VENV)/.ready
	$(BIN)/python -m tools.catalogue > docs/tasks.md

# Each table in docs/benchmarks.md comes from one of these.
bench: $(VENV)/.ready-dev
	@for script in bench/[!_b]*.py; do echo "== $$script"; $(BIN)/python -m bench.$$(basename $$script .py) || exit 1; done

lock: $(VENV)/.ready
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
		pyproject.toml -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
		pyproject.toml --group dev -o requirements/dev.txt
	@for extra in openenv verifiers; do \
		$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
			pyproject.toml --extra $$extra -o requirements/clients/$$extra.txt || exit 1; done

$(VENV)/.ready: pyproject.toml requirements/run.txt scripts/make-venv
	@PYTHON=$(PYTHON) scripts/make-venv $(VENV) requirements/run.txt
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements/dev.txt
	@PYTHON=$(PYTHON) scripts/make-venv $(VENV) requirements/dev.txt
	@touch $@

clean:
	rm -rf $(VENV) .cache
