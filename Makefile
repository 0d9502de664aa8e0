# The commands of this project. `make` alone lists them.
# They need Go, git, bash and, for the race detector, a C compiler; other tools are built from tools/go.mod. A real HBase, and the
# tests against it, also need Java 17 and Maven.

SHELL         := bash
.SHELLFLAGS   := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS     += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:

GO ?= go

# Settings of single targets: make fuzz FUZZTIME=10m, make bench PKG=./internal/latency OLD=before.txt
PKG      ?= ./...
FUZZTIME ?= 2m
KILLS    ?= 200
BENCH    ?= .
COUNT    ?= 6
OLD      ?=
FAULTS   ?=
SOAK     ?=
RUN      ?=
DB       ?=
STEPS    ?=
FOR      ?= 30m
QUORUM   ?= 127.0.0.1:2181
ONLY     ?=
YCSB     ?=
ARGS     ?=
FLEET    ?= 10,100,1000,4000
PAIRS    ?= 10
SUITES   ?= 1000
GB       ?= 50
SAMPLES  ?= 500
ARCHIVE  ?= postgres
POSTGRES ?= 12.22.0 14.19.0 18.1.0
IMAGE    ?= benchd:devel

RELEASE_VERSION ?=
SIGN_KEY        ?=
VULNDB          ?= https://vuln.go.dev

VERSION ?= $(shell git describe --tags --match 'v*' --abbrev=0 2>/dev/null)
COMMIT  ?= $(shell git describe --always --exclude '*' --dirty --abbrev=12 2>/dev/null)
LDFLAGS := -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# Tools are built once for each state of their module, version of Go and platform, for all checkouts of a user: the
# folder's name is the stamp.
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/benchd
TOOLS := $(CACHE)/tools/$(shell { cat tools/go.mod tools/go.sum; $(GO) env GOVERSION GOOS GOARCH; } | cksum | cut -d' ' -f1)

# Packages of the console's pages, for TypeScript and esbuild. The bundles are committed: building and testing benchd needs none.
PACKAGES := web/node_modules/.package-lock.json

# With REPORT=FILE the tests run under gotestsum, which counts them and writes their events to FILE. make lint vets all code
# of this module, so that its tests need not.
ifdef REPORT
GOTEST     := $(TOOLS)/gotestsum --format pkgname --format-hide-empty-pkg --jsonfile $(REPORT) -- -vet off
TESTRUNNER := $(TOOLS)/gotestsum
else
GOTEST := $(GO) test -vet off
endif

# Packages with files behind a tag.
tagged      = $(shell grep -rlE --include='*_test.go' '^//go:build .*\b$(1)\b' cmd internal test | xargs -r -n1 dirname | sort -u | sed 's,^,./,')
INTEGRATION = $(call tagged,integration)
# Of those, the packages in which nothing measures real time.
COMPANIONS  = ./test/archives ./test/crash ./test/fleet ./test/prometheus ./test/readers ./test/targetkit
HBASETESTS  = $(call tagged,hbase)
# Those of all databases but HBase, or with DB=NAME those in the folder of one.
DATABASETESTS = $(if $(DB),$(filter ./internal/target/$(DB) ./internal/target/$(DB)/%,$(call tagged,databases)),$(call tagged,databases))
# The tests in them: those without a tag are run by make test.
only = -run '^($(subst $() ,|,$(sort $(shell grep -rlE --include='*_test.go' '^//go:build .*\b$(1)\b' cmd internal test | xargs -r sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p'))))$$'

# Test files that the race detector never sees: their tests compute one after another (internal/lint checks that), which takes it five
# to ten times as long. Those packages, or PKG.
computing = $(shell grep -rlx --include='*_test.go' '//go:build !race' cmd internal test | xargs -r grep -l '^func Test')
COMPUTING = $(if $(filter ./...,$(PKG)),$(sort $(patsubst %/,./%,$(dir $(computing)))),$(PKG))

##@ Use

.PHONY: build
build: ## Build bin/benchd and bin/benchctl.
	@mkdir -p bin
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

.PHONY: demo
demo: build ## Build, start `benchd dev`, load a table of its sandbox and run on it, print the result and write its HTML report.
	@scripts/demo bin

# A release that is signed is checked first.
.PHONY: release
release: $(if $(SIGN_KEY),vulncheck) ## Build the archives for Linux (amd64, arm64) from the commit into bin/release, with checksums, bills of materials and provenance; RELEASE_VERSION=v1.2.3, SIGN_KEY=FILE.
	@GO='$(GO)' SIGN_KEY='$(SIGN_KEY)' scripts/release $(RELEASE_VERSION)

