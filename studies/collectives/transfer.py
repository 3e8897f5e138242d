#!/usr/bin/env python3
"""Judges choices of collective algorithms on numbers of nodes and at sizes that were left out of the measurements.

usage: transfer.py ORRERY TABLE FOLDER

TABLE has quantiles of PICO (pico.py prints one of all public results, ORRERY_DATA has a smaller one); samples and answers are
written to FOLDER. For each system, library and operation with one process per node, each number of nodes is left out and
chosen by each other one, and by all within a factor of two together ("like" if one of them is a power of two exactly if it is
itself one); then each size between others is left out. Algorithms
of Bine are left out.

Printed are mean regrets (the time of the choice over that of the fastest algorithm, minus 1) of the choice and of the
library's own one, how often 95 % intervals contain the time of the algorithm that is predicted to be the fastest, the
factor by which those intervals would have to be wider in order to contain 95 %, and how often choices with a reported
probability were right, that is at most 5 % slower than the fastest one of all, the library's own choice among them. The last
two are the constants of `prior.rs` (times TRANSFER, the largest factor of a system) and `certainty.rs` of
`collective::measured`, where each reported probability stands for a class of choices: learn them with systems other than those
that judge.
"""

import collections
import csv
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import sys

orrery, table, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
REACH = 2
TOLERANCE = 0.05
# An interval of 90 % has 1.645 deviations on each side, one of 95 % has 1.96.
TO_95 = 1.96 / 1.645


