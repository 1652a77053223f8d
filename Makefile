# The targets of this repository; `make` alone lists them.
# What CI runs is `make check`.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The toolchain that go.mod names, or a newer one that is installed. Older
# releases have known faults (docs/dependencies.md), so GOTOOLCHAIN=local of the
# environment does not hold here.
export GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)+auto

# Where goroutines share state. CI takes the packages of the first line: building the whole program
# once more would take a quarter of its time. A test that takes long there and shares nothing says
# so, by race.Skip.
RACE_CORE := ./access ./collector ./exchange/transport ./market ./reports/answers ./store ./trading
RACE_PACKAGES := $(RACE_CORE) ./acceptance/... ./delivery/... ./exchange/... ./mail/... ./reports ./store/... ./web/...

# What the race run does not watch, as it would take most of its time there and
# find nothing. SQLite is C made Go: its memory is not that of the Go heap, which
# is all the race detector watches; its Go driver is watched like our own code.
# Passwords are arithmetic, meant to take long. Kong describes the command line in
# one goroutine, by hundreds of searches of regexp in texts that nobody changes.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc golang.org/x/crypto/argon2 github.com/alecthomas/kong regexp regexp/syntax
RACE_FLAGS := -race $(foreach package,$(UNWATCHED),-gcflags=$(package)=-race=0)

# Go files of ours: the packages of npm bring some along.
GO_FILES = $$(find . -name '*.go' -not -path './.git/*' -not -path '*/node_modules/*')

# Installs what package-lock.json names. "npm ci" would refuse the lock where the
# registry offers the native parts of some packages for fewer platforms than the
# packages list.
NPM_INSTALL := npm install --no-save --no-audit --no-fund --prefer-offline --loglevel error

# make itself, by another name: "make -n" runs the recipes that name MAKE instead of printing them.
ANEW = $(MAKE)

BENCH ?= .
LISTEN ?= 127.0.0.1:8080

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the binary ./webapp
	@go build -trimpath -o webapp ./cmd/webapp

# The texts of the licences are large, so only binaries that are given to others hold them.
.PHONY: notice
notice: ## Write the licences of what is linked to NOTICE
	@go run ./internal/notices

.PHONY: release
release: ## Build dist/: binaries for all platforms, container images, bills of materials, checksums
	@deploy/release $(PLATFORMS)

.PHONY: demo
demo: ## Run the demo on LISTEN (127.0.0.1:8080)
	@go run ./cmd/webapp demo --listen "$(LISTEN)"

.PHONY: generate
generate: ## Generate the Go code of the templates, the CSS, the scripts and the stored licences of packages
	@go tool templ generate
	cd web/assets
	$(NPM_INSTALL)
	npm run build
	cd ../..
	go run ./internal/notices

# The demo's simulator always has the same seed; the days are those before today.
.PHONY: pictures
pictures: build ## Photograph the pages that README shows, with Chromium
	@REBATEDESK_PICTURES="$$PWD/webapp" REBATEDESK_REQUIRE_BROWSER=1 go test -count=1 -run BrowserReadme ./acceptance/pages

# Lighthouse is large and no part of the checks, so it is installed apart from the packages.
LIGHTHOUSE := $(or $(TMPDIR),/tmp)/rebatedesk-lighthouse
RUNS ?= 3
.PHONY: lighthouse
lighthouse: build ## Measure pages of the demo with Lighthouse; PAGES='/ /payments' and RUNS choose
	@npm install --prefix '$(LIGHTHOUSE)' --no-audit --no-fund --loglevel error lighthouse@12.8.2 puppeteer-core@24.43.1 >/dev/null
	node web/assets/lighthouse.mjs --modules '$(LIGHTHOUSE)' --runs '$(RUNS)' --pages '$(PAGES)'

.PHONY: fmt
fmt: ## Format Go and templ files
	@gofmt -w $(GO_FILES)
	go tool templ fmt web

.PHONY: lint
lint: check-format check-modules vet staticcheck ## Check format, go vet, staticcheck and go.mod

.PHONY: vet
vet:
	@go vet ./...

.PHONY: staticcheck
staticcheck:
	@nice go tool staticcheck ./...

# What the tests of the targets below test.
PACKAGES ?= ./...

.PHONY: test
test: ## Run the tests of PACKAGES (./...), on SQLite and the servers of the environment
	@go test $(VET) $(BESIDE) -timeout 40m $(PACKAGES)

.PHONY: postgres
postgres: ## Run them on SQLite and on a PostgreSQL of this machine
	@.ci/postgres run $(ANEW) test

.PHONY: citus
citus: ## Run them on SQLite and on a Citus of this machine
	@.ci/citus run $(ANEW) test

.PHONY: engines
engines: ## Run them on each engine that this machine has
	@.ci/postgres run .ci/citus with $(ANEW) test VET=$(VET) BESIDE='$(BESIDE)'

# The race detector watches our goroutines, not those of a server.
.PHONY: race
race: ## Run the tests of shared state under the race detector
	@REBATEDESK_TEST_POSTGRES= REBATEDESK_TEST_CITUS= go test $(VET) $(RACE_FLAGS) -timeout 60m -short $(RACE_PACKAGES)

.PHONY: race-core
race-core: RACE_PACKAGES := $(RACE_CORE)
race-core: race

