#!/usr/bin/env python3
"""Learns the covariance of errors in collective operations, and judges intervals by it.

usage: learn.py ORRERY FOLDER [OTHER_FOLDER]

FOLDER has the clusters that `run` makes; those named NAME-learn teach, those named NAME-test judge, as do the clusters of
OTHER_FOLDER. Models are fitted to NAME.comm.csv and NAME.over.csv, and judged on NAME.coll.csv. Prints the constants of
crates/orrery-models/src/model/collective_errors/prior.rs and the coverage of 95 % intervals. Needs numpy and scipy.
"""

import csv
import io
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln
from scipy.stats import t as student

DEGREES = 4.0  # of the common scale, before any error is measured
LAUNCH = 0.02  # standard deviation from launch to launch
LOSSES = 1.5  # larger errors are losses, which are not of this kind
SIZES = (6.0, 20.0)  # the range of log2 of the size
WAYS = {"scatter": "out", "bcast": "out", "gather": "in", "reduce": "in"}
LINEAR = ("linear", "linear-nb", "linear-sync")
TREES = ("binomial", "tree", "binary", "split-binary", "in-order-binary")
ONE_PARTNER = ("ring", "pipeline", "pairwise", "chain", "neighbor-exchange", "segmented-ring", "double-ring", "xor")
NAMES = ["common", "way", "algorithm", "operation", "size variance", "common sizes", "way sizes", "algorithm sizes",
         "operation sizes", "roots", "processors", "linear", "trees", "distances", "growth"]
START = np.array([math.log(x) for x in (0.01, 0.02, 0.03, 0.02, 0.004, 2, 4, 2, 3)] + [1.0, math.log(2), 0, 0, 0, 0.0])


def command(orrery, *words):
    """The output of a command."""
    return subprocess.run([orrery, "-q", *map(str, words)], check=True, capture_output=True, text=True).stdout


def rows(orrery, folder, name):
    """The operations of a cluster with their errors by a model that has seen none of them."""
    samples = [path for part in ("comm", "over") for path in sorted(folder.glob(f"{name}.{part}.csv*"))]
    model = folder / f"{name}.json"
    if not model.exists():
        command(orrery, "fit", *samples, "-o", model, "--models", "ports")
    [truth] = folder.glob(f"{name}.coll.csv*")
    table = csv.DictReader(io.StringIO(command(orrery, "validate", model, truth, "--models", "ports", "--format", "csv")))
    found = []
    for row in table:
        measured, predicted = float(row["measured"]), float(row["predicted"] or 0)
        if min(measured, predicted) <= 0 or abs(math.log(measured / predicted)) > LOSSES:
            continue
        low, high = (float(row[key] or measured) for key in ("measured_low", "measured_high"))
        found.append({
            "operation": row["operation"],
            "way": WAYS.get(row["operation"], "all"),
            "algorithm": row["algorithm"].split(":")[0],
            "size": min(max(math.log2(max(float(row["size"] or 0), 1)), SIZES[0]), SIZES[1]),
            "procs": math.log2(float(row["procs"])),
            "root": row["root"] or "0",
            "error": math.log(measured / predicted),
            "noise": max(math.log(high / low) / 4, 0.01),
            "parameters": float(row["from_readings"] or 0),
        })
    return found


