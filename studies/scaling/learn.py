"""Learns what is known of strong scaling before any run: the prior of the terms, the misfit of sums, and how forecasts get worse
with the distance from the measured range, by forecasts of the larger numbers of nodes of public series.

usage: learn.py SERIES.csv   (columns set, series, nodes, seconds; needs numpy and scipy)

The score is that of crates/orrery-applications/src/scaling/selection/score.rs; each program is left out once.
"""
import collections
import csv
import itertools
import sys

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln
from scipy.stats import t as student

# The terms by name, as crates/orrery-applications/src/scaling/terms.rs has them.
TERMS = {
    "1/p": lambda p: 1 / p,
    "p^(-2/3)": lambda p: p ** (-2 / 3),
    "p^(-1/3)": lambda p: p ** (-1 / 3),
    "1": np.ones_like,
    "log p": np.log2,
    "log p/p": lambda p: np.log2(p) / p,
    "p": lambda p: p,
}
SUMS = [list(some) for k in (1, 2, 3) for some in itertools.combinations(range(len(TERMS)), k)]
DEGREES = 2.0  # of the misfit, and of what the distance adds
START = np.array([np.log(0.02), np.log(0.01)] + [0.0] * len(TERMS))
BOUNDS = [(-5, -1), (-9, -1)] + [(-3, 4)] * len(TERMS)


def read(path):
    """The numbers of nodes and the median times of each series with at least four, by program."""
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in csv.DictReader(open(path)):
        rows[row["set"], row["series"]][float(row["nodes"])].append(float(row["seconds"]))
    found = []
    for (kind, name), points in sorted(rows.items()):
        if len(points) > 3:
            parts = name.split("/")
            program = parts[1] if kind == "cloud" else parts[0].removesuffix("mat")
            nodes = np.array(sorted(points))
            found.append((program, nodes, np.array([np.median(points[p]) for p in nodes])))
    return found


def fits(nodes, seconds, known, later):
    """The sums with positive coefficients of the first `known` points, and their times at `later`."""
    values = np.stack([of(nodes) for of in TERMS.values()], 1)
    rows = values[:known] / seconds[:known, None]
    # The largest coefficient: the term alone takes the whole time of a point.
    largest = np.array([1 / column.max() for column in rows.T])
    found = []
    for chosen in (some for some in SUMS if len(some) <= known):
        basis, upper = np.linalg.qr(rows[:, chosen])
        if np.abs(np.diag(upper)).min() < 1e-8:
            continue
        coefficients = np.linalg.solve(upper, basis.T @ np.ones(known))
        if (coefficients > 0).all():
            residual = ((1 - rows[:, chosen] @ coefficients) ** 2).sum()
            length = np.abs(np.diag(upper)) * largest[chosen]
            times = values[later][:, chosen] @ coefficients
            lever = (np.linalg.solve(upper.T, values[later][:, chosen].T) ** 2).sum(0) / times**2
            found.append((chosen, residual, np.log(length**2 / (2 * np.pi)), np.log(times), lever))
    return found


