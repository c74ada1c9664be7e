# minidb's tasks. Go and make are all that build, test and demo need.

GO      ?= go
BIN     := bin/minidb
FUZZ    ?= 10s
export CGO_ENABLED ?= 0

.PHONY: build test race fuzz bench bench-engine bench-check lint parse-oracle corpora clients demo ci clean

build:
	$(GO) build -o $(BIN) ./cmd/minidb

# The whole test suite. What needs a peer or a corpus that is not there is
# skipped with a message, or fails where CI=true.
test:
	$(GO) test ./...

# The race detector needs a C compiler.
race:
	CGO_ENABLED=1 $(GO) test -race ./...

# Each fuzz target for $(FUZZ).
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "fuzz $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ) $$pkg; \
		done; \
	done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# The engine against its peers, in turn; writes docs/benchmarks.md. The peers are
# built as they are meant to be, with a C compiler. BENCH_ARGS are the driver's
# flags, such as -bench=Get -count=3 -keys=200000 -dir=/a/disk.
bench-engine:
	cd bench && CGO_ENABLED=1 $(GO) run ./cmd/enginebench $(BENCH_ARGS)

# That all engines under comparison give the same answers.
bench-check:
	cd bench && $(GO) test ./...

lint:
	@out=$$($(GO) tool gofumpt -l bench cmd sql pgwire kv storage sstable bulk); \
		if [ -n "$$out" ]; then echo "not gofumpt'ed:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	cd bench && $(GO) vet ./...

# The parser against a PostgreSQL 15 of its own: plans of statements and of what
# their trees print as, random expressions, messages and places of syntax errors.
PG15_BIN ?= /usr/lib/postgresql/15/bin
parse-oracle:
	$(GO) test ./sql/internal/parse -run Oracle -v -oracle $(PG15_BIN)

# All of the corpora of logic tests, of which `make test` runs a part.
corpora:
	$(GO) test ./sql -run 'Corpus|Scripts' -count=1 -timeout 40m -corpus all -scripts all

# Drivers of several languages, and pgbench and sysbench, unmodified; writes
# docs/compatibility.md. A client that is not installed is left out with a message,
# or fails where CI=true.
clients:
	$(GO) test ./cmd/minidb -run '^TestClients$$' -v -count=1 -clients

# The drivers that the Go module proxy and npm have; .ci/run names the packages of
# the others.
clients-install:
	cd cmd/minidb/testdata/clients/libpq && $(GO) mod download
	cd cmd/minidb/testdata/clients/node && npm ci --no-audit --no-fund

# A tour on real data, in a directory that is thrown away.
demo: build
	$(BIN) demo

ci: lint build test race bench-check parse-oracle

clean:
	rm -rf bin
