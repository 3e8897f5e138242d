#!/usr/bin/env python3
"""Prints the regret of algorithms that models choose, from calls of the MPI library with each of its algorithms.

usage: regrets.py ORRERY MODEL SAMPLES

Regret is the median time of the chosen algorithm over the shortest median of the library's algorithms and its own choice, minus 1.
"""

import collections
import csv
import io
import statistics
import subprocess
import sys

orrery, model, samples = sys.argv[1:]
KINDS = ["lmo", "hockney", "ports", "ports-flows"]

text = subprocess.run(["zstd", "-dc", samples], check=True, capture_output=True, text=True).stdout
readings = collections.defaultdict(list)
for row in csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")):
    # native/bcast or native/bcast/ompi/binomial
    parts = row["experiment"].split("/")
    operation, algorithm = parts[1], parts[3] if len(parts) > 3 else ""
    readings[operation, int(row["size"])].append((algorithm, int(row["procs"]), float(row["seconds"])))


def medians(rows):
    """The median time of each algorithm; that of the library's own choice has no name."""
    times = collections.defaultdict(list)
    for algorithm, _, seconds in rows:
        times[algorithm].append(seconds)
    return {algorithm: statistics.median(of) for algorithm, of in times.items()}


def chosen(operation, size, procs, algorithms, kind):
    """The algorithm that a model chooses."""
    command = [orrery, "choose", "collective", model, "--operation", operation, "--size", f"{size}..{size}", "--procs", str(procs),
               "--algorithms", ",".join(algorithms), "--segments", "none", "--models", kind, "--exact", "--format", "csv"]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return next(csv.DictReader(io.StringIO(table)))["algorithm"]


mean = collections.defaultdict(list)
print(f"{'operation':<10} {'size':>8} {'best':<22} {'time':>10} {'own choice':>10} " + " ".join(f"{kind:>28}" for kind in KINDS))
for (operation, size), rows in sorted(readings.items()):
    times, procs = medians(rows), rows[0][1]
    best = min(times, key=times.get)
    regret = lambda algorithm: times[algorithm] / times[best] - 1.0
    mean["own choice", operation].append(regret(""))
    cells = []
    for kind in KINDS:
        algorithm = chosen(operation, size, procs, [name for name in times if name], kind)
        mean[kind, operation].append(regret(algorithm))
        cells.append(f"{algorithm:>20} {regret(algorithm):>7.1%}")
    name = best or "own choice"
    print(f"{operation:<10} {size:>8} {name:<22} {times[best] * 1e3:>7.3f} ms {regret(''):>10.1%} " + " ".join(cells))
print()
for kind in ["own choice", *KINDS]:
    per = {operation: statistics.mean(of) for (of_kind, operation), of in mean.items() if of_kind == kind}
    print(f"{kind:<12} " + ", ".join(f"{operation} {value:.1%}" for operation, value in per.items()) + f"; all {statistics.mean(per.values()):.1%}")
