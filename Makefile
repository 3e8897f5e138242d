# The main entry point; `make` lists the targets.

.DEFAULT_GOAL := help
.PHONY: help demo setup test test-all soak fuzz growth bench dist testbed clean

# A toolchain in the home directory is found without a new login.
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

demo: ## build, then measure an emulated cluster, fit, predict, validate, choose (1 minute); installs Rust and a C compiler if missing
	@scripts/setup build
	cargo build --release --locked --package orrery-hpc
	$(TARGET_DIR)/release/orrery demo --force

setup: ## install what the tests need; prints it first
	@scripts/setup test

test: ## run all checks and tests; 15 to 20 minutes on two cores; up to 8 GB in target/
	@echo 'make test: format, lints, fuzz targets, documentation, all tests, MPI, Python. 15 to 20 minutes on two cores.'
	@echo 'make test: leaves up to 8 GB in $(TARGET_DIR)/, 2 GB with CI=true; make clean removes it.'
	@scripts/setup test
	@scripts/test

test-all: ## all of test with the long variants (ORRERY_TESTS=all), every combination of features, growth, soak, fuzz; hours
	@scripts/setup test
	ORRERY_TESTS=all scripts/test
	scripts/check-features --all
	$(MAKE) growth soak fuzz

soak: ## mutate inputs of all commands (SOAK_INPUTS=20000), kill commands (SOAK_KILLS=200), disturb campaigns, attack the monitoring; 30 minutes
	cargo test --quiet --release --locked --package orrery-hpc --features monitor --test soak -- --ignored --nocapture --test-threads 1
	cargo test --quiet --release --locked --package orrery-hpc --features monitor --test options -- --ignored
	cargo test --quiet --release --locked --package orrery-capi --test programs -- --ignored
	cargo test --quiet --release --locked --package orrery-hpc --features monitor --test kept_files
	cargo test --quiet --release --locked --package orrery-monitor --tests -- --ignored --nocapture --test-threads 1
	cargo test --quiet --release --locked --package orrery-hpc --features monitor --test monitor -- --ignored --nocapture

fuzz: ## fuzz all readers (SECONDS_PER_TARGET=180 each), then run the property tests with many cases
	scripts/fuzz

growth: ## count the instructions of each verb at three sizes and check their growth (valgrind); 3 minutes
	cargo build --release --locked --package orrery-hpc
	scripts/growth

bench: ## run all benchmarks of the workspace
	cargo bench --locked
	scripts/bench-mpi
	scripts/bench-trace
	scripts/bench-python

dist: ## make all packages in target/dist and try them in clean places (docs/packages.md); about an hour
	packaging/dist

testbed: ## start a cluster of six hosts on this machine, check its links, stop it (root)
	cargo build --release --locked --package orrery-testbed
	$(TARGET_DIR)/release/testbed up testbed/examples/six.toml
	$(TARGET_DIR)/release/testbed check six; status=$$?; $(TARGET_DIR)/release/testbed down six; exit $$status

clean: ## remove all build results
	cargo clean