.PHONY: image
image: ## Build the container image IMAGE (benchd:devel) with docker.
	docker build -f deploy/Dockerfile --build-arg VERSION='$(VERSION)' --build-arg COMMIT='$(COMMIT)' -t '$(IMAGE)' .

# HBASE: its version; RS: number of region servers; HEAP: memory of each. Several region servers are separate processes.
RS    ?= 1
HEAP  ?= 1g
HBASE ?= 2.6.4

.PHONY: hbase-up
hbase-up: ## Start a real HBase (HBASE=2.6.4) with RS (1) region servers on this machine, secured with SECURE=kerberos,tls, and print how to use it.
	@scripts/hbase up --version '$(HBASE)' --secure '$(SECURE)' --servers $(RS) --heap $(HEAP)

.PHONY: hbase-down
hbase-down: ## Stop it and keep its data; PURGE=1 deletes the data.
	@scripts/hbase down $(if $(PURGE),--purge)

##@ Check

# SQLite, which is C translated to Go, is compiled without the race detector: with it the tests of the archive and of the
# coordinator take four times as long.
RACE := -race -gcflags='modernc.org/...=-race=false'

# Tests that call t.Parallel wait for most of their time, so more of them run in parallel than there are processors.
PARALLEL := -parallel 8

# Tests of separate processes wait even more. Those that take a minute should not be the last to start.
WAITING := -parallel 12

.PHONY: test
test: $(TESTRUNNER) ## Run all tests that need no server, with the race detector; without it those that compute one after another.
	@# The detector lets each program sleep for a second before it ends: tests have joined their goroutines by then.
	GORACE='atexit_sleep_ms=10' $(GOTEST) $(RACE) $(PARALLEL) -timeout 10m $(PKG) || failed=$$?; \
	$(GOTEST:$(REPORT)=$(REPORT:.json=+computing.json)) -timeout 10m -run '^($(subst $() ,|,$(sort $(shell sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p' $(computing)))))$$' $(COMPUTING) || failed=$$?; \
	exit $${failed:-0}

.PHONY: test-integration
test-integration: $(TESTRUNNER) ## Run the tests against separate processes and real servers: one package at a time where tests measure real time.
	@scripts/need pgbouncer pgbouncer
	@# -p 1 compiles one package at a time, too: what all of them need is compiled before.
	$(GO) build ./internal/...
	$(GOTEST) -count 1 -p 1 $(WAITING) -timeout 15m -tags integration $(call only,integration) $(filter-out $(COMPANIONS),$(INTEGRATION)) || failed=$$?; \
	$(GOTEST:$(REPORT)=$(REPORT:.json=+companions.json)) -count 1 -p 2 $(PARALLEL) -timeout 15m -tags integration $(call only,integration) $(COMPANIONS) || failed=$$?; \
	exit $${failed:-0}

.PHONY: crash-sandbox
crash-sandbox: $(TESTRUNNER) ## Kill the sandbox and its storage KILLS (200) times each under load; nothing acknowledged may be missing.
	BENCHD_CRASH_KILLS=$(KILLS) $(GOTEST) -count 1 -v -timeout 30m -tags integration -run 'TestASandbox|TestAStore' ./test/crash

.PHONY: test-faults
test-faults: $(TESTRUNNER) ## Run the tests of killed processes, broken networks and full disks, on separate hosts (root, iproute2); print the table.
	@mkdir -p bin && rm -f bin/faults.txt
	$(GOTEST) -count 1 -timeout 15m -parallel 16 -tags faults ./test/faults || failed=$$?; cat bin/faults.txt; exit $${failed:-0}

.PHONY: test-hbase
test-hbase: $(TESTRUNNER) ## Start a real HBase and run the tests that need one; FAULTS=2m SOAK=10m make two of them longer, RUN=NAME selects, HBASE=2.4.18 is its version.
	BENCHD_HBASE_VERSION='$(HBASE)' BENCHD_TEST_FAULTS='$(FAULTS)' BENCHD_TEST_SOAK='$(SOAK)' $(if $(RUN)$(filter-out 2.6.4,$(HBASE)),,scripts/covered --record hbase) scripts/with-hbase \
		$(GOTEST) -count 1 -p 1 -timeout 60m -tags hbase $(if $(RUN),-v -run '$(RUN)',$(call only,hbase)) $(HBASETESTS)