class Cluster:
    """The operations of a cluster as arrays."""

    def __init__(self, found):
        self.rows = found
        self.errors = np.array([row["error"] for row in found])
        self.noise = np.array([row["noise"] ** 2 + LAUNCH**2 for row in found])
        self.parameters = np.array([row["parameters"] for row in found])
        self.sizes = np.array([row["size"] for row in found])
        self.procs = np.array([row["procs"] for row in found])
        self.is_of_root_0 = np.array([row["root"] == "0" for row in found])
        same = {key: self._same(key) for key in ("operation", "way", "algorithm", "root", "size", "procs")}
        self.same = same
        self.is_same = np.logical_and.reduce(list(same.values()))
        self.apart = [abs(one[:, None] - one[None]) for one in (self.sizes, self.procs)]
        kinds = {**dict.fromkeys(LINEAR, 0), **dict.fromkeys(TREES, 1), **dict.fromkeys(ONE_PARTNER, 2)}
        self.kinds = np.array([kinds.get(row["algorithm"].split("-")[0] if row["algorithm"].startswith("knomial")
                                         else row["algorithm"], 3) for row in found])

    def _same(self, key):
        values = np.array([row[key] for row in self.rows])
        return values[:, None] == values[None]

    def covariance(self, at):
        """The covariance of all errors by these parameters."""
        common, way, algorithm, operation, single = np.exp(at[:5])
        of_common, of_way, of_algorithm, of_operation = (np.exp(-self.apart[0] / length) for length in np.exp(at[5:9]))
        roots = np.where(self.same["root"], 1, 1 / (1 + np.exp(-at[9])))
        amplitude = np.exp(np.array([at[11], at[12], 0, at[13]]))[self.kinds] * np.exp(at[14] * (self.sizes - 13) / 10)
        total = common * of_common + self.same["way"] * (
            way * of_way + self.same["algorithm"] * roots * algorithm * of_algorithm)
        total += (self.same["operation"] & self.same["algorithm"]) * roots * operation * of_operation
        total = total * np.exp(-self.apart[1] / np.exp(at[10])) + single * self.is_same
        return total * amplitude[:, None] * amplitude[None]

    def surprise(self, at):
        """The negative logarithm of the likelihood: multivariate Student's t."""
        count = len(self.errors)
        lower = np.linalg.cholesky(self.covariance(at) + np.diag(self.noise))
        scaled = np.linalg.solve(lower, self.errors)
        return -(gammaln((DEGREES + count) / 2) - gammaln(DEGREES / 2) - count / 2 * math.log(DEGREES * math.pi)
                 - np.log(np.diag(lower)).sum() - (DEGREES + count) / 2 * math.log1p(scaled @ scaled / DEGREES))

    def judge(self, at, measured, judged):
        """Which intervals of the judged operations hold the truth, and the factors of their upper ends."""
        prior = self.covariance(at)
        mean, variance, degrees, scale = np.zeros(len(self.errors)), np.diag(prior), DEGREES, 1.0
        if len(measured):
            of_measured = prior[np.ix_(measured, measured)] + np.diag(self.noise[measured])
            weights = np.linalg.solve(of_measured, prior[measured])
            mean = weights.T @ self.errors[measured]
            variance = np.maximum(variance - np.einsum("ij,ij->j", prior[measured], weights), 0)
            degrees = DEGREES + len(measured)
            scale = (DEGREES + self.errors[measured] @ np.linalg.solve(of_measured, self.errors[measured])) / degrees
        half = student.ppf(0.975, degrees) * np.sqrt(scale * (variance + LAUNCH**2))
        half = np.hypot(half, self.parameters * np.sqrt(variance / np.diag(prior)))
        return abs(self.errors - mean)[judged] <= half[judged], np.exp(half)[judged]


def learn(clusters):
    """The parameters with the largest likelihood, and a weak pull to where the search begins."""
    def surprise(at):
        return sum(cluster.surprise(at) for cluster in clusters) + 0.5 * ((at - START) ** 2).sum()

    return minimize(surprise, START, method="L-BFGS-B", options={"maxiter": 60}).x


def scenarios(cluster):
    """Pairs of measured and judged operations: nothing measured; two sizes of linear scatter and gather; all from root 0 but
    the judged size; all from root 0."""
    every = np.arange(len(cluster.errors))
    of_root_0 = every[cluster.is_of_root_0]
    largest = cluster.procs.max()
    first = np.array([place for place, row in enumerate(cluster.rows) if row["operation"] in ("scatter", "gather")
                      and row["algorithm"] == "linear" and row["root"] == "0" and row["procs"] == largest
                      and row["size"] in (13.0, 16.0)], dtype=int)
    yield "nothing", [(every[:0], every)]
    yield "scatter and gather", [(first, np.setdiff1d(every, first))]
    sizes = sorted(set(cluster.sizes))
    yield "other sizes", [(of_root_0[cluster.sizes[of_root_0] != size], of_root_0[cluster.sizes[of_root_0] == size])
                          for size in sizes]
    yield "all", [(of_root_0, of_root_0)]


def main():
    orrery, *folders = sys.argv[1], *map(Path, sys.argv[2:])
    names = [(folder, path.name.split(".")[0]) for folder in folders for path in sorted(folder.glob("*.coll.csv*"))]
    clusters = {name: Cluster(rows(orrery, folder, name)) for folder, name in names}
    at = learn([cluster for name, cluster in clusters.items() if name.endswith("-learn")])
    shown = np.concatenate([np.exp(at[:9]), [1 / (1 + math.exp(-at[9]))], np.exp(at[10:14]), at[14:]])
    for name, value in zip(NAMES, shown):
        print(f"{name}: {value:.4f}")
    pooled = {}
    print("\ncluster: covered by 95 % intervals, and the median factor of their upper ends, by what was measured")
    for name, cluster in clusters.items():
        if name.endswith("-learn"):
            continue
        line = []
        for scenario, pairs in scenarios(cluster):
            results = [cluster.judge(at, *pair) for pair in pairs if len(pair[1])]
            inside, factors = (np.concatenate(part) for part in zip(*results))
            pooled.setdefault(scenario, []).append((inside, factors))
            line.append(f"{scenario} {100 * inside.mean():.0f} % x{np.median(factors):.2f}")
        print(f"{name}: {', '.join(line)}")
    for scenario, results in pooled.items():
        inside, factors = (np.concatenate(part) for part in zip(*results))
        print(f"pooled, {scenario}: {100 * inside.mean():.1f} %, factor {np.median(factors):.2f}")


if __name__ == "__main__":
    main()
