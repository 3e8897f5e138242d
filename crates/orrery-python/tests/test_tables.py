"""Tables: the same memory in NumPy, Polars, PyArrow and pandas, and equal values."""

import gc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import orrery


def address(column: object) -> int:
    return int(np.asarray(column).__array_interface__["data"][0])


@pytest.fixture(params=["samples", "model", "predictions"])
def table(request: pytest.FixtureRequest, model: orrery.Model) -> orrery.Table:
    if request.param == "predictions":
        return orrery.predict(model, "scatter", "1K..16K")
    return request.getfixturevalue(request.param)


def number_columns(table: orrery.Table) -> list[str]:
    return [name for name in table.column_names if name in ("seconds", "size", "low", "value", "launch")]


def test_pyarrow_shares_the_memory(table: orrery.Table) -> None:
    arrow = pa.table(table)
    arrow.validate(full=True)
    assert arrow.column_names == table.column_names
    assert arrow.num_rows == len(table) > 0
    shared = [name for name in number_columns(table) if table[name].null_count == 0]
    assert shared
    for name in shared:
        assert arrow[name].chunk(0).buffers()[1].address == address(table[name])


def test_polars_shares_the_memory(table: orrery.Table) -> None:
    frame = pl.DataFrame(table)
    assert frame.shape == (len(table), len(table.column_names))
    for name in number_columns(table):
        if table[name].null_count == 0:
            assert address(frame[name].to_numpy(allow_copy=False)) == address(table[name])


def test_pandas_shares_the_memory(table: orrery.Table) -> None:
    frame = pa.table(table).to_pandas(types_mapper=pd.ArrowDtype)
    for name in number_columns(table):
        if table[name].null_count == 0:
            own = frame[name].array.__arrow_array__().chunk(0).buffers()[1].address
            assert own == address(table[name])
    assert pd.DataFrame.from_arrow(table).shape == frame.shape


def test_numpy_views_cannot_be_written_to(samples: orrery.Samples) -> None:
    view = np.asarray(samples["seconds"])
    assert view.dtype == np.float64 and not view.flags.writeable and not view.flags.owndata
    assert np.array_equal(view, samples["seconds"].to_list())
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0


def test_memory_lives_as_long_as_it_is_used(truth: orrery.Model) -> None:
    predictions = orrery.predict(truth, "p2p", np.arange(1000))
    view, frame, arrow = predictions.seconds, pl.DataFrame(predictions), pa.table(predictions)
    expected = view.copy()
    del predictions
    gc.collect()
    np.empty(1000).fill(7.0)
    assert np.array_equal(view, expected)
    assert np.array_equal(frame["seconds"].to_numpy(), expected)
    assert np.array_equal(arrow["seconds"].to_numpy(), expected)


def test_capsules_that_nobody_reads_release_their_memory(samples: orrery.Samples) -> None:
    import resource

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(200):
        samples.__arrow_c_stream__(), samples.__arrow_c_array__()
    before = peak()
    for _ in range(20_000):
        samples.__arrow_c_stream__(), samples.__arrow_c_array__(), samples.__arrow_c_schema__()
    assert peak() - before < 20_000, "kilobytes of memory were kept"


def test_all_types_of_columns_arrive(model: orrery.Model) -> None:
    beyond = orrery.predict(model, "scatter", "1M", models="lmo")
    rows = pa.table(beyond).to_pylist()
    assert rows[0]["extrapolated"] is True
    assert {alarm["alarm"] for alarm in rows[0]["alarms"]} >= {"size", "unmeasured"}
    assert rows == pl.DataFrame(beyond).to_dicts()
    for name in beyond.column_names:
        assert beyond[name].to_list() == pa.table(beyond)[name].to_pylist()


def test_missing_values_are_missing(truth: orrery.Model, samples: orrery.Samples) -> None:
    frame = pl.DataFrame(truth)
    assert frame["low"].null_count() == len(truth), "a model without intervals"
    one_to_two = pl.DataFrame(samples).filter(pl.col("experiment") == "one-to-two")
    assert one_to_two["k"].null_count() == 0 and one_to_two["root"].null_count() == len(one_to_two)
    with pytest.raises(BufferError, match="missing"):
        memoryview(samples["k"])


def test_empty_tables_have_columns(truth: orrery.Model) -> None:
    empty = truth.thresholds
    assert len(empty) == 0
    assert pa.table(empty).num_columns == pl.DataFrame(empty).width == len(empty.column_names) > 0


def test_unknown_columns_are_named(samples: orrery.Samples) -> None:
    with pytest.raises(KeyError, match="there is no column .*seconds"):
        samples["time"]


def test_columns_are_arrow_arrays(samples: orrery.Samples) -> None:
    column = samples["experiment"]
    assert pa.array(column).to_pylist() == column.to_list()
    assert set(column.to_list()) >= {"roundtrip", "one-to-two"}
    assert repr(column) == f'<orrery.Column "experiment" of {len(samples)} values>'
