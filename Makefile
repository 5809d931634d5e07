# Every target runs from a fresh clone with Go and git. CONTRIBUTING.md says when to use which.
.PHONY: build test short golden lint bench ci release python

build: ## the binary, static, with the version of this checkout
	CGO_ENABLED=0 go build -trimpath -buildvcs=true -o drotrain ./cmd/drotrain

test: ## all tests of the product
	go test ./...

short: ## the tests without the slow ones
	go test -short ./...

golden: ## write the golden files again; review the diff
	UPDATE_GOLDEN=1 go test -run Golden ./...
	git diff --stat

lint: ## format, vet, and golangci-lint where it is installed
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go vet ./...
	go -C bench vet ./...
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed: see CONTRIBUTING.md"; fi

bench: ## a short run of the benchmarks and of the search for wrong certificates
	go -C bench test ./...
	go -C bench run . -quick

python: ## a wheel with the binary of this checkout in dist/, and its tests in a virtual environment
	python3 -m venv .venv && .venv/bin/pip install -q './python[test]'
	cd python && ../.venv/bin/python -m pytest -q -W ignore
	.venv/bin/pip wheel -q --no-deps -w dist ./python

ci: ## what the continuous integration runs
	.ci/run

release: ## binaries, checksums and bills of materials of a tagged commit, in dist/
	release/build dist
