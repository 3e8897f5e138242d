"""Writes extrap-3.json, the content of extrap.json in the layout of Extra-P 3, and checks that Extra-P 4.2.5 (PyPI:
extrap) reads the same measurements from both."""

import json
from pathlib import Path

HERE = Path(__file__).parent


def convert(new):
    """The lists of Extra-P 3; ids begin at 1."""
    points = []
    for metrics in new["measurements"].values():
        for values in metrics.values():
            points += [v["point"] for v in values if v["point"] not in points]
    paths = list(new["measurements"])
    metrics = sorted({metric for all in new["measurements"].values() for metric in all})
    measurements = [
        {"callpath_id": paths.index(path) + 1, "coordinate_id": points.index(entry["point"]) + 1,
         "metric_id": metrics.index(metric) + 1, "value": value}
        for path, all in new["measurements"].items() for metric, entries in all.items()
        for entry in entries for value in entry["values"]
    ]
    pairs = lambda point: [{"parameter_id": i + 1, "parameter_value": v} for i, v in enumerate(point)]
    named = lambda names: [{"id": i + 1, "name": name} for i, name in enumerate(names)]
    return {
        "callpaths": named(paths),
        "coordinates": [{"id": i + 1, "parameter_value_pairs": pairs(point)[::-1]} for i, point in enumerate(points)],
        "measurements": [{"id": i + 1} | entry for i, entry in enumerate(measurements)],
        "metrics": named(metrics),
        "parameters": named(new["parameters"]),
    }


def measurements(path):
    from extrap.fileio.file_reader.json_file_reader import JsonFileReader

    experiment = JsonFileReader().read_experiment(path)
    return {
        (callpath.name, metric.name, tuple(m.coordinate)): (m.mean, m.minimum, m.maximum)
        for (callpath, metric), all in experiment.measurements.items() for m in all
    }


if __name__ == "__main__":
    old = HERE / "extrap-3.json"
    old.write_text(json.dumps(convert(json.loads((HERE / "extrap.json").read_text())), indent=1) + "\n")
    assert measurements(old) == measurements(HERE / "extrap.json"), "Extra-P reads other values"
    print("written and read by Extra-P with equal measurements")
