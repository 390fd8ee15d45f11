.DEFAULT_GOAL := help
PORT ?= 8000
PYTHON ?= # a Python 3.11, 3.12 or 3.13 with venv; found by itself if not given
FITS := -c "import sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))"
RUN := .venv/bin/python
# Downloads are unpacked beside the clone's other data: /tmp may be small or full.
PIP := mkdir -p .data/tmp && TMPDIR="$$PWD/.data/tmp" $$(command -v uv >/dev/null && echo uv pip \
	install -q --python $(RUN) || echo $(RUN) -m pip install -q --disable-pip-version-check)

.venv/bin/python:
	@for p in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	  if "$$p" $(FITS) 2>/dev/null; then mkdir -p .data/tmp; \
	    if command -v uv >/dev/null; then exec uv venv -q --clear --python "$$p" .venv; fi; \
	    TMPDIR="$$PWD/.data/tmp" exec "$$p" -m venv --clear .venv; fi; done; \
	echo "Callboard needs Python 3.11, 3.12 or 3.13 with venv. $(or $(PYTHON),What is installed)" \
	  "is not: name one, as in make run PYTHON=/usr/bin/python3.11" >&2; exit 1

.venv/product: .venv/bin/python requirements.txt requirements-benchmarks.txt
	@echo "Installing requirements (once, about a minute)…"
	@$(PIP) -r requirements.txt && $(PIP) --no-deps --require-hashes -r requirements-benchmarks.txt
	@touch $@

.venv/tools: .venv/product requirements-dev.txt
	@echo "Installing the tools of tests and checks (once)…"
	@$(PIP) -r requirements-dev.txt && touch $@

.PHONY: help setup run test check parity faults bench
help: ## list these
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 10
setup: .venv/product ## prepare .venv, nothing else
run: .venv/product ## everything on this machine, at http://127.0.0.1:PORT/ (make run PORT=8123)
	@exec $(RUN) manage.py up --port $(PORT)
test: .venv/tools ## every test, on servers of their own
	@$(RUN) -m pytest -n auto --dist loadfile -q $(ARGS)
check: .venv/tools ## formatting, lint, types, layers, templates, migrations, deployment settings
	@.ci/check
parity: .venv/tools ## every recorded verdict and request compared (CALLBOARD_CORPORA names the folder)
	@$(RUN) -m tests.parity
faults: .venv/tools ## a real installation broken in every way it must survive
	@$(RUN) -m tests.faults $(ARGS)
bench: .venv/tools ## how fast it asks, scores, ranks and exports, also written to bench.json
	@$(RUN) -m tests.bench.throughput --json bench.json && \
	  $(RUN) -m tests.bench.http_client --with ours --with aiohttp --json bench.json && $(RUN) -m tests.bench.scoring --json bench.json && \
	  $(RUN) -m tests.bench.rescoring --json bench.json && $(RUN) -m tests.bench.ranks --json bench.json && \
	  $(RUN) -m tests.bench.export --json bench.json && \
	  $(RUN) -m tests.bench.multi_turn --json bench.json && $(RUN) -m tests.bench.pages --json bench.json && \
	  $(RUN) -m tests.bench.run_pages --json bench.json
