"""The verbs: what the command does, with the same results."""

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import orrery


def test_campaigns_are_those_of_the_command(samples: orrery.Samples, collectives: orrery.Samples) -> None:
    # The readme shows the same campaigns.
    assert len(samples) == 1197
    assert pl.DataFrame(samples).select("experiment", "i", "j", "k", "size", "reply", "count", "set").unique().height == 193
    assert samples.processors == 6
    assert samples.provenance["truth"].endswith("six-hosts.json,model=lmo")
    assert set(pl.DataFrame(collectives)["root"]) == set(range(6))


def test_a_fit_returns_the_true_parameters(truth: orrery.Model) -> None:
    exact = orrery.measure_comm(orrery.simulated_machine(truth))
    fitted = orrery.fit(exact, models="lmo")
    key = ["parameter", "i", "j"]
    both = pl.DataFrame(truth).join(pl.DataFrame(fitted), on=key, nulls_equal=True)
    assert both.height == len(truth) == len(fitted)
    # Byte delays of processors and links are read from small differences.
    assert np.allclose(both["value"], both["value_right"], rtol=1e-6, atol=1e-13)


def test_a_fit_with_noise_has_intervals(model: orrery.Model) -> None:
    frame = pl.DataFrame(model)
    assert model.kinds == ["hockney", "hockney-mean", "lmo"]
    assert frame.filter(pl.col("model") == "lmo").select((pl.col("low") <= pl.col("value")).all()).item()
    assert any("lmo: converged" in note for note in model.notes)
    residuals = model.residuals
    assert residuals is not None and set(residuals["operation"].to_list()) == {"roundtrip", "one-to-two"}


def test_a_fit_to_some_hosts_of_each_class_is_the_model_of_all(samples: orrery.Samples, tmp_path: Path) -> None:
    text = tmp_path / "samples.csv"
    samples.write(text)
    first, rest = text.read_text().split("\n", 1)
    classes = " ".join(f"{host}=1" for host in [*samples.provenance["hosts"].split(), "further"])
    text.write_text(f"{first}\n# all-hosts: {classes}\n{rest}")
    model = orrery.fit(orrery.read_samples(text), models="lmo")
    assert (samples.processors, model.processors) == (6, 7)


def test_predictions_are_those_of_the_readme(model: orrery.Model) -> None:
    predicted = orrery.predict(model, "scatter", "1K,16K", models="lmo")
    assert predicted["algorithm"].to_list() == ["linear", "linear", "binomial", "binomial"]
    assert np.allclose(predicted.seconds, [254e-6, 1.65e-3, 303e-6, 1.99e-3], rtol=0.005)
    assert np.all(predicted.low < predicted.seconds) and np.all(predicted.seconds < predicted.high)
    assert predicted.sizes.tolist() == [1024, 16384] * 2


@pytest.mark.parametrize(
    "sizes", [[1024, 4096], (1024, 4096), np.array([1024, 4096]), np.array([1024, 4096], dtype=np.uint64),
              np.array([1024, 4096], dtype=np.int16), np.array([1024.0, 4096.0]), pl.Series([1024, 4096]), "1K,4K",
              np.array([1024, 0, 4096, 0])[::2]],
)  # fmt: skip
def test_sizes_of_all_kinds(model: orrery.Model, sizes: object) -> None:
    predicted = orrery.predict(model, "p2p", sizes, models="lmo", from_=1, to=4)
    assert predicted.sizes.tolist() == [1024, 4096]
    assert predicted.seconds[0] < predicted.seconds[1]


@pytest.mark.parametrize(
    "operation",
    ["scatter", "gather", "allgather", "alltoall", "bcast", "reduce", "allreduce", "reduce-scatter", "scan", "exscan"],
)
def test_every_collective_is_predicted(truth: orrery.Model, operation: str) -> None:
    predicted = orrery.predict(truth, operation, [1, 1 << 12, 1 << 16], algorithms="all", procs=4)
    assert len(predicted) % 3 == 0
    times = predicted.seconds.reshape(-1, 3)
    assert np.all(np.diff(times, axis=1) >= 0), "a cost grows with the size"


def test_a_barrier_has_no_size(truth: orrery.Model) -> None:
    assert set(orrery.predict(truth, "barrier").sizes) == {0}


def test_the_terms_of_a_prediction_add_up(model: orrery.Model) -> None:
    terms = orrery.explain(model, "scatter", "16K", models="lmo", algorithm="linear")
    time = orrery.predict(model, "scatter", "16K", models="lmo", algorithms="linear").seconds[0]
    assert np.isclose(np.sum(terms["seconds"]), time)
    assert terms["parameter"].to_list()[0] == "link_byte_delay"


def test_validation_ranks_models(model: orrery.Model, collectives: orrery.Samples) -> None:
    validation = orrery.validate(model, collectives)
    summary = pl.DataFrame(validation.summary).filter(pl.col("operation") == "all")
    errors = dict(zip(summary["model"], summary["mean_error"], strict=True))
    assert errors["lmo"] < 0.02 < 0.3 < errors["hockney"]
    assert validation.ranking["model"].to_list()[0] == "lmo"
    assert len(validation) == 3 * 72


