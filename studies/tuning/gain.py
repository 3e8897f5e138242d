#!/usr/bin/env python3
"""The part of the possible gain that rules reach.

usage: gain.py SAMPLES FOLDER...   (samples of forced algorithms in several launches; folders of `orrery tune verify`)

Each time is the median over the launches of their medians. The possible gain of a point is the time of the fastest forced algorithm over
that of the own choice, or 1 if the own choice is the fastest; the part is ln(ratio with rules)/ln(possible), each as a geometric mean.
"""

import collections
import csv
import glob
import io
import math
import statistics
import subprocess
import sys


def times(paths):
    """The time of each experiment and size."""
    launches = collections.defaultdict(list)
    for path in paths:
        text = subprocess.run(["zstd", "-dcf", path], check=True, capture_output=True, text=True).stdout
        for row in csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")):
            launches[row["experiment"], int(row["size"]), path, row["launch"]].append(float(row["seconds"]))
    medians = collections.defaultdict(list)
    for (experiment, size, *_), seconds in launches.items():
        medians[experiment, size].append(statistics.median(seconds))
    return {point: statistics.median(of) for point, of in medians.items()}


def mean(logs):
    return statistics.fmean(logs)


samples, *folders = sys.argv[1:]
forced = times([samples])
own = {point: seconds for point, seconds in forced.items() if point[0].count("/") == 1}
best = {
    (name, size): min(seconds for (other, of), seconds in forced.items() if of == size and (other + "/").startswith(name + "/"))
    for name, size in own
}
possible = mean([math.log(best[point] / own[point]) for point in own])
print(f"the best algorithm of each of {len(own)} points: {math.exp(possible):.3f}")
for folder in folders:
    default, tuned = (times(glob.glob(f"{folder}/{which}-*.csv*")) for which in ("default", "tuned"))
    reached = mean([math.log(tuned[point] / default[point]) for point in own])
    print(f"{folder}: {math.exp(reached):.3f}, {100 * reached / possible:.0f} % of the gain")