class Task:
    """Forecasts of later points by the first ones of a series."""

    def __init__(self, program, nodes, seconds, known, kind):
        later = np.arange(known, len(nodes))
        found = fits(nodes, seconds, known, later)
        self.program, self.known = program, known
        self.truth = np.log(seconds[later])
        distance = nodes[later] / nodes[known - 1]
        self.distance = np.log(distance) ** 2
        near = "up to twice" if kind == "half" else kind
        self.kinds = [near if ratio <= 2 or kind != "half" else "beyond" for ratio in distance]
        self.counts = np.array([len(one[0]) for one in found])
        self.has = np.array([[k in one[0] for k in range(len(TERMS))] for one in found], float)
        self.residuals = np.array([one[1] for one in found])
        self.lengths = np.array([np.append(one[2], [-np.inf] * (3 - len(one[2]))) for one in found])
        self.times = np.array([one[3] for one in found])
        self.levers = np.array([one[4] for one in found])

    def mixture(self, prior):
        """The probabilities, standard deviations and degrees of freedom of the sums."""
        misfit, growth, weights = np.exp(prior[0]), np.exp(prior[1]), prior[2:]
        free = DEGREES + self.known - self.counts
        variance = (DEGREES * misfit**2 + self.residuals) / free
        score = (
            free * np.log(free * variance / 2)
            - 2 * gammaln(free / 2)
            + np.maximum(self.lengths - np.log(variance)[:, None], 0).sum(1)
            + self.counts * np.log(variance)
            + 2 * self.has @ weights
        )
        probability = np.exp((score.min() - score) / 2)
        own, far = variance[:, None] * (1 + self.levers), growth * self.distance[None, :]
        degrees = (own + far) ** 2 / (own**2 / free[:, None] + far**2 / DEGREES)
        return probability / probability.sum(), np.sqrt(own + far), degrees

    def loss(self, prior):
        """−log of the density of each truth, and twice the error of the mean forecast."""
        probability, deviation, degrees = self.mixture(prior)
        scaled = (self.truth - self.times) / deviation
        density = student.pdf(scaled, degrees) / deviation
        log_density = np.log((probability[:, None] * density).sum(0) + 1e-300)
        error = np.abs((probability[:, None] * self.times).sum(0) - self.truth)
        return 2 * np.minimum(error, 1.5) - np.maximum(log_density, -7)

    def judged(self, prior):
        """The errors of the most probable sum, whether intervals hold, and their upper factors."""
        probability, deviation, degrees = self.mixture(prior)
        best = self.times[np.argmax(probability)]
        for place, (kind, truth) in enumerate(zip(self.kinds, self.truth)):
            ends = []
            for level in (0.025, 0.975):
                low, high = truth - 12.0, truth + 12.0
                for _ in range(45):
                    middle = (low + high) / 2
                    scaled = (middle - self.times[:, place]) / deviation[:, place]
                    below = probability @ student.cdf(scaled, degrees[:, place])
                    low, high = (middle, high) if below < level else (low, middle)
                ends.append(low)
            error = abs(np.exp(best[place] - truth) - 1)
            yield kind, error, ends[0] <= truth <= ends[1], np.exp(ends[1] - best[place])


def learned(tasks):
    """The prior with the least loss; programs and kinds count by the root of their number."""

    def loss(prior):
        groups = collections.defaultdict(list)
        for task in tasks:
            for kind, one in zip(task.kinds, task.loss(prior)):
                groups[task.program, kind].append(one)
        means = [np.mean(group) for group in groups.values()]
        counts = [np.sqrt(len(group)) for group in groups.values()]
        return np.average(means, weights=counts) + 0.01 * np.mean(prior[2:] ** 2)

    options = {"maxiter": 40}
    return minimize(loss, START, method="L-BFGS-B", bounds=BOUNDS, options=options).x


def show(title, rows):
    print(title)
    for kind in ("up to twice", "beyond", "largest"):
        own = [row[1:] for row in rows if row[0] == kind]
        errors, held, factors = (np.array(column, float) for column in zip(*own))
        print(
            f"  {kind:12} {len(own):4} forecasts: error {np.median(errors):.1%}, mean {errors.mean():.1%}; "
            f"{held.mean():.1%} inside, factor {np.median(factors):.2f}"
        )


def main():
    tasks = []
    for program, nodes, seconds in read(sys.argv[1]):
        known = max(3, (len(nodes) + 1) // 2)
        tasks.append(Task(program, nodes, seconds, known, "half"))
        tasks.append(Task(program, nodes, seconds, len(nodes) - 1, "largest"))
    prior = learned(tasks)
    print(f"misfit {np.exp(prior[0]):.4f}, distance {np.exp(prior[1]):.4f}")
    print(", ".join(f"{name} {weight:.2f}" for name, weight in zip(TERMS, prior[2:])))
    show("by all programs", [row for task in tasks for row in task.judged(prior)])
    rows = []
    for program in sorted({task.program for task in tasks}):
        prior = learned([task for task in tasks if task.program != program])
        rows += [row for task in tasks if task.program == program for row in task.judged(prior)]
    show("each program by the others", rows)


if __name__ == "__main__":
    main()
