"""Inputs that the tests share: the examples of the repository, and what is measured and fitted with them."""

import os
from pathlib import Path

import pytest

import orrery

TOP = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def at_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs each test in the folder of the repository, so that names of files in messages are short."""
    monkeypatch.chdir(TOP)


@pytest.fixture(scope="session")
def truth() -> orrery.Model:
    """The model of a cluster of six hosts."""
    return orrery.read_model(TOP / "examples" / "six-hosts.json")


@pytest.fixture(scope="session")
def samples(truth: orrery.Model) -> orrery.Samples:
    """Readings on that cluster with 2 % of noise."""
    return orrery.measure_comm(orrery.simulated_machine(truth, noise=0.02))


@pytest.fixture(scope="session")
def model(samples: orrery.Samples) -> orrery.Model:
    """The models that the readings identify."""
    return orrery.fit(samples, models="hockney,lmo")


@pytest.fixture(scope="session")
def collectives(truth: orrery.Model) -> orrery.Samples:
    """Times of scatter and gather."""
    machine = orrery.simulated_machine(truth, noise=0.02)
    return orrery.measure_collectives(machine, sizes="1K,4K,16K", root="all")


def workers_in_use() -> int:
    """The number of worker processes of this process."""
    count = 0
    for name in os.listdir("/proc"):
        try:
            line = Path("/proc", name, "cmdline").read_bytes()
            status = Path("/proc", name, "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        count += b"orrery._worker" in line and int(status[1]) == os.getpid() and status[0] != "Z"
    return count
