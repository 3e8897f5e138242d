"""The compiled part of the package."""

import sys
from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import CapsuleType, disjoint_base

__all__ = [
    "Column",
    "Conditions",
    "ConditionsOfPath",
    "Forecast",
    "Machine",
    "Model",
    "Predictions",
    "Runs",
    "Samples",
    "Simulation",
    "Table",
    "Trace",
    "Validation",
    "__version__",
    "bandwidth",
    "choose_collective",
    "choose_grid",
    "choose_order",
    "explain",
    "fetch_conditions",
    "fit",
    "forecast_map",
    "kernel_space",
    "kernel_time",
    "latency",
    "limit_memory",
    "limit_operations",
    "local_machine",
    "measure_collectives",
    "measure_comm",
    "predict",
    "predict_application",
    "rank_regions",
    "read_conditions",
    "read_model",
    "read_runs",
    "read_samples",
    "read_trace",
    "routine_space",
    "routine_time",
    "serve_worker",
    "simulate",
    "simulated_machine",
    "validate",
]

__version__: str

_Path: TypeAlias = str | PathLike[str]
_Paths: TypeAlias = _Path | Sequence[_Path]
# A text with commas, or several texts.
_Words: TypeAlias = str | Sequence[str]
_Size: TypeAlias = int | str
_Range: TypeAlias = str | tuple[int, int]
_Sizes: TypeAlias = int | str | Sequence[int] | NDArray[np.integer[Any]] | NDArray[np.floating[Any]]
_Root: TypeAlias = int | str | Sequence[int]

@final
class Column:
    """A column of a table. ``numpy.asarray(column)`` is a view of numbers; Arrow consumers read all types without copies."""

    @property
    def name(self) -> str:
        """The name."""
    @property
    def null_count(self) -> int:
        """The number of missing values."""
    def to_list(self) -> list[Any]:
        """The values as a list; missing ones are None."""
    def __len__(self) -> int: ...
    if sys.version_info >= (3, 12):
        def __buffer__(self, flags: int, /) -> memoryview: ...

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[CapsuleType, CapsuleType]: ...

@disjoint_base
class Table:
    """A table, whose columns Arrow consumers read without copies."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> Column: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType: ...
    def _repr_html_(self) -> str: ...

@final
class Samples(Table):
    """The readings of campaigns: a table with a row for each reading."""

    @property
    def processors(self) -> int:
        """The number of processors."""
    @property
    def provenance(self) -> dict[str, str]:
        """The origin of the readings."""
    def summary(self, level: float = 0.95) -> Table:
        """The statistics of each experiment."""
    def write(self, path: _Path, *, force: bool = False) -> None:
        """Writes the samples to a file; an existing one is replaced only with ``force``."""

@final
class Model(Table):
    """The models of a cluster: a table with a row for each parameter and its interval."""

    @property
    def kinds(self) -> list[str]:
        """The kinds of communication models."""
    @property
    def processors(self) -> int:
        """The number of processors."""
    @property
    def hosts(self) -> list[str]:
        """The host of each processor; empty if it is unknown."""
    @property
    def provenance(self) -> dict[str, str]:
        """The origin of the model."""
    @property
    def notes(self) -> list[str]:
        """What the fit reports, or what conditions do not say about hosts and links; empty for a model from a file."""
    @property
    def availability(self) -> dict[str, float] | None:
        """The part of a processor that other programs leave to a process, by host; None for a model without load."""
    @property
    def residuals(self) -> Table | None:
        """The residuals of the fit by operation; None for a model from a file."""
    @property
    def thresholds(self) -> Table:
        """The thresholds of linear scatter and gather."""
    def with_ranks_per_host(self, ppn: int) -> Model:
        """The model of the first ``ppn`` processors of each host."""
    def write(self, path: _Path, *, force: bool = False) -> None:
        """Writes the models to a file; an existing one is replaced only with ``force``."""

@final
class Forecast:
    """A forecast of a time, a latency or a bandwidth."""

    @property
    def value(self) -> float:
        """The expected value."""
    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of its interval; None if it is unknown."""
    @property
    def age(self) -> float | None:
        """The age of the oldest sample of monitoring in seconds; None for a value of a model."""
    @property
    def alarms(self) -> list[str]:
        """Reasons why it may not hold."""
    def __float__(self) -> float: ...

