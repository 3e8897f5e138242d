"""Threads and signals: work lets other threads run, and Ctrl-C ends it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import orrery

from conftest import workers_in_use


def test_threads_share_models(model: orrery.Model, samples: orrery.Samples) -> None:
    expected = orrery.predict(model, "scatter", "1K..32K").seconds

    def work(number: int) -> bool:
        predicted = orrery.predict(model, "scatter", "1K..32K")
        fitted = orrery.fit(samples, models="hockney")
        return np.array_equal(predicted.seconds, expected) and pl.DataFrame(fitted).height > 0

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(32)))


def test_one_lazy_table_for_all_threads(truth: orrery.Model) -> None:
    predicted = orrery.predict(truth, "p2p", np.arange(20_000))
    with ThreadPoolExecutor(8) as pool:
        addresses = set(pool.map(lambda _: predicted.seconds.ctypes.data, range(32)))
    assert len(addresses) == 1


def test_other_threads_run_during_work(truth: orrery.Model) -> None:
    ticks, done = 0, threading.Event()

    def work() -> None:
        orrery.predict(truth, "alltoall", np.arange(1, 200), algorithms="all")
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0)
    thread.join()
    assert ticks > 100


def interrupted(call: Callable[[], object]) -> None:
    """Runs a call that takes much longer than a minute, and interrupts it."""
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()


def test_a_campaign_is_interrupted_and_keeps_its_readings(truth: orrery.Model, tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    machine = orrery.simulated_machine(truth, noise=0.5)
    interrupted(lambda: orrery.measure_comm(machine, min_reps=20_000, max_reps=20_000, output=path))
    assert len(orrery.read_samples(path)) > 0


def test_interrupted_workers_end(tmp_path: Path) -> None:
    machine = orrery.local_machine(3)
    interrupted(lambda: orrery.measure_comm(machine, min_reps=1_000_000, max_reps=1_000_000, parallel="off"))
    assert workers_in_use() == 0


def test_ctrl_c_ends_a_program() -> None:
    program = (
        "import orrery\n"
        "model = orrery.read_model('examples/six-hosts.json')\n"
        "print('begin', flush=True)\n"
        "machine = orrery.simulated_machine(model, noise=0.5)\n"
        "orrery.measure_comm(machine, min_reps=20_000, max_reps=20_000)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "begin\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in errors