# Of the tests that need a real HBase: every kind of operation, scans while regions split, actions, and the death of a
# region server under load with all that was acknowledged counted afterwards.
SMOKE := TestEveryOperationOnHBase TestScansAreWholeWhileRegionsSplit TestRegionsMoveAndSplit TestQuietComesAfterACompaction \
	TestDeletes/three TestARegionServerDiesUnderLoad/three

.PHONY: smoke-hbase
smoke-hbase: $(TESTRUNNER) ## Run some of them, in about five minutes: operations, scans, actions and the death of one of three region servers.
	BENCHD_TEST_FAULTS='$(or $(FAULTS),75s)' scripts/with-hbase \
		$(GOTEST) -count 1 -p 1 -timeout 9m -tags hbase -run '$(subst $() ,|,$(strip $(SMOKE)))' $(HBASETESTS)

# The versions of HBase that are supported, and the tests that must pass on each of them.
VERSIONS ?= 1.4.14 1.7.2 2.1.10 2.4.18 2.6.4
MATRIX   := TestAVersionDoesAllKindsOfWork TestEveryOperationOnHBase TestScansAreWholeWhileRegionsSplit TestATableLivesFromCreateToDrop \
	TestRegionsMoveAndSplit TestQuietComesAfterACompaction

.PHONY: test-versions
test-versions: $(TESTRUNNER) ## Do all kinds of work on each supported version of HBase (VERSIONS='1.4.14 2.6.4'), one after another, a minute or two each.
	@failed=; for v in $(VERSIONS); do \
		echo "== HBase $$v"; BENCHD_HBASE_VERSION=$$v BENCHD_HBASE_SERVERS=1 BENCHD_HBASE_HEAP=1g scripts/with-hbase \
			$(GOTEST:$(REPORT)=$(REPORT:.json=+$$v.json)) -count 1 -p 1 -timeout 9m -tags hbase $(if $(RUN),-v) \
			-run '^($(if $(RUN),$(RUN),$(subst $() ,|,$(strip $(MATRIX)))))$$' $(HBASETESTS) || failed="$$failed $$v"; \
	done; [[ -z $$failed ]] || { echo "failed on HBase$$failed"; exit 1; }

.PHONY: test-hbase-secure
test-hbase-secure: $(TESTRUNNER) ## Start a KDC and secured HBases, and run all kinds of work and mistakes with TLS and Kerberos on them; TICKETS=15m is a longer run with short tickets, RUN=NAME selects.
	BENCHD_TEST_TICKETS='$(TICKETS)' $(if $(RUN),,scripts/covered --record hbase-secure) \
		$(GOTEST) -count 1 -parallel 4 -timeout 60m -tags secure $(if $(RUN),-v -run '$(RUN)') ./test/secure

.PHONY: smoke-hbase-secure
smoke-hbase-secure: ## Run one of them, in about a minute: all kinds of work with Kerberos, privacy and TLS.
	@$(MAKE) test-hbase-secure RUN='TestEveryModeWorks/privacy_over_TLS$$$$'

# Tests with the tag databases start their servers themselves, so adding a database adds nothing here.
.PHONY: test-databases
test-databases: $(TESTRUNNER) ## Start each database but HBase, one after another, and run the tests on it; DB=postgres and RUN=NAME select.
	@scripts/need pgbouncer pgbouncer
	@scripts/selected databases '$(RUN)' $(DATABASETESTS)
	$(if $(RUN)$(DB),,scripts/covered --record databases) \
		$(GOTEST) -count 1 -p 1 -parallel 4 -timeout 40m -tags databases $(if $(RUN),-v -run '$(RUN)',$(call only,databases)) $(DATABASETESTS)

.PHONY: smoke-databases
smoke-databases: $(TESTRUNNER) ## Run some of them, those whose names begin with TestSmoke: at least one for each database.
	@scripts/selected databases ^TestSmoke --each $(DATABASETESTS)
	$(GOTEST) -count 1 -p 1 -parallel 4 -timeout 15m -tags databases -run '^TestSmoke' $(DATABASETESTS)

.PHONY: soak
soak: $(TESTRUNNER) ## Work at full speed on a sandbox for FOR (30m) with three agents; memory, goroutines, archive and throughput are checked.
	$(GOTEST) -count 1 -timeout 24h -tags soak -v ./test/soak -args -for $(FOR)

