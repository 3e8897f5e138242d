"""The cost of tracing: the median ratio of the times with and without the tracer in pairs of runs, with the interval of the sign test.

The interval runs from the k-th smallest ratio to the k-th largest one, with the largest k that covers the median with 95 %.

usage: tracing.py PAIRS...   (files with the columns pair, tracer, seconds)
"""

import collections
import csv
import math
import statistics
import sys


def rank(count):
    """The largest k for which P(fewer than k of n fair coins) <= 2.5 %."""
    below, k = 0.0, 0
    while below + math.comb(count, k) / 2**count <= 0.025:
        below += math.comb(count, k) / 2**count
        k += 1
    if k == 0:
        sys.exit("tracing.py: an interval needs six pairs or more")
    return k


for path in sys.argv[1:]:
    pairs = collections.defaultdict(dict)
    with open(path) as file:
        for row in csv.DictReader(file):
            pairs[row["pair"]][row["tracer"]] = float(row["seconds"])
    ratios = sorted(pair["with"] / pair["without"] for pair in pairs.values() if len(pair) == 2)
    k = rank(len(ratios))
    low, middle, high = (100 * (ratio - 1) for ratio in (ratios[k - 1], statistics.median(ratios), ratios[-k]))
    print(f"{path}: {middle:+.2f} % ({low:+.2f} to {high:+.2f} %), {len(ratios)} pairs")