@final
class ConditionsOfPath:
    """The conditions of messages from one host to another, along a path of monitored links."""

    @property
    def hosts(self) -> list[str]:
        """The hosts from the sender to the receiver; two if the pair itself is monitored."""
    @property
    def latency(self) -> Forecast | None:
        """The sum of the latencies of the links in seconds; None if one is unknown."""
    @property
    def bandwidth(self) -> Forecast | None:
        """The smallest bandwidth of the links in bytes per second; None if one is unknown."""
    @property
    def idle_latency(self) -> float | None:
        """The sum of the latencies of idle links."""
    @property
    def idle_bandwidth(self) -> float | None:
        """The smallest bandwidth of idle links."""
    @property
    def is_reversed(self) -> bool:
        """True if a link was measured in the other direction only."""

@final
class Conditions(Table):
    """The present load of hosts and links: a table with a row for each monitored quantity."""

    @property
    def time(self) -> float:
        """When they were collected: seconds since 1970-01-01 UTC."""
    @property
    def level(self) -> float | None:
        """The level of the intervals; None if it is unknown."""
    def path(self, from_: str, to: str) -> ConditionsOfPath:
        """The conditions of messages from one host to another, along monitored links."""
    def apply(self, model: Model) -> Model:
        """The model under these conditions."""

@final
class Runs(Table):
    """Runs of an application: a table with a row for each run."""

    @property
    def provenance(self) -> dict[str, str]:
        """The program, the command and the sources that produced the runs."""

@final
class Trace(Table):
    """A trace: a table with the profile of each rank."""

    @property
    def ranks(self) -> int:
        """The number of ranks."""

@final
class Predictions(Table):
    """Predicted times: a table with a row for each prediction, by kind of model, then by algorithm, then by size."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The sizes in bytes."""
    @property
    def seconds(self) -> NDArray[np.float64]:
        """The predicted times in seconds."""
    @property
    def low(self) -> NDArray[np.float64]:
        """The lower ends of the intervals in seconds; not-a-number where there is no interval."""
    @property
    def high(self) -> NDArray[np.float64]:
        """The upper ends of the intervals in seconds."""

@final
class Validation(Table):
    """Measured and predicted times: a table with a row for each experiment and kind of model."""

    @property
    def summary(self) -> Table:
        """The errors of each kind of model by operation."""
    @property
    def native(self) -> Table:
        """The collective operations of the MPI library, whose algorithms are not known, beside the
        predictions of all algorithms."""
    @property
    def ranking(self) -> Table:
        """The kinds of models from the best to the worst."""

@final
class Simulation(Table):
    """A simulated run: a table with a row for each task."""

    @property
    def seconds(self) -> float:
        """The end of the last task in seconds."""
    @property
    def events(self) -> Table:
        """The operations that take time; empty unless they were requested."""
    @property
    def conflicts(self) -> Table | None:
        """The messages with their penalties and losses; None unless they were requested."""

@final
class Machine:
    """A machine to measure on. It starts when a campaign begins."""

def limit_memory(bytes: int) -> None:
    """Sets the memory that a number in an input, or the number of answers, may request; 0 for the default."""

def limit_operations(operations: int) -> None:
    """Sets the operations that a number in an input or an argument may request; 0 for the default."""

def read_samples(paths: _Paths) -> Samples:
    """Reads samples files into one."""

def read_model(path: _Path) -> Model:
    """Reads a model file."""

def read_conditions(path: _Path) -> Conditions:
    """Reads a file of conditions."""

