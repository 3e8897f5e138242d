"""Writes experiments/*.extra-p by Extra-P 4.2.5 (PyPI: extrap), with models, and experiments/expected.csv: the values
that Extra-P reads from them, or that it was given if it did not keep them.

  values.extra-p      extrap --text --keep-values --save-experiment values.extra-p extrap.txt
  statistics.extra-p  the same without --keep-values
  five.extra-p        five repetitions of one parameter, without values
  profiles.extra-p    extrap --cube --keep-values … profiles: an array of threads for each repetition
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "experiments"
COLUMNS = ["mean", "median", "minimum", "maximum", "std"]


def write(name, source, *options):
    command = [Path(sys.executable).parent / "extrap", *options, "--disable-progress"]
    command += ["--save-experiment", FOLDER / name, source]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def repetitions():
    """The values of five.extra-p by point."""
    draw = random.Random(1)
    return {p: [round(draw.gauss(100 / p + p, 0.2), 3) for _ in range(5)] for p in (2, 4, 8, 16, 32)}


def expected(path):
    from extrap.fileio.experiment_io import read_experiment

    experiment = read_experiment(path)
    for (callpath, metric), measurements in experiment.measurements.items():
        for measurement in measurements:
            point = " ".join(f"{number:g}" for number in measurement.coordinate)
            if measurement.values is not None:
                # Each repetition, of profiles the slowest thread.
                values = [value.max() for value in measurement.values]
            elif path.name == "five.extra-p":
                values = repetitions()[measurement.coordinate[0]]
            else:
                # The two repetitions.
                values = [measurement.minimum, measurement.maximum]
            for value in values:
                yield f'{path.name},"{callpath.name}",{metric.name},{point},{value:.15g}\n'


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write("values.extra-p", HERE / "extrap.txt", "--text", "--keep-values")
    write("statistics.extra-p", HERE / "extrap.txt", "--text")
    write("profiles.extra-p", HERE / "profiles", "--cube", "--keep-values")
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "five.txt"
        points = repetitions()
        data = "".join("DATA " + " ".join(map(str, values)) + "\n" for values in points.values())
        text.write_text(f"PARAMETER p\nPOINTS {' '.join(map(str, points))}\nREGION main\nMETRIC time\n{data}")
        write("five.extra-p", text, "--text")
    lines = [line for path in sorted(FOLDER.glob("*.extra-p")) for line in expected(path)]
    (FOLDER / "expected.csv").write_text("file,callpath,metric,point,seconds\n" + "".join(lines))