.PHONY: crash-archive
crash-archive: $(TESTRUNNER) ## Kill the coordinator, with PostgreSQL too, and the archives alone at 500 random instants each; it opens, and nothing acknowledged is missing.
	BENCHD_CRASH_KILLS=500 $(GOTEST) -count 1 -v -timeout 60m -tags integration -run TestACoordinator ./test/crash
	$(GOTEST:$(REPORT)=$(REPORT:.json=+alone.json)) -count 1 -timeout 30m -run TestAcknowledgedWindowsSurviveKill -v ./internal/archive/sqlite -args -kills 500
	BENCHD_CRASH_KILLS=500 $(GOTEST:$(REPORT)=$(REPORT:.json=+postgres.json)) -count 1 -timeout 45m -tags integration -run TestAcknowledgedWindowsSurviveKills -v ./internal/archive/postgres

.PHONY: test-postgres-versions
test-postgres-versions: $(TESTRUNNER) ## Test the archive in PostgreSQL on the oldest supported version, the first that detaches partitions concurrently, and the newest (POSTGRES='12.22.0 18.1.0'), which Maven fetches.
	@failed=; for v in $(POSTGRES); do \
		echo "== PostgreSQL $$v"; BENCHD_POSTGRES=$$v $(GOTEST:$(REPORT)=$(REPORT:.json=+$$v.json)) -count 1 -timeout 9m -tags integration \
			-run . -skip TestABigArchive ./test/archives || failed="$$failed $$v"; \
	done; [[ -z $$failed ]] || { echo "failed on PostgreSQL$$failed"; exit 1; }

.PHONY: test-deploy
test-deploy: $(TESTRUNNER) $(TOOLS)/govulncheck ## Check deploy/ and the release: units, chart, compose file, playbook; build the image's stages without docker (root).
	@scripts/need systemd-analyze systemd && scripts/need ansible-playbook ansible-core && scripts/need ip iproute2 && scripts/need jq jq
	cd test/deploy && $(subst -vet off,,$(GOTEST)) -count 1 $(PARALLEL) -timeout 15m ./...

.PHONY: test-workbook
test-workbook: $(TESTRUNNER) ## Write Excel workbooks, and read them with LibreOffice and Python: figures, charts, schemas.
	@scripts/need soffice libreoffice-calc && scripts/need pdftotext poppler-utils
	python=$$(scripts/workbook) && BENCHD_TEST_PYTHON="$$python" $(GOTEST) -count 1 -timeout 5m -tags workbook ./test/workbook

.PHONY: test-browser
test-browser: $(TESTRUNNER) ## Open the console and the report of a two-hour run in Chromium: use, cost, speed, keyboard, contrast, paper; pictures are left in bin/browser.
	@scripts/need chromium chromium && scripts/need pdftotext poppler-utils
	axe=$$(scripts/browser) && BENCHD_TEST_AXE="$$axe" $(GOTEST) -count 1 -timeout 15m -parallel 4 -v -tags browser ./test/browser

.PHONY: java-client-test
java-client-test: ## Check the answers of the server at QUORUM=HOST:PORT with HBase's own Java client; ONLY=TEXT selects checks.
	@test/java/run ClientTest '$(QUORUM)' $(if $(ONLY),--only '$(ONLY)')

.PHONY: lint
lint: ## Run all static checks.
	@$(MAKE) --keep-going lint-mod lint-proto lint-go lint-rules lint-web generate-check

.PHONY: lint-go
lint-go: $(TOOLS)/golangci-lint ## Lint, vet and check the format of all Go code, tagged files included.
	$< run --allow-parallel-runners ./...

.PHONY: lint-rules
lint-rules: ## Check the direction of imports, the rules of the code, the word list, and that registries are documented.
	$(GO) test ./internal/lint

.PHONY: lint-proto
lint-proto: $(TOOLS)/buf ## Lint proto/ and refuse changes that break an older agent or client.
	$< lint proto
	@scripts/breaking $<

.PHONY: lint-mod
lint-mod: ## Check that go.mod and go.sum are tidy.
	$(GO) mod tidy -diff
	$(GO) -C tools mod tidy -diff
	$(GO) -C test/deploy mod tidy -diff
	$(GO) -C internal/target/mongodb/mongodbtest/ferretdb mod tidy -diff