def test_held_out_sizes_are_ranked_and_seen_ones_are_marked(truth: orrery.Model, tmp_path: Path) -> None:
    machine = orrery.simulated_machine(truth, noise=0.02)
    files = [tmp_path / "comm.csv", tmp_path / "collectives.csv"]
    orrery.measure_comm(machine, output=files[0])
    orrery.measure_collectives(machine, sizes="1K,4K,16K", output=files[1])
    samples = orrery.read_samples(files)
    validation = orrery.validate(orrery.fit(samples, models="hockney", hold_out="4K"), samples)
    rows = pl.DataFrame(validation).filter(pl.col("operation").is_in(["scatter", "gather"]))
    assert set(rows.filter(~pl.col("seen"))["size"]) == {4096}
    assert pl.DataFrame(validation.ranking)["seen"].to_list() == [False, False]
    validation = orrery.validate(orrery.fit(samples, models="hockney"), samples)
    assert pl.DataFrame(validation.ranking)["seen"].to_list() == [True, True]
    assert set(pl.DataFrame(validation)["seen"]) == {True}


def test_the_fastest_algorithm_is_chosen(model: orrery.Model) -> None:
    ranges = orrery.choose_collective(model, "scatter", models="lmo", sizes="1..1M")
    assert ranges["from"].to_list()[0] == 1 and ranges["to"].to_list()[-1] == 1 << 20
    algorithms, froms = ranges["algorithm"].to_list(), ranges["from"].to_list()
    fastest = orrery.predict(model, "scatter", [froms[0]], models="lmo", algorithms="all")
    best = fastest["algorithm"].to_list()[int(np.argmin(fastest.seconds))]
    assert algorithms[0] == best
    roots = orrery.choose_collective(model, "gather", models="lmo", root="all", exact=True)
    assert set(roots["root"].to_list()) <= set(range(6))


def test_an_order_is_no_slower(model: orrery.Model) -> None:
    order = orrery.choose_order(model, "bcast", "binomial", "64K", models="lmo")
    assert len(order) == 1
    in_rank_order = orrery.predict(model, "bcast", "64K", models="lmo", algorithms="binomial").seconds[0]
    assert np.isclose(order["in_rank_order"].to_list()[0], in_rank_order)
    assert order["ordered"].to_list()[0] <= in_rank_order


def test_a_trace_is_simulated(truth: orrery.Model) -> None:
    trace = orrery.read_trace("examples/ring.tit")
    assert trace.ranks == 4
    assert set(trace["action"].to_list()) >= {"send", "irecv", "compute"}
    on_cluster = orrery.simulate(trace, "examples/cluster.toml", conflicts=True)
    assert on_cluster.seconds > 0 and len(on_cluster) == 4
    assert on_cluster.conflicts is not None and len(on_cluster.events) == 0
    on_model = orrery.simulate(trace, truth, speed=1e9, events=True)
    assert on_model.conflicts is None
    assert on_model.seconds == max(on_model["seconds"].to_list())
    assert "examples/ring.tit:9:1" in on_model.events["place"].to_list()


def test_what_a_cluster_file_does_not_say_is_named(tmp_path: Path) -> None:
    trace = orrery.read_trace("examples/ring.tit")
    text = Path("examples/cluster.toml").read_text().split("[links.memory]")[0].replace('latency = "50us"', "")
    bare = tmp_path / "bare.toml"
    bare.write_text(text)
    with pytest.warns(orrery.OrreryWarning, match="has no latency: 0 is taken") as spread:
        orrery.simulate(trace, bare)
    assert len(spread) == 1
    with pytest.warns(orrery.OrreryWarning) as shared:
        orrery.simulate(trace, bare, placement="rrp")
    assert len(shared) == 2 and any("links.memory is missing" in str(one.message) for one in shared)


def test_files_read_back(samples: orrery.Samples, model: orrery.Model, tmp_path: Path) -> None:
    samples.write(tmp_path / "samples.csv.zst")
    again = orrery.read_samples(tmp_path / "samples.csv.zst")
    assert pl.DataFrame(again).equals(pl.DataFrame(samples))
    model.write(tmp_path / "model.json")
    assert pl.DataFrame(orrery.read_model(tmp_path / "model.json")).equals(pl.DataFrame(model))
    model.write(tmp_path / "model.json", force=True)
    with pytest.warns(orrery.OrreryWarning, match="1197 readings are also in earlier files"):
        twice = orrery.read_samples([tmp_path / "samples.csv.zst"] * 2)
    assert len(twice) == len(samples), "equal readings are used once"


def test_readings_are_written_while_they_are_taken(truth: orrery.Model, tmp_path: Path) -> None:
    path = tmp_path / "samples.csv"
    measured = orrery.measure_comm(orrery.simulated_machine(truth), output=path)
    assert pl.DataFrame(orrery.read_samples(path)).equals(pl.DataFrame(measured))