def fetch_conditions(url: str, *, token_file: _Path | None = None, ca_file: _Path | None = None) -> Conditions:
    """Asks a service of ``orrery monitor serve`` for the present conditions."""

def read_runs(paths: _Paths) -> Runs:
    """Reads runs files into one."""

def read_trace(path: _Path, *, collectives: str | None = None) -> Trace:
    """Reads a trace: time-independent, an index of such traces, binary or GOAL."""

def local_machine(workers: int | _Path, *, ppn: int | None = None, time_limit: float = 30.0) -> Machine:
    """Worker processes on this host: a number of them, or the cluster file of a cluster that they emulate.

    Each host of a cluster has ``ppn`` processes, by default one.
    """

def simulated_machine(
    model: Model, *, noise: float = 0.0, seed: int = 1, kind: str | None = None, sharing: str | None = None
) -> Machine:
    """The processors of a model, whose parameters are then the truth."""

def measure_comm(
    machine: Machine,
    *,
    size: _Size | None = None,
    sizes: _Sizes | None = None,
    triplets: str = "spread",
    shared_links: bool = True,
    min_reps: int = 5,
    max_reps: int | None = None,
    eps: float = 0.025,
    level: float = 0.95,
    warm_up: int = 1,
    seed: int = 1,
    parallel: str = "auto",
    max_time: float | None = None,
    output: _Path | None = None,
    force: bool = False,
) -> Samples:
    """Measures round trips and one-to-two experiments, from which communication models are fitted."""

def measure_collectives(
    machine: Machine,
    *,
    operations: _Words | None = None,
    sizes: _Sizes | None = None,
    algorithms: _Words | None = None,
    segments: _Sizes | None = None,
    root: _Root | None = None,
    procs: int | None = None,
    min_reps: int = 5,
    max_reps: int | None = None,
    eps: float = 0.025,
    level: float = 0.95,
    warm_up: int = 1,
    seed: int = 1,
    max_time: float | None = None,
    output: _Path | None = None,
    force: bool = False,
) -> Samples:
    """Measures collective operations."""

def fit(
    samples: Samples,
    *,
    models: _Words | None = None,
    estimator: str = "paths",
    hockney: str = "regression",
    level: float = 0.95,
    collectives: bool = False,
    corrections: bool = True,
    thresholds: bool = True,
    pair: tuple[int, int] | None = None,
    sizes: _Range | None = None,
    hold_out: _Sizes | None = None,
) -> Model:
    """Fits models to samples."""

def predict(
    model: Model,
    operation: str,
    sizes: _Sizes | None = None,
    *,
    models: _Words | None = None,
    from_: int | None = None,
    to: int | None = None,
    algorithms: _Words | None = None,
    segments: _Sizes | None = None,
    root: int | None = None,
    procs: int | None = None,
    library: str | None = None,
) -> Predictions:
    """Predicts the times of messages (``p2p``) or of a collective operation."""

def predict_application(
    model: Model,
    values: dict[str, float | Sequence[float] | str | Sequence[str]],
    *,
    configuration: str | Sequence[str] | None = None,
    region: str | None = None,
    level: float = 0.95,
) -> Table:
    """Forecasts the times of runs of an application for all combinations of values.

    `values` has a number, a level of a category or a list for each variable."""

def forecast_map(model: Model, *, region: str | None = None, level: float = 0.95) -> Table:
    """Forecasts the times of a region over the two variables that vary most in its runs.

    The values are the measured ones, and twice and four times the largest. A notebook shows the heat map."""

def rank_regions(
    model: Model,
    values: dict[str, float | str],
    *,
    rank_by: Literal["share", "growth", "tree"] = "share",
    configuration: str | None = None,
    level: float = 0.95,
) -> Table:
    """Ranks all regions of an application at one point: time, interval, share of the time, and growth."""