.PHONY: lint-web
lint-web: $(PACKAGES) ## Check the types of the sources in web/, and that its list of packages names no registry.
	@! grep -n '"resolved"' web/package-lock.json || \
		{ echo 'web/package-lock.json names a registry: install with --omit-lockfile-registry-resolved'; exit 1; }
	cd web && node_modules/.bin/tsc --project tsconfig.json

.PHONY: vulncheck
vulncheck: $(TOOLS)/govulncheck ## Fail if the programs (or PKG) call code with a known vulnerability; VULNDB=URL is another database, file:///DIR too.
	$< -db '$(VULNDB)' $(if $(filter file,$(origin PKG)),./cmd/...,$(PKG))

.PHONY: cover
cover: ## Measure the coverage of all tests and write bin/cover.html.
	@mkdir -p bin
	$(GO) test -coverpkg=./... -coverprofile=bin/cover.all $(PKG)
	@grep -v '/internal/gen/' bin/cover.all >bin/cover.out
	$(GO) tool cover -html=bin/cover.out -o bin/cover.html
	@$(GO) tool cover -func=bin/cover.out | tail -n 1

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (2m) each.
	@GO='$(GO)' scripts/fuzz '$(FUZZTIME)' '$(PKG)'

.PHONY: bench
bench: $(TOOLS)/benchstat ## Run the benchmarks COUNT (6) times into bin/bench.txt; OLD=FILE compares with an earlier one.
	@mkdir -p bin
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 60m $(PKG) | tee bin/bench.txt
	@$(TOOLS)/benchstat $(OLD) bin/bench.txt

.PHONY: bench-ycsb
bench-ycsb: build ## Compare with YCSB on one HBase: YCSB=DIR of a build of it, QUORUM=HOST:PORT, ARGS='--pairs 10 --threads 1,16'.
	@scripts/bench-ycsb --ycsb '$(YCSB)' --quorum '$(QUORUM)' $(ARGS)

.PHONY: bench-clients
bench-clients: build ## Compare benchd's own client with gohbase on one HBase, in about ten minutes: QUORUM=HOST:PORT, or an HBase of its own; ARGS='--pairs 10 --threads 16'.
	@scripts/bench-clients $(if $(filter file,$(origin QUORUM)),,--quorum '$(QUORUM)') $(ARGS)

.PHONY: bench-hbase-secure
bench-hbase-secure: build ## Compare the CPU time of reads with that of HBase's Java client, plain, with TLS and with privacy, on an HBase of its own: ARGS='--pairs 10 --modes plain,tls'.
	@scripts/bench-hbase-secure $(ARGS)

.PHONY: bench-recovery
bench-recovery: build ## Compare the recovery from lost region servers with YCSB's, on an HBase of its own: YCSB=DIR, ARGS='--pairs 10 --kinds kill,stop'.
	@scripts/bench-recovery --ycsb '$(YCSB)' $(ARGS)

.PHONY: soak-hbase
soak-hbase: $(TESTRUNNER) ## Work with 100 workers on 4 connections for SOAK (10m) on the HBase at QUORUM, or on one of its own; check memory and goroutines.
	$(if $(filter file,$(origin QUORUM)),scripts/with-hbase,BENCHD_HBASE='$(QUORUM)') $(GOTEST) -count 1 -timeout 60m -tags hbase -run TestAnAgentStays -v ./internal/target/hbase -args -soak $(or $(SOAK),10m)

.PHONY: bench-telemetry
bench-telemetry: $(TESTRUNNER) ## Compare runs with and without telemetry on a real HBase with three region servers; check the cost of telemetry.
	$(GOTEST) -count 1 -timeout 60m -tags 'hbase bench' -run TestTelemetryCostsLittle -v ./test/hbase -args -enforce $(ARGS)

.PHONY: bench-fleet
bench-fleet: $(TESTRUNNER) ## Serve FLEET (10,100,1000,4000) simulated agents for a minute each; print and check CPU, memory, lateness, archive.
	$(GOTEST) -count 1 -timeout 30m -tags integration -run TestFleet -v ./test/fleet -args -sizes $(FLEET) -seconds 60 -settle 20s -limits

.PHONY: bench-tls
bench-tls: $(TESTRUNNER) ## Serve 1000 simulated agents in PAIRS (10) pairs of runs, in plain text and with TLS, in /dev/shm if there is one; check what TLS costs the coordinator, and the skew of starts.
	TMPDIR="$(firstword $(wildcard /dev/shm) $(TMPDIR) /tmp)" $(GOTEST) -count 1 -timeout 60m -tags integration -run TestTLS -v ./test/fleet -args -agents 1000 -pairs $(PAIRS) -seconds 30 -settle 20s -limits