def test_runs_have_their_variables_as_columns() -> None:
    runs = orrery.read_runs("crates/orrery-python/tests/runs.json")
    assert {"n", "seconds"} <= set(runs.column_names)
    assert len(runs) == 3 and np.asarray(runs["seconds"]).min() > 0


def region(name: str, variable: str, power: float, value: float) -> str:
    factors = f'[{{"variable":"{variable}","power":{power},"logs":0}}]'
    return (
        f'{{"region":"{name}","method":"terms","family":"general","runs":5,"points":5,'
        f'"ranges":{{"processes":[8.0,128.0]}},"coefficients":'
        f'[{{"term":{factors},"role":"computation","value":{value}}}]}}'
    )


def test_applications_are_forecast_and_their_regions_ranked(tmp_path: Path) -> None:
    path = tmp_path / "app.json"
    regions = [region("main->update", "processes", -1.0, 640.0), region("main->output", "processes", 1.0, 0.004)]
    path.write_text('{"format":"orrery-model","version":1,"models":{"application":{"regions":[' + ",".join(regions) + "]}}}")
    model = orrery.read_model(path)
    times = orrery.predict_application(model, {"processes": [256, 1024]}, region="main->output")
    assert np.asarray(times["seconds"]) == pytest.approx([1.024, 4.096])
    ranked = orrery.rank_regions(model, {"processes": 1024}, rank_by="growth")
    assert pl.DataFrame(ranked)["region"].to_list() == ["main->output", "main->update"]
    assert np.asarray(ranked["share"])[0] == pytest.approx(4.096 / 4.721)
    with pytest.raises(orrery.InputError, match="no variable of this name"):
        orrery.rank_regions(model, {"nodes": 4})
    with pytest.raises(orrery.InputError, match="the values give 2"):
        orrery.rank_regions(model, {"processes": [4, 8]})


def test_forecasts_over_two_variables_are_a_table_and_a_map(tmp_path: Path) -> None:
    path = tmp_path / "app.json"
    factors = ",".join(f'{{"variable":"{name}","power":1,"logs":0}}' for name in ["n", "processes"])
    terms = f'[{{"term":[{factors}],"role":"computation","value":0.01}}]'
    points = [(n, processes) for n in (10, 20) for processes in (4, 8)]
    runs = ",".join(
        f'{{"region":"main","variables":{{"n":{n},"processes":{processes}}},"seconds":[{0.01 * n * processes}]}}'
        for n, processes in points
    )
    path.write_text(
        '{"format":"orrery-model","version":1,"models":{"application":{"regions":[{"region":"main","method":"terms","family":"general",'
        f'"runs":4,"points":4,"ranges":{{"n":[10,20],"processes":[4,8]}},"coefficients":{terms}}}],"measured":[{runs}]}}}}}}'
    )
    table = orrery.forecast_map(orrery.read_model(path))
    rows = pl.DataFrame(table)
    assert rows.height == 16 and rows["measured"].null_count() == 12
    assert rows.filter(n=80, processes=32)["seconds"].to_list() == pytest.approx([25.6])
    assert "Predicted time over n and processes" in table._repr_html_()
    with pytest.raises(orrery.InputError, match="no region"):
        orrery.forecast_map(orrery.read_model(path), region="other")


def test_local_processes_are_measured() -> None:
    with warnings.catch_warnings():
        # Hosts with few cores have workers that share them.
        warnings.simplefilter("ignore", orrery.OrreryWarning)
        measured = orrery.measure_comm(orrery.local_machine(3), min_reps=3, max_reps=3, parallel="off")
        fitted = orrery.fit(measured)
    assert measured.processors == 3 and measured.provenance["machine"].startswith("local")
    assert np.asarray(measured["seconds"]).min() > 0
    assert "hockney" in fitted.kinds


def test_ranks_of_each_host_are_measured_and_selected(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.toml"
    hosts = '[[hosts]]\nnames = "node-[0-1]"\nkind = "equal"\ncores = 2\nspeed = "1Gf"\nfixed_delay = "200us"\nbyte_delay = "5ns"\n'
    cluster.write_text(hosts + '[links]\nbandwidth = "10MBps"\nlatency = "200us"\n')
    machine = orrery.local_machine(cluster, ppn=2)
    assert "2 processes on each host" in repr(machine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", orrery.OrreryWarning)
        measured = orrery.measure_comm(machine, min_reps=3, max_reps=3, parallel="off")
    assert measured.processors == 4
    model = orrery.fit(measured, models="hockney")
    first, second = sorted(set(model.hosts))
    assert model.hosts == [first, first, second, second]
    part = model.with_ranks_per_host(1)
    assert part.hosts == [first, second]
    of_all = orrery.predict(model, "p2p", [1024], models="hockney", from_=0, to=2)
    assert orrery.predict(part, "p2p", [1024], models="hockney").seconds[0] == of_all.seconds[0]
