"""The present load: conditions from files and services, and the functions of FAST on idle hosts and under conditions."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import polars as pl
import pytest

import orrery

NOW = Path("examples/now.json")


@pytest.fixture
def idle() -> orrery.Model:
    """Four equal hosts on Gigabit Ethernet, with the kernel dgemm."""
    return orrery.read_model("examples/four-hosts.json")


@pytest.fixture
def conditions() -> orrery.Conditions:
    """n3 has half of a processor, the link from n2 to n3 less than half of its bandwidth."""
    return orrery.read_conditions(NOW)


def test_conditions_are_a_table(conditions: orrery.Conditions) -> None:
    frame = pl.DataFrame(conditions)
    assert len(conditions) == frame.height == 11
    available = frame.filter(quantity="availability", host="n3").row(0, named=True)
    assert (available["value"], available["low"], available["high"], available["age"]) == (0.5, 0.45, 0.55, 3)
    disk = frame.filter(quantity="disk_free").row(0, named=True)
    assert (disk["folder"], disk["unit"], disk["value"], disk["to"]) == ("/scratch", "B", 812e9, None)
    link = frame.filter(quantity="bandwidth", host="n2", to="n3").row(0, named=True)
    assert (link["value"], link["idle"], link["unit"]) == (47e6, 115e6, "B/s")
    assert (conditions.time, conditions.level) == (1772452800.0, 0.95)
    assert "<table" in conditions._repr_html_()


def test_a_path_has_latency_and_bandwidth(conditions: orrery.Conditions) -> None:
    path = conditions.path("n1", "n3")
    assert path.hosts == ["n1", "n2", "n3"] and not path.is_reversed
    assert path.latency is not None and path.bandwidth is not None
    assert path.latency.value == pytest.approx(62e-6 + 93e-6)
    assert path.latency.interval == pytest.approx((58e-6 + 71e-6, 69e-6 + 128e-6))
    assert path.latency.age == 11
    assert float(path.bandwidth) == 47e6 and path.bandwidth.interval == (39e6, 58e6)
    assert path.idle_latency == pytest.approx(123e-6) and path.idle_bandwidth == 115e6
    assert conditions.path("n3", "n1").is_reversed
    assert repr(path) == "<orrery.ConditionsOfPath along n1 n2 n3>"


def test_a_model_under_conditions(idle: orrery.Model, conditions: orrery.Conditions) -> None:
    now = conditions.apply(idle)
    assert now.availability == {"n1": 0.98, "n2": 0.97, "n3": 0.5, "n4": 1.0}
    assert idle.availability is None
    assert now.notes[0].startswith("the load of n4 (not monitored) is not known now: choices leave these hosts out")
    # Predictions of messages take the slower links, those of other pairs stay.
    def message(model: orrery.Model, to: int) -> float:
        return float(orrery.predict(model, "p2p", "1M", models="lmo", from_=1, to=to).seconds[0])

    assert message(now, 2) > 2 * message(idle, 2)
    assert message(now, 3) == message(idle, 3)
    assert now.with_ranks_per_host(1).availability == now.availability
    with pytest.raises(orrery.InputError, match="under conditions already"):
        conditions.apply(now)


def test_kernels(idle: orrery.Model, conditions: orrery.Conditions) -> None:
    now = conditions.apply(idle)
    best = orrery.kernel_time(idle, "dgemm", 1000, 1000, 64, host="n3")
    loaded = orrery.kernel_time(now, "dgemm", 1000, 1000, 64, host="n3")
    # 2e-10 s for each of m·n·k, and 2e-6 s.
    assert best.value == pytest.approx(2e-10 * 64e6 + 2e-6) and best.alarms == []
    assert loaded.value == pytest.approx(2 * best.value)
    assert best.interval is not None and loaded.interval is not None
    assert loaded.interval == pytest.approx((best.interval[0] / 0.55, best.interval[1] / 0.45))
    assert len(loaded.alarms) == 1 and loaded.alarms[0].startswith("load: n3 has 0.5 of a processor")
    outside = orrery.kernel_time(idle, "dgemm", 10, 1000, 64, host="n1", variant="nn", library="libopenblas.so.0")
    assert [alarm.split(":")[0] for alarm in outside.alarms] == ["dimension"]
    assert orrery.kernel_space(now, "dgemm", 1000, 1000, 64, host="n3") == 8 * (1000 * 64 * 2 + 1000 * 1000)


def test_routines(idle: orrery.Model, conditions: orrery.Conditions) -> None:
    now = conditions.apply(idle)
    best, loaded = (orrery.routine_time(model, "pdgemm", 2048) for model in (idle, now))
    assert 1.5 * best.value < loaded.value < 3 * best.value
    assert loaded.interval is not None and loaded.interval[0] < loaded.value < loaded.interval[1]
    assert any(alarm.startswith("load: ") for alarm in loaded.alarms)
    # Without n3, nobody waits for it.
    placed = orrery.routine_time(now, "pdgemm", 2048, k=64, grid=(1, 2), processors=[0, 1], kind="lmo")
    waiting = orrery.routine_time(now, "pdgemm", 2048, k=64, grid=(1, 2), processors=[0, 2], kind="lmo")
    assert placed.value < waiting.value
    space = orrery.routine_space(idle, "pdgemm", 2048)
    assert space == {host: 3 * 8 * 1024**2 for host in ("n1", "n2", "n3", "n4")}


def test_hosts_with_unknown_load(idle: orrery.Model, conditions: orrery.Conditions) -> None:
    now = conditions.apply(idle)
    free, known, unknown = (
        orrery.kernel_time(model, "dgemm", 1000, 1000, 64, host=host) for model, host in ((idle, "n4"), (now, "n1"), (now, "n4"))
    )
    assert free.interval is not None and known.interval is not None and unknown.interval is not None
    # The time is that without load; the interval reaches to a hundredth of the processor.
    assert unknown.value == free.value and unknown.interval == pytest.approx((free.interval[0], free.interval[1] / 0.01))
    assert [alarm.split(":")[0] for alarm in unknown.alarms] == ["unmonitored"]
    # A choice leaves the host out, and says so; its processors have the same time.
    chosen = pl.DataFrame(orrery.choose_grid(now, "pdgemm", 2048, blocks=[32, 64]))
    best = chosen.row(0, named=True)
    assert all(3 not in row for row in chosen["processors"].to_list())
    assert "excluded" in [alarm["alarm"] for alarm in best["alarms"]]
    rows, columns = (int(side) for side in best["grid"].split("x"))
    same = orrery.routine_time(now, "pdgemm", 2048, grid=(rows, columns), block=best["block"], processors=best["processors"])
    assert same.value == best["seconds"]
    everywhere = pl.DataFrame(orrery.choose_grid(now, "pdgemm", 2048, procs=[4], unmonitored=True, top=1))
    assert everywhere["processors"].to_list()[0][-1] == 3
    assert everywhere["high"][0] > 10 * everywhere["seconds"][0]
    with pytest.raises(orrery.InputError, match=r"procs 4: valid numbers of processes are 1 to 3; hosts whose load"):
        orrery.choose_grid(now, "pdgemm", 2048, procs=[4])


def test_connections(idle: orrery.Model, conditions: orrery.Conditions) -> None:
    now = conditions.apply(idle)
    assert orrery.latency(idle, 0, 2).value == pytest.approx(50e-6)
    # Per byte 0.1 ns at each end and 8 ns on the link.
    before = orrery.bandwidth(idle, 0, 2)
    assert before.value == pytest.approx(1 / 8.2e-9) and before.age is None
    after = orrery.bandwidth(now, 0, 2, size="1M", kind="lmo")
    assert after.value == pytest.approx(1 / (0.2e-9 + 8e-9 * 115 / 47))
    assert after.interval is not None and after.interval[0] < after.value < after.interval[1]
    assert repr(before).startswith("<orrery.Forecast 12195")


@contextmanager
def service(status: int, body: bytes) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A service on this host; gives its address and the requests with their tokens."""
    requests: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.path, self.headers["Authorization"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


def test_a_service_answers_as_its_file(conditions: orrery.Conditions, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("abc\n")
    token.chmod(0o600)
    with service(200, NOW.read_bytes()) as (url, requests):
        fetched = orrery.fetch_conditions(url, token_file=token)
    assert requests == [("/v1/conditions", "Bearer abc")]
    assert pl.DataFrame(fetched).equals(pl.DataFrame(conditions))


def test_a_service_that_fails(tmp_path: Path) -> None:
    with service(401, b'{"error": {"message": "no such token"}}') as (url, _):
        with pytest.raises(orrery.ServiceError, match="answered 401: no such token"):
            orrery.fetch_conditions(url)
    with pytest.raises(OSError, match="check that the service runs"):
        orrery.fetch_conditions(url)
    with service(200, b'{"format": "orrery-model"}') as (url, _):
        with pytest.raises(orrery.InputError, match="1:1: .*in place of conditions"):
            orrery.fetch_conditions(url)
    with pytest.raises(orrery.InputError, match="https://"):
        orrery.fetch_conditions("ftp://host")
    with pytest.raises(orrery.FileError, match="none"):
        orrery.fetch_conditions("http://127.0.0.1:9", token_file=tmp_path / "none")


WRONG: list[tuple[Callable[[orrery.Model, orrery.Conditions], object], str]] = [
    (lambda m, c: c.path("n1", "n4"), r"now\.json: no path of monitored links leads from n1 to n4"),
    (lambda m, c: c.apply(orrery.read_model("examples/six-hosts.json")), "monitored are n1, n2, n3"),
    (lambda m, c: orrery.read_conditions("examples/four-hosts.json"), "four-hosts.json:1:1: .*in place of conditions"),
    (lambda m, c: orrery.kernel_time(m, "dgemm", 10, 10, host="n1"), "dgemm needs k"),
    (lambda m, c: orrery.kernel_time(m, "dpotrf", 10, 10, host="n1"), "m does not apply to dpotrf"),
    (lambda m, c: orrery.kernel_time(m, "dgemm", -1, 10, 10, host="n1"), "m -1"),
    (lambda m, c: orrery.kernel_time(m, "dgemm", 0, 10, 10, host="n1"), "m is 0"),
    (lambda m, c: orrery.kernel_time(m, "dpotrf", n=10, host="n1"), "the model has no dpotrf"),
    (lambda m, c: orrery.kernel_time(m, "dgemm", 10, 10, 10, host="x"), "no dgemm nn for host x"),
    (lambda m, c: orrery.kernel_space(m, "dgemm", 10, 10, 10, host="n1", operands="hot"), "hot"),
    (lambda m, c: orrery.routine_time(m, "pdnone", 10), "pdnone"),
    (lambda m, c: orrery.routine_time(m, "pdpotrf", 10, m=10), "m does not apply to pdpotrf"),
    (lambda m, c: orrery.routine_time(m, "pdgemm", 10, grid=(-1, 2)), "grid"),
    (lambda m, c: orrery.routine_time(m, "pdgemm", 10, grid=(2, 4)), "has 8 processes, more than"),
    (lambda m, c: orrery.routine_time(m, "pdgemm", 10, processors=[0]), "these are 1, but"),
    (lambda m, c: orrery.routine_time(m, "pdgemm", 10, processors=[0, 1, 2, 9]), "processors 9"),
    (lambda m, c: orrery.routine_time(m, "pdgemm", 10, processors=[0, 1, 2, 2]), "same processor"),
    (lambda m, c: orrery.routine_space(m, "pdgemm", 10, block=0), "block"),
    (lambda m, c: orrery.latency(m, 0, 0), "must differ"),
    (lambda m, c: orrery.latency(m, 0, 4), "to 4"),
    (lambda m, c: orrery.latency(m, 0, 1, kind="hockney"), "the model has no hockney"),
    (lambda m, c: orrery.bandwidth(m, 0, 1, size=1), "at least 2 bytes"),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[words for _, words in WRONG])
def test_wrong_input_is_a_value_error(
    idle: orrery.Model, conditions: orrery.Conditions, call: Callable[[orrery.Model, orrery.Conditions], object], words: str
) -> None:
    with pytest.raises(orrery.InputError, match=words):
        call(idle, conditions)