.PHONY: e2e
e2e: ## Run the browser tests; a missing Chromium is a failure
	@REBATEDESK_REQUIRE_BROWSER=1 go test -count=1 -run Browser -v ./acceptance/... ./cmd/...

# exceljs and the Nu checker are large and no part of the checks, so they are installed apart.
OUTSIDE := $(or $(TMPDIR),/tmp)/rebatedesk-outside
.PHONY: outside
outside: ## Run the tests with programs of others: proxies, systemd, promtool, exceljs, the Nu checker
	@npm install --prefix '$(OUTSIDE)' --no-audit --no-fund --loglevel error exceljs@4.4.0 vnu-jar@26.9.27 >/dev/null
	REBATEDESK_REQUIRE_OUTSIDE=1 REBATEDESK_EXCELJS='$(OUTSIDE)' VNU_JAR='$(OUTSIDE)/node_modules/vnu-jar/build/dist/vnu.jar' \
		go test -count=1 -run Outside -v ./acceptance/... ./cmd/webapp ./web/metrics ./document

.PHONY: soak
soak: ## Run the soak tests at full length, ten minutes or more
	@REBATEDESK_SOAK=1 go test -count=1 -run Soak -v -p 1 -timeout 3h ./...

# Hours of tests as a whole: CLOCK picks instants, tests and packages.
.PHONY: clock
clock: ## Run tests at other times of the wall clock; CLOCK='-at 02-29 ./mail' picks some
	@nice .ci/clock $(CLOCK)

.PHONY: bench
bench: ## Run the benchmarks; BENCH=name picks some
	@go test -run '^$$' -bench '$(BENCH)' -benchmem -p 1 -timeout 60m ./...

.PHONY: golden
golden: ## Write the golden files anew; read the difference before you commit it
	@packages=$$(go list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | awk '/rebatedesk\/internal\/golden/ { print $$1 }')
	if [ -z "$$packages" ]; then
		echo "no package has golden files"
		exit 0
	fi
	go test -count=1 $$packages -update

# vet has seen everything by the time of the tests. A larger heap spares staticcheck a third of its
# time, and tests up to a sixth.
.PHONY: check
check: VET := -vet=off
check: export GOGC ?= 400
check: export REBATEDESK_REQUIRE_BROWSER := 1
check: check-format check-modules vet check-templ check-assets check-api check-code race-core ## Everything CI runs

# Tests wait for browsers, servers and clocks, so there is time for one more package than there are
# cores, and for staticcheck beside them.
.PHONY: check-code
check-code:
	@$(ANEW) staticcheck & staticcheck=$$!
	failed=0
	$(ANEW) engines VET=$(VET) BESIDE="-p $$(( $$(getconf _NPROCESSORS_ONLN) + 1 ))" || failed=$$?
	wait $$staticcheck || failed=$$?
	exit $$failed

# The browser tests run axe-core, which is one of them.
.PHONY: packages
packages:
	@if command -v npm >/dev/null; then
		cd web/assets
		$(NPM_INSTALL)
	fi

.PHONY: check-format
check-format:
	@wrong=$$(gofmt -l $(GO_FILES))
	if [ -n "$$wrong" ]; then
		echo "gofmt would change these files; run 'make fmt':" >&2
		echo "$$wrong" >&2
		exit 1
	fi

.PHONY: check-modules
check-modules:
	@go mod tidy -diff
	go mod verify

# Generated anew beside the tree, so that uncommitted work neither disturbs the
# comparison nor is touched by it.
.PHONY: check-templ
check-templ:
	@fresh=$$(mktemp -d)
	trap 'rm -rf "$$fresh"' EXIT
	find . -name '*.templ' -not -path '*/node_modules/*' -print0 | tar --null -T - -cf - | tar -xf - -C "$$fresh"
	go tool templ generate -log-level error -path "$$fresh"
	sums() { (cd "$$1" && find . -name '*_templ.go' -not -path '*/node_modules/*' -print0 | sort -z | xargs -0 -r cksum); }
	if ! diff <(sums .) <(sums "$$fresh"); then
		echo "the Go code of the templates above is not fresh; run 'make generate'" >&2
		exit 1
	fi

.PHONY: check-assets
check-assets: packages
	@if ! command -v npm >/dev/null; then
		echo "npm is not installed: whether web/static is fresh was not checked" >&2
		exit 0
	fi
	fresh=$$(mktemp -d)
	trap 'rm -rf "$$fresh"' EXIT
	tar --exclude node_modules -cf - web | tar -xf - -C "$$fresh"
	ln -s "$$PWD/web/assets/node_modules" "$$fresh/web/assets"
	rm -f "$$fresh"/web/static/*.{css,js,svg} # what is no longer built must not stay
	(cd "$$fresh/web/assets" && npm run --silent build >&2)
	if ! diff -rq web/static "$$fresh/web/static"; then
		echo "web/static is not what web/assets builds; run 'make generate'" >&2
		exit 1
	fi

# By the rules of a linter of descriptions of interfaces.
.PHONY: check-api
check-api:
	@if ! command -v npm >/dev/null; then
		echo "npm is not installed: the description of the interface was not checked" >&2
		exit 0
	fi
	cd client/lint
	$(NPM_INSTALL) >&2
	npm run --silent lint >&2

.PHONY: clean
clean: ## Remove what was built, not the data
	@rm -rf webapp NOTICE coverage.out web/assets/node_modules client/lint/node_modules
