#!/usr/bin/env python3
"""Writes regions with known truth: one Extra-P text file and one table of truths for each cell of the study.

usage: generate.py FOLDER [REGIONS]

A cell has a number of parameters, a design of points, and a kind of noise. A region is c0 + a sum of products of factors
x^i·log2(x)^j; noise is relative and uniform; each point has five repetitions. The seed of a cell is its name.
"""
import json
import math
import random
import sys

FACTORS = [(1, 0), (0, 1), (1, 1), (0.5, 0), (2, 0), (2, 1), (0.5, 1), (1.5, 0), (0, 2), (3, 0)]
AXES = {"p": [4, 8, 16, 32, 64], "n": [100, 200, 300, 400, 500], "m": [10, 20, 40, 80, 160]}
SHAPES = {
    1: [["p"]],
    2: [["pn"], ["p", "n"], ["pn", "n"], ["pn", "p"]],
    3: [["pnm"], ["p", "n", "m"], ["pn", "m"], ["pnm", "n"], ["pm", "n"]],
}
REPETITIONS = 5
CELLS = [
    (parameters, design, noise)
    for parameters, designs in ((1, ["grid"]), (2, ["grid", "cross", "random"]), (3, ["grid", "cross", "random"]))
    for design in designs
    for noise in ("0", "2", "5", "10", "outliers")
]


def cell_name(cell):
    return f"{cell[0]}-{cell[1]}-{cell[2]}"


def points(parameters, design, rng):
    axes = list(AXES.values())[:parameters]
    if design == "grid":
        result = [()]
        for axis in axes:
            result = [point + (x,) for point in result for x in axis]
        return result
    if design == "cross":
        base = tuple(axis[0] for axis in axes)
        lines = {base[:k] + (x,) + base[k + 1 :] for k, axis in enumerate(axes) for x in axis}
        return sorted(lines)
    chosen = set()
    while len(chosen) < 15 * parameters:
        chosen.add(tuple(round(axis[0] * (axis[-1] / axis[0]) ** rng.random()) for axis in axes))
    return sorted(chosen)


def value(terms, point):
    """The sum of coefficient × product of factors; terms are [coefficient, {variable: [i, j]}]."""
    total = 0.0
    for coefficient, factors in terms:
        product = coefficient
        for name, (i, j) in factors.items():
            x = point[list(AXES).index(name)]
            product *= x**i * math.log2(x) ** j
        total += product
    return total


def truth(parameters, rng):
    factors = {name: rng.choice(FACTORS) for name in list(AXES)[:parameters]}
    corner = tuple(axis[-1] for axis in list(AXES.values())[:parameters])
    constant = rng.uniform(0.5, 4)
    terms = [[constant, {}]]
    for product in rng.choice(SHAPES[parameters]):
        chosen = {name: list(factors[name]) for name in product}
        share = constant * 10 ** rng.uniform(-0.3, 1.5)
        terms.append([share / value([[1.0, chosen]], corner), chosen])
    return terms


def noisy(seconds, noise, rng):
    level = 0.02 if noise == "outliers" else float(noise) / 100
    result = seconds * (1 + level * rng.uniform(-1, 1))
    if noise == "outliers" and rng.random() < 0.05:
        result *= rng.uniform(1.5, 4)
    return result


def write(cell, folder, regions):
    parameters, design, noise = cell
    rng = random.Random(cell_name(cell))
    names = list(AXES)[:parameters]
    with open(f"{folder}/{cell_name(cell)}.txt", "w") as file, open(f"{folder}/{cell_name(cell)}.truth.jsonl", "w") as truths:
        design_points = points(parameters, design, rng)
        for name in names:
            print("PARAMETER", name, file=file)
        print("POINTS", " ".join("( " + " ".join(map(str, point)) + " )" for point in design_points), file=file)
        for region in range(regions):
            terms = truth(parameters, rng)
            far = tuple(4 * max(point[k] for point in design_points) for k in range(parameters))
            print(json.dumps({"region": f"r{region}", "terms": terms, "far": far, "seconds": value(terms, far)}), file=truths)
            print(f"REGION r{region}\nMETRIC time", file=file)
            for point in design_points:
                seconds = value(terms, point)
                print("DATA", " ".join(repr(noisy(seconds, noise, rng)) for _ in range(REPETITIONS)), file=file)


if __name__ == "__main__":
    for cell in CELLS:
        write(cell, sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400)
