"""Writes talpas.txt, the content of extrap.jsonl in the format of TaLPas, and checks that Extra-P 4.2.5 (PyPI: extrap)
reads the same measurements from both."""

import json
from pathlib import Path

HERE = Path(__file__).parent


def lines(text):
    """A line for each value, with semicolons between the keys."""
    for line in text.splitlines():
        entry = json.loads(line)
        for value in entry["value"]:
            keys = {"parameters": entry["params"], "metric": entry["metric"], "callpath": entry["callpath"], "value": value}
            pairs = (f"{json.dumps(key)}:{json.dumps(content, separators=(',', ':'))}" for key, content in keys.items())
            yield "{" + ";".join(pairs) + "}\n"


def measurements(experiment):
    names = [parameter.name for parameter in experiment.parameters]
    return {
        (callpath.name, metric.name, frozenset(zip(names, m.coordinate))): (m.mean, m.minimum, m.maximum)
        for (callpath, metric), all in experiment.measurements.items() for m in all
    }


if __name__ == "__main__":
    from extrap.fileio.file_reader.jsonlines_file_reader import read_jsonlines_file
    from extrap.fileio.file_reader.talpas_file_reader import TalpasFileReader

    path = HERE / "talpas.txt"
    path.write_text("".join(lines((HERE / "extrap.jsonl").read_text())))
    found = measurements(TalpasFileReader().read_experiment(path))
    assert found == measurements(read_jsonlines_file(HERE / "extrap.jsonl")), "Extra-P reads other values"
    print(f"{len(found)} points written and read by Extra-P with equal measurements")