def explain(
    model: Model,
    operation: str,
    size: _Size,
    *,
    models: _Words | None = None,
    from_: int | None = None,
    to: int | None = None,
    algorithm: str | None = None,
    root: int | None = None,
    procs: int | None = None,
) -> Table:
    """The terms of a predicted time along the critical path."""

def kernel_time(
    model: Model,
    kernel: str,
    m: int | None = None,
    n: int | None = None,
    k: int | None = None,
    *,
    host: str,
    variant: str | None = None,
    library: str | None = None,
    threads: int | None = None,
    operands: str | None = None,
) -> Forecast:
    """Predicts the time of a call of a kernel on a host, for the load of the model."""

def kernel_space(
    model: Model,
    kernel: str,
    m: int | None = None,
    n: int | None = None,
    k: int | None = None,
    *,
    host: str,
    variant: str | None = None,
    library: str | None = None,
    threads: int | None = None,
    operands: str | None = None,
) -> int:
    """The memory of a call of a kernel on a host in bytes."""

def routine_time(
    model: Model,
    routine: str,
    n: int,
    *,
    m: int | None = None,
    k: int | None = None,
    variant: str | None = None,
    grid: tuple[int, int] = (2, 2),
    block: int = 64,
    kind: str | None = None,
    processors: Sequence[int] | None = None,
) -> Forecast:
    """Predicts the time of a parallel routine on a grid of processes, for the load of the model."""

def routine_space(
    model: Model,
    routine: str,
    n: int,
    *,
    m: int | None = None,
    k: int | None = None,
    variant: str | None = None,
    grid: tuple[int, int] = (2, 2),
    block: int = 64,
    processors: Sequence[int] | None = None,
) -> dict[str, int]:
    """The memory of the operands of a parallel routine on each host in bytes."""

def latency(model: Model, from_: int, to: int, *, kind: str | None = None) -> Forecast:
    """The latency from one processor to another in seconds."""

def bandwidth(
    model: Model, from_: int, to: int, *, size: _Size | None = None, kind: str | None = None
) -> Forecast:
    """The bandwidth from one processor to another in bytes per second."""

def validate(model: Model, samples: Samples, *, models: _Words | None = None, level: float = 0.95) -> Validation:
    """Compares the times of samples with the predictions of a model."""

def choose_collective(
    model: Model,
    operation: _Words,
    *,
    sizes: _Range | None = None,
    models: _Words | None = None,
    algorithms: _Words | None = None,
    segments: _Sizes | None = None,
    root: _Root | None = None,
    procs: int | None = None,
    step: int = 1,
    exact: bool = False,
    keep: str | None = None,
) -> Table:
    """Chooses the algorithm and the root of collective operations: a row for each range of sizes."""

def choose_grid(
    model: Model,
    routine: str,
    n: int,
    *,
    m: int | None = None,
    k: int | None = None,
    variant: str | None = None,
    blocks: Sequence[int] | None = None,
    procs: Sequence[int] | None = None,
    memory: _Size | None = None,
    kind: str | None = None,
    unmonitored: bool = False,
    top: int = 12,
) -> Table:
    """Chooses the grid of a parallel routine under the conditions of the model: a row for each grid, the fastest first."""

def choose_order(
    model: Model,
    operation: str,
    algorithm: str,
    sizes: _Sizes | None = None,
    *,
    models: _Words | None = None,
    root: int | None = None,
    procs: int | None = None,
) -> Table:
    """Chooses the order of processors in the tree of a collective operation."""

def simulate(
    trace: Trace,
    platform: Model | _Path,
    *,
    network: str | None = None,
    placement: str | None = None,
    speed: float | None = None,
    eager: _Size | None = None,
    buffer: _Size | None = None,
    events: bool = False,
    conflicts: bool = False,
) -> Simulation:
    """Simulates a trace on a model, or on the cluster of a file."""

def serve_worker() -> bool:
    """Serves as a worker of a local machine until it ends; returns false if this process is none."""
