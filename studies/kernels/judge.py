"""Draws calls of a kernel that were not fitted, and compares predictions with their times.

usage: judge.py draw FIT.csv KERNEL FROM..TO COUNT SEED > calls.txt
       judge.py judge ORRERY MODEL.json TEST-1.csv TEST-2.csv
"""

import csv
import json
import random
import statistics
import subprocess
import sys

# The mean error may be the larger of this part of the time and this many times the repeat spread.
BAR = 0.04
SPREADS = 1.5


def times(path):
    """The median time of each call of a file, by kernel, variant and dimensions, in the order of the file."""
    readings = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            call = (row["kernel"], row["variant"], row["m"], row["n"], row["k"])
            readings.setdefault(call, []).append(float(row["seconds"]))
    return readings


def draw(fit, kernel, dimensions, count, seed):
    """Prints random calls of the first variant that the file does not have."""
    known = times(fit)
    example = next(call for call in known if call[0] == kernel)
    low, high = (int(end) for end in dimensions.split(".."))
    rng = random.Random(int(seed))
    calls = set()
    for _ in range(1000 * int(count)):
        call = example[:2] + tuple(str(rng.randint(low, high)) if one else "" for one in example[2:])
        if call not in known and call not in calls:
            calls.add(call)
            print(*(word for word in call if word))
        if len(calls) == int(count):
            return
    sys.exit(f"there are only {len(calls)} calls of {dimensions} that were not fitted")


def predicted(orrery, model, call):
    """The predicted time of a call."""
    kernel, variant, *dimensions = call
    words = [orrery, "predict", model, kernel, "--format", "json"]
    words += ["--variant", variant] if variant else []
    for name, value in zip(("--m", "--n", "--k"), dimensions):
        words += [name, value] if value else []
    answer = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    [row] = answer["predictions"] if isinstance(answer, dict) else answer
    return row["seconds"], row["low"], row["high"]


def judge(orrery, model, first, second):
    """Prints the errors of predictions and the repeat spread; the exit status is 1 above the bar."""
    first, second = times(first), times(second)
    errors, spreads, within, covered = [], [], [], 0
    for call, readings in first.items():
        seconds, low, high = predicted(orrery, model, call)
        measured = [statistics.median(readings), statistics.median(second[call])]
        mean = statistics.mean(measured)
        errors.append(abs(seconds / mean - 1))
        spreads.append(abs(measured[0] - measured[1]) / mean)
        within += [abs(one / measured[0] - 1) for one in readings]
        covered += low <= measured[0] <= high
    errors.sort()
    error, spread = statistics.mean(errors), statistics.mean(spreads)
    bar = max(BAR, SPREADS * spread)
    print(f"calls: {len(errors)}, not used in the fit")
    print(f"relative error: mean {error:.2%}, 95th percentile {errors[int(0.95 * (len(errors) - 1))]:.2%}, largest {errors[-1]:.2%}")
    print(f"repeat spread: {spread:.2%} between two passes, {statistics.mean(within):.2%} within a call")
    print(f"inside the 95 % interval: {covered / len(errors):.1%}")
    print(f"bar: mean error at most {bar:.2%}: {'passed' if error <= bar else 'failed'}")
    if spread > BAR:
        print("the machine is busy: the repeat spread is that of other programs, and the bar says little")
    sys.exit(error > bar)


if __name__ == "__main__":
    {"draw": draw, "judge": judge}[sys.argv[1]](*sys.argv[2:])
