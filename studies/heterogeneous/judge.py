#!/usr/bin/env python3
"""Judges the configurations that a model of small problems chooses by the measured times of every configuration.

usage: judge.py ORRERY FOLDER   (FOLDER has small.json and the measured runs SIZE.json of each size)

Prints, as table 4 of Kishimoto and Ichikawa (2004): the chosen configuration with its forecast and measured time, the fastest measured
one (means of the passes), the error of the forecast, and the loss of the choice. The exit status is 1 if a loss exceeds 5 %.
"""

import collections
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
MAX_LOSS = 0.05


def name(configuration):
    """The notation of a configuration: kind=elements×processes."""
    return ",".join(f"{kind}={one['elements']}x{one['processes']}" for kind, one in sorted(configuration.items()))


def main(orrery, folder):
    folder = pathlib.Path(folder)
    model = folder / "app.json"
    fit = [orrery, "scaling", "fit", folder / "small.json", "-o", model, "--force", "--quiet"]
    subprocess.run(fit, check=True, stdout=subprocess.DEVNULL)
    worst = 0.0
    print("   n  chosen                forecast             measured  best measured         time    forecast off  loss   inside")
    for path in sorted(folder.glob("[0-9]*.json"), key=lambda path: int(path.stem)):
        runs = collections.defaultdict(list)
        for run in json.loads(path.read_text())["runs"]:
            runs[name(run["configuration"])].append(run["seconds"])
        times = {configuration: statistics.mean(seconds) for configuration, seconds in runs.items()}
        choice = [orrery, "choose", "configuration", model, "--cluster", HERE / "evaluation.toml", "--n", path.stem]
        choice += ["--top", str(len(times)), "--format", "json", "--quiet"]
        ranked = json.loads(subprocess.run(choice, check=True, capture_output=True, text=True).stdout)
        rows = ranked if isinstance(ranked, list) else next(iter(ranked.values()))
        forecasts = {",".join(sorted(row["configuration"].split(","))): row for row in rows}
        chosen = rows[0]
        measured = times[",".join(sorted(chosen["configuration"].split(",")))]
        best = min(times, key=times.get)
        loss = measured / times[best] - 1
        worst = max(worst, loss)
        inside = sum(one["low"] <= times[key] <= one["high"] for key, one in forecasts.items())
        interval = f"{chosen['seconds']:5.2f} s [{chosen['low']:.2f}, {chosen['high']:.2f}]"
        print(
            f"{path.stem:>4}  {chosen['configuration']:20}  {interval:20}  {measured:5.2f} s  {best:20}  {times[best]:5.2f} s"
            f"  {chosen['seconds'] / measured - 1:+11.1%}  {loss:5.1%}  {inside} of {len(forecasts)}"
        )
    sys.exit(worst > MAX_LOSS)


if __name__ == "__main__":
    main(*sys.argv[1:])