.PHONY: bench-readers
bench-readers: $(TESTRUNNER) ## Make PAIRS (10) pairs of runs at half of the capacity, without and with 50 readers of the event stream; check rate, late sends, p50 and the coordinator's CPU.
	$(GOTEST) -count 1 -timeout 60m -tags integration -run TestReaders -v ./test/readers -args -pairs $(PAIRS) -length 30s -limits

.PHONY: bench-suites
bench-suites: $(TESTRUNNER) ## Make an archive of SUITES (1000) suites and GB (50) gigabytes, in ARCHIVE=postgres or sqlite; measure list, show and compare on it, and the removal of its oldest month beside a run; check their limits. SAMPLES=25 makes as many rows in a quarter of the disk.
	$(GOTEST) -count 1 -timeout 120m -tags integration -run TestABigArchive -v ./test/archives -args -in $(ARCHIVE) -suites $(SUITES) -megabytes $(GB)000 -samples $(SAMPLES) -limits

.PHONY: bench-archive
bench-archive: $(TESTRUNNER) ## Archive four days of 6 agents and 5 operations of an open loop at speed, in /dev/shm if there is one; compare its results with the sent windows, check size and opening.
	TMPDIR="$(firstword $(wildcard /dev/shm) $(TMPDIR) /tmp)" $(GOTEST) -count 1 -timeout 90m -run TestARollUpDoesNotChangeResults -v ./internal/results -args -four-days

.PHONY: nightly
nightly: ## Run everything in its long form, also what CI leaves out (six hours; root, Java 17, Maven), or STEPS="soak fuzz"; print one table.
	@scripts/nightly $(STEPS)

##@ Change

.PHONY: generate
generate: $(TOOLS)/buf $(PACKAGES) ## Generate internal/gen from proto/, and bundle styles and scripts of HTML reports and the console from web/.
	$< generate proto --template proto/buf.gen.yaml
	$(GO) generate ./internal/report/html

.PHONY: pictures
pictures: build ## Record a demo, and draw the pictures in docs/images; nothing else should run on the machine.
	@GO='$(GO)' scripts/picture bin

.PHONY: console-pictures
console-pictures: ## Take a picture of each page of the console in Chromium for docs/images; nothing else should run on the machine.
	@scripts/need chromium chromium && scripts/browser >/dev/null
	$(GO) test -count 1 -timeout 10m -v -tags browser,pictures -run TestPicturesOfTheConsole ./test/browser
	$(GO) test -count 1 ./test/docs -run Console -args -console '$(CURDIR)/bin/browser'

.PHONY: generate-check
generate-check: $(TOOLS)/buf $(PACKAGES) ## Check that internal/gen is generated from proto/, and the bundles of HTML reports and the console from web/.
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; \
	$< generate proto --template proto/buf.gen.yaml --output "$$fresh"; \
	diff -r "$$fresh/internal/gen" internal/gen || \
		{ echo 'internal/gen differs from proto/: run `make generate` and commit'; exit 1; }
	$(GO) -C tools run ./bundle -check ..

.PHONY: clean
clean: ## Remove bin/. The tools stay in the user's cache, for other checkouts.
	rm -rf bin
	@[[ ! -d '$(CACHE)/tools' ]] || echo 'the tools stay in $(CACHE)/tools: all checkouts use them'

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' Makefile

# npm writes this file at the end.
$(PACKAGES): web/package.json web/package-lock.json
	@scripts/need npm npm
	npm ci --prefix web --ignore-scripts --no-audit --no-fund
	@touch '$@'

$(TOOLS)/buf:           package = github.com/bufbuild/buf/cmd/buf
$(TOOLS)/golangci-lint: package = github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(TOOLS)/benchstat:     package = golang.org/x/perf/cmd/benchstat
$(TOOLS)/gotestsum:     package = gotest.tools/gotestsum
$(TOOLS)/govulncheck:   package = golang.org/x/vuln/cmd/govulncheck

$(TOOLS)/%:
	@echo 'building $* into $(TOOLS) (once; the larger tools take minutes)'
	@mkdir -p '$(TOOLS)'
	@# Renamed when it is complete: another checkout may build or use the same tool meanwhile.
	@trap 'rm -f "$@".$$$$' EXIT; $(GO) build -C tools -buildvcs=false -o "$@".$$$$ $(package) && mv "$@".$$$$ '$@'
