SHELL := /bin/bash
# On a machine whose own Node is too old, scripts/install-deps.sh puts one here.
export PATH := $(CURDIR)/.node/node_modules/node/bin:$(PATH)
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast bench build lint clean deps deps-npm

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: deps build ## two overlapping tenants on a private switch, until Ctrl-C (ONCE=1: without waiting)
	@node --import tsx lab/demo.ts $(if $(ONCE),--once)

test: deps ## everything; ends with "N passed, N failed" (ONLY=path narrows; needs root)
	@node --import tsx scripts/test.ts $(if $(ONLY),--only '$(ONLY)')

test-fast: deps-npm ## lint, types, layers and the tests that need neither root nor a switch
	@node --import tsx scripts/test.ts --fast

bench: deps build ## measurements, one after the other (ONLY=name for one)
	@node --import tsx scripts/bench.ts $(ONLY)

build: deps-npm ## dist/
	@npm run --silent build

lint: deps-npm ## format, lint rules, types, layers
	@npm run --silent lint && npm run --silent typecheck && npm run --silent layers

clean: ## removes what was built, and labs whose owner is dead
	@if [ -d node_modules ]; then node --import tsx lab/main.ts gc; fi
	@rm -rf dist coverage .tap

deps: # Debian packages and npm packages, where missing
	@scripts/install-deps.sh

deps-npm:
	@scripts/install-deps.sh --npm-only
