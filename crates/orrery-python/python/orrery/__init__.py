"""Performance models of clusters: measure once, then ask how long, how best, how sure.

Every result is a table that pandas, Polars and PyArrow read without copies, by the Arrow PyCapsule interface:
``pandas.DataFrame.from_arrow(table)``, ``polars.DataFrame(table)``, ``pyarrow.table(table)``. Times are in seconds,
sizes in bytes. The functions are the verbs of the command ``orrery``.
"""

from orrery._errors import Error, FileError, InputError, InternalError, MachineError, OrreryWarning
from orrery._native import (
    Column,
    Model,
    Predictions,
    Runs,
    Samples,
    Simulation,
    Table,
    Trace,
    Validation,
    __version__,
    choose_collective,
    choose_order,
    explain,
    fit,
    predict,
    read_model,
    read_runs,
    read_samples,
    read_trace,
    simulate,
    validate,
)

__all__ = [
    "Column",
    "Error",
    "FileError",
    "InputError",
    "InternalError",
    "MachineError",
    "Model",
    "OrreryWarning",
    "Predictions",
    "Runs",
    "Samples",
    "Simulation",
    "Table",
    "Trace",
    "Validation",
    "__version__",
    "choose_collective",
    "choose_order",
    "explain",
    "fit",
    "predict",
    "read_model",
    "read_runs",
    "read_samples",
    "read_trace",
    "simulate",
    "validate",
]
