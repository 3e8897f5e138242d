# The front door. `make` alone says what there is.

.DEFAULT_GOAL := help
.PHONY: help demo setup test bench testbed clean

# A Rust toolchain that was installed for this user only is found without logging in again.
export PATH := $(PATH):$(HOME)/.cargo/bin

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: ## build, then the whole story on this machine: measure, fit, predict, validate
	cargo build --release --locked --package orrery-hpc
	$(TARGET_DIR)/release/orrery demo

setup: ## say what is missing for the tests, and install it where that is possible
	@scripts/setup

test: setup ## everything: format, lints, documentation, all tests (MPI too where it is), the commands of the README
	cargo fmt --all --check
	cargo fetch --locked
	cargo clippy --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --lib --no-deps --locked
	cargo test --locked
	scripts/test-mpi

bench: ## all benchmarks of the workspace
	cargo bench --locked
	scripts/bench-mpi

testbed: ## raise a cluster of six hosts on this machine, check its links, take it down (root)
	cargo build --release --locked --package orrery-testbed
	$(TARGET_DIR)/release/testbed up testbed/examples/six.toml
	$(TARGET_DIR)/release/testbed check six; status=$$?; $(TARGET_DIR)/release/testbed down six; exit $$status

clean: ## remove what was built
	cargo clean
