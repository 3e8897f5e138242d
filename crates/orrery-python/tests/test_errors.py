"""Errors: exceptions of the right class whose text says what is wrong and where."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import orrery


def test_classes_have_two_bases() -> None:
    for own, builtin in [
        (orrery.InputError, ValueError),
        (orrery.FileError, OSError),
        (orrery.MachineError, OSError),
        (orrery.ServiceError, OSError),
        (orrery.InternalError, RuntimeError),
    ]:
        assert issubclass(own, orrery.Error) and issubclass(own, builtin)


def test_a_missing_file() -> None:
    with pytest.raises(orrery.FileError, match="none.json: cannot read the model file: .*check the name"):
        orrery.read_model("none.json")
    with pytest.raises(OSError):
        orrery.read_trace("none.tit")


def test_a_fault_has_its_position(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    text = Path("examples/six-hosts.json").read_text()
    path.write_text(text.replace('"fixed_delay"', '"fixed_dealy"', 1))
    with pytest.raises(orrery.InputError, match=r"model\.json:\d+:\d+: "):
        orrery.read_model(path)
    samples = tmp_path / "samples.csv"
    samples.write_text("experiment,seconds\nroundtrip,soon\n")
    with pytest.raises(ValueError, match=r"samples\.csv:\d+"):
        orrery.read_samples(samples)


def test_questions_have_a_budget_that_can_be_raised(truth: orrery.Model) -> None:
    sizes = range(1, 60_000)
    with pytest.raises(ValueError, match="its budget is 512 MiB"):
        orrery.predict(truth, "p2p", sizes, models="lmo", from_=0, to=1)
    orrery.limit_memory(1 << 30)
    try:
        assert len(orrery.predict(truth, "p2p", sizes, models="lmo", from_=0, to=1).seconds) == len(sizes)
    finally:
        orrery.limit_memory(0)


def test_existing_files_are_kept(model: orrery.Model, samples: orrery.Samples, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("precious\n")
    for write in (model.write, samples.write):
        with pytest.raises(orrery.FileError, match="this file exists and is not"):
            write(path)
    assert path.read_text() == "precious\n"


Call = Callable[[orrery.Model, orrery.Samples], object]

WRONG: list[tuple[Call, str]] = [
    (lambda m, s: orrery.predict(m, "p2p", "1K", models="lmo2"), "lmo2"),
    (lambda m, s: orrery.predict(m, "p2p", "1K", models="plogp"), "the model has no plogp; it has"),
    (lambda m, s: orrery.predict(m, "sprinkle", "1K"), "sprinkle"),
    (lambda m, s: orrery.predict(m, "p2p"), "p2p needs sizes"),
    (lambda m, s: orrery.predict(m, "p2p", "1Q"), "1Q"),
    (lambda m, s: orrery.predict(m, "p2p", [-1]), "sizes: -1"),
    (lambda m, s: orrery.predict(m, "p2p", [0.5]), "sizes: 0.5"),
    (lambda m, s: orrery.predict(m, "p2p", [float("nan")]), "sizes: NaN"),
    (lambda m, s: orrery.predict(m, "p2p", [1e300]), "sizes: 1"),
    (lambda m, s: orrery.predict(m, "p2p", np.zeros((2, 2))), "1 dimension"),
    (lambda m, s: orrery.predict(m, "p2p", ["a"]), "whole numbers"),
    (lambda m, s: orrery.predict(m, "p2p", "1K", from_=0, to=6), "to 6: valid ranks of 6 processors are 0 to 5"),
    (lambda m, s: orrery.predict(m, "p2p", "1K", from_=1, to=1), "must differ"),
    (lambda m, s: orrery.predict(m, "p2p", "1K", root=1), "collective operations only"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", to=1), "p2p only"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", procs=7), "procs 7"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", procs=-1), "procs -1"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", root=4, procs=3), "root 4"),
    (lambda m, s: orrery.predict(m, "allgather", "1K", root=0), "root does not apply to allgather"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", algorithms="rabenseifner"), "its algorithms are linear"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", segments=[0]), "at least 1 byte"),
    (lambda m, s: orrery.predict(m, "scatter", "1K", library="lam"), "lam"),
    (lambda m, s: orrery.explain(m, "scatter", "1K"), "name one, such as"),
    (lambda m, s: orrery.fit(s, level=1.0), "level 1"),
    (lambda m, s: orrery.fit(s, level=float("nan")), "level NaN"),
    (lambda m, s: orrery.fit(s, estimator="guess"), "paths, triplets"),
    (lambda m, s: orrery.fit(s, models="plogp"), "plogp|overhead|train"),
    (lambda m, s: orrery.fit(s, pair=(0, 6)), "pair 0-6: there is no processor 6"),
    (lambda m, s: orrery.fit(s, sizes="64K..1K"), "before it begins"),
    (lambda m, s: orrery.read_samples([]), "name one samples file"),
    (lambda m, s: orrery.choose_collective(m, "scatter", sizes=(0, 10)), "at least 1 byte"),
    (lambda m, s: orrery.choose_collective(m, "scatter", step=0), "at least 1 byte"),
    (lambda m, s: orrery.choose_collective(m, "scatter", root="some"), "root"),
    (lambda m, s: orrery.choose_collective(m, "scatter", keep="ring"), "keep ring|keep"),
    (lambda m, s: orrery.choose_order(m, "bcast", "binomial", [1], root=9), "root 9"),
    (lambda m, s: orrery.simulated_machine(m), "several kinds"),
    (lambda m, s: orrery.simulated_machine(m, kind="lmo", noise=-1), "noise"),
    (lambda m, s: orrery.local_machine(1), "workers 1"),
    (lambda m, s: orrery.local_machine(3, ppn=2), "ppn 2 is for a cluster file"),
    (lambda m, s: orrery.local_machine("examples/cluster.toml", ppn=0), "ppn 0"),
    (lambda m, s: m.with_ranks_per_host(0), "ppn 0"),
    (lambda m, s: m.with_ranks_per_host(2), "ppn 2"),
    (lambda m, s: orrery.measure_comm(orrery.simulated_machine(m, kind="lmo"), size=0), "above 0"),
    (lambda m, s: orrery.measure_comm(orrery.simulated_machine(m, kind="lmo"), min_reps=9, max_reps=3), "max_reps 3"),
    (lambda m, s: orrery.measure_comm(orrery.simulated_machine(m, kind="lmo"), max_reps=4294967295), "memory"),
    (lambda m, s: orrery.measure_comm(orrery.simulated_machine(m, kind="lmo"), warm_up=4294967295), "its first reading"),
    (lambda m, s: orrery.measure_comm(orrery.simulated_machine(m, kind="lmo"), max_time=-1), "max_time"),
    (lambda m, s: orrery.simulate(orrery.read_trace("examples/ring.tit"), m, network="lmo"), "give speed"),
    (lambda m, s: orrery.simulate(orrery.read_trace("examples/ring.tit"), m, speed=1e9), "name a kind of model"),
    (lambda m, s: orrery.simulate(orrery.read_trace("examples/ring.tit"), "examples/cluster.toml", network="x"), "x"),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[words for _, words in WRONG])
def test_wrong_input_is_a_value_error(
    model: orrery.Model, samples: orrery.Samples, call: Call, words: str
) -> None:
    with pytest.raises(orrery.InputError, match=words):
        call(model, samples)


def test_wrong_types_are_type_errors(model: orrery.Model) -> None:
    for call in (
        lambda: orrery.fit(model),  # type: ignore[arg-type]
        lambda: orrery.predict("model.json", "p2p", "1K"),  # type: ignore[arg-type]
        lambda: orrery.simulate(orrery.read_trace("examples/ring.tit"), 5),  # type: ignore[arg-type]
        lambda: orrery.Table(),
    ):
        with pytest.raises(TypeError):
            call()


def test_a_deadlock_names_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "app.tit"
    path.write_text("0 recv 1 0 10\n1 recv 0 0 10\n")
    with pytest.raises(orrery.InputError, match=r"deadlock: .*app\.tit:1:1"):
        orrery.simulate(orrery.read_trace(path), "examples/cluster.toml")


def test_remarks_are_warnings(samples: orrery.Samples, collectives: orrery.Samples, tmp_path: Path) -> None:
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    samples.write(first)
    collectives.write(second)
    text = second.read_text()
    second.write_text(text.replace("# truth: ", "# truth: other-"))
    with pytest.warns(orrery.OrreryWarning, match=r"b\.csv"):
        orrery.read_samples([first, second])


def test_a_time_limit_is_a_warning(truth: orrery.Model) -> None:
    with pytest.warns(orrery.OrreryWarning, match="time limit reached"):
        orrery.measure_comm(orrery.simulated_machine(truth, noise=1.0), max_time=1e-4)


def test_a_worker_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(orrery.MachineError, match="exited immediately"):
        orrery.measure_comm(orrery.local_machine(2))