def run(*arguments):
    """The output of the command; None if it refuses."""
    done = subprocess.run([orrery, *map(str, arguments)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def read(path):
    """The lines of a samples file, and its readings: experiment, size, launch, seconds."""
    lines = path.read_text().splitlines()
    head = next(place for place, line in enumerate(lines) if not line.startswith("#"))
    readings = [(row["experiment"], int(row["size"]), row["launch"], float(row["seconds"])) for row in csv.DictReader(lines[head:])]
    return lines, head, readings


def truths(path):
    """The median times of each size and launch by algorithm; that of the library's own choice is called default."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for experiment, size, launch, seconds in read(path)[2]:
        parts = experiment.split("/")
        if parts[0] == "native":
            name = "/".join(parts[2:]) or "default"
        else:
            name = parts[1]
        times[size, launch][name].append(seconds)
    return {point: {name: statistics.median(of) for name, of in by.items()} for point, by in times.items()}


class Tally:
    """Judged choices."""

    def __init__(self):
        self.regrets, self.defaults, self.scores, self.right = [], [], [], collections.defaultdict(list)

    def add(self, choice, times):
        """Judges a choice by the times of its point in a launch."""
        algorithms = {name: time for name, time in times.items() if name != "default"}
        if choice["algorithm"] not in times or len(algorithms) < 2:
            return
        best = min(algorithms.values())
        regret = times[choice["algorithm"]] / best - 1.0
        self.regrets.append(regret)
        if "default" in times:
            self.defaults.append(times["default"] / best - 1.0)
        if choice["best"] in times:
            deviation = math.log(choice["high"] / choice["seconds"]) * TO_95
            self.scores.append(abs(math.log(times[choice["best"]] / choice["seconds"])) / deviation)
        if choice["probability"] is not None:
            self.right[choice["probability"]].append(times[choice["algorithm"]] <= min(times.values()) * (1.0 + TOLERANCE))

    def line(self):
        """The results in words."""
        if not self.scores:
            return "nothing to judge"
        ascending = sorted(self.scores)
        wide = ascending[min(len(ascending) - 1, math.ceil(0.95 * len(ascending)) - 1)]
        inside = sum(score <= 1.0 for score in ascending) / len(ascending)
        default = f"{statistics.mean(self.defaults):6.1%}" if self.defaults else "     –"
        return (f"{len(self.regrets):4} choices, regret {statistics.mean(self.regrets):6.1%}, default {default}, "
                f"95 % intervals contain {inside:6.1%}, factor {wide:.2f}")


def choose(samples, procs, size):
    """The choice at a size; None if it is refused."""
    answer = run("choose", "collective", samples, "--procs", procs, "--size", f"{size}..{size}", "--format", "json")
    found = [choice for choice in json.loads(answer) if choice["size"] == size] if answer else []
    return found[0] if found else None


def is_power_of_two(number):
    return number & (number - 1) == 0


def distance(one, other):
    return max(one, other) / min(one, other)


with open(table, newline="") as file:
    rows = [row for row in csv.DictReader(file) if not row["algorithm"].startswith("bine") and row["ppn"] == "1"]
plain = folder / "table.csv"
with open(plain, "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)

tables = collections.defaultdict(dict)
for place, (system, library, operation, nodes) in enumerate(
        sorted({(row["system"], row["library"], row["collective"], int(row["nodes"])) for row in rows})):
    path = folder / f"{place}.csv"
    if run("samples", "import", plain, "--format", "pico", "--system", system, "--library", library, "--operation",
           operation.replace("_", "-"), "--nodes", nodes, "--ppn", 1, "-o", path, "--force") is None:
        print(f"{system}, {library}, {operation}, {nodes} nodes: nothing is imported")
        continue
    tables[system, library, operation][nodes] = path

tallies = collections.defaultdict(Tally)
refused = collections.Counter()
for (system, library, operation), by_nodes in sorted(tables.items()):
    name = f"{system} {library}"
    for nodes, path in sorted(by_nodes.items()):
        found = truths(path)
        near = [other for other in by_nodes if other != nodes and distance(nodes, other) <= REACH]
        sources = [[other] for other in by_nodes if other != nodes] + ([near] if len(near) > 1 else [])
        for source in sources:
            merged = folder / "merged.csv"
            if len(source) == 1:
                merged = by_nodes[source[0]]
            else:
                run("samples", "merge", *(by_nodes[one] for one in source), "-o", merged, "--force")
            nearest = min(distance(nodes, other) for other in source)
            far = "farther" if nearest > REACH else "up to 1.3" if nearest <= 1.3 else "up to 2"
            kind = "several near" if len(source) > 1 else f"one, {far}"
            is_alike = any(is_power_of_two(other) == is_power_of_two(nodes) for other in source)
            likeness = "like" if is_alike else "unlike"
            of_source = Tally()
            for (size, launch), times in sorted(found.items()):
                choice = choose(merged, nodes, size)
                if choice is None:
                    refused[name, kind] += 1
                    continue
                for of, what in itertools.product((name, "all"), (kind, likeness, "all")):
                    tallies["nodes", of, what].add(choice, times)
                of_source.add(choice, times)
            if nearest <= REACH:
                print(f"{name} {operation} {nodes} nodes by {' '.join(map(str, source))}: {of_source.line()}")
        sizes = sorted({size for size, _ in found})
        for size in sizes[1:-1]:
            lines, head, readings = read(path)
            kept = [line for line, reading in zip(lines[head + 1:], readings) if reading[1] != size]
            part = folder / "part.csv"
            part.write_text("\n".join(lines[:head + 1] + kept) + "\n")
            choice = choose(part, nodes, size)
            for (_, launch), times in ((point, times) for point, times in found.items() if point[0] == size):
                if choice is None:
                    refused[name, "sizes"] += 1
                    continue
                for tally in (tallies["sizes", name, "all"], tallies["sizes", "all", "all"]):
                    tally.add(choice, times)

print()
for (what, name, kind), tally in sorted(tallies.items()):
    print(f"{what:6} {name:28} {kind:14} {tally.line()}")
for (name, kind), number in sorted(refused.items()):
    print(f"refused {name:28} {kind:14} {number}")
print("\nHow often choices with a reported probability were right:")
for name in sorted({name for _, name, _ in tallies}):
    together = collections.defaultdict(list)
    for (_, of, kind), tally in tallies.items():
        if of == name and kind == "all":
            for probability, right in tally.right.items():
                together[probability] += right
    if together:
        parts = (f"{probability:.2f}: {statistics.mean(right):.2f} of {len(right)}" for probability, right in sorted(together.items()))
        print(f"{name:28} " + "; ".join(parts))
