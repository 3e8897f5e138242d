#!/usr/bin/env python3
"""Fits general terms to the cells of generate.py, and compares them with the truth and with Extra-P.

usage: judge.py ORRERY FOLDER [--regions N] CELL…

Printed for each cell, for Orrery and Extra-P: the share of regions with the right leading term far outside, the median and
the mean of the errors at four times the range (at most 10 each), the share of times that the runs determine, and the share
of truths inside the 95 % interval.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import time


def leading(terms, far):
    """The exponents of the term with the largest value at 64 times the range."""
    def value(term):
        coefficient, factors = term
        product = coefficient
        for name, (i, j) in factors.items():
            x = 16 * far[name]
            product *= x**i * math.log2(x) ** j
        return product
    _, factors = max(terms, key=value)
    return sorted((name, round(i, 3), round(j, 3)) for name, (i, j) in factors.items() if i or j)


def own_terms(region):
    return [
        [row["value"], {factor["variable"]: [factor["power"], factor["logs"]] for factor in row["term"]}]
        for row in region["coefficients"]
    ]


def read(path):
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return [json.loads(line) for line in file]


def predict(orrery, model, name, far, whole):
    options = [f"--set={variable}={x}" if variable not in ("n", "p") else f"--{variable}={x}" for variable, x in far.items()]
    region = ["--region", name] if whole > 1 else []
    command = [orrery, "predict", "application", model, *options, *region, "--format", "json", "-q"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)[0]


def judge(orrery, folder, cell, regions):
    base = f"{folder}/{cell}"
    runs, model = f"{base}.runs.json", f"{base}.model.json"
    for command in (["import", f"{base}.txt", "-o", runs], ["fit", runs, "-o", model, "--terms", "general"]):
        started = time.time()
        subprocess.run([orrery, "scaling", *command, "--force", "-q"], check=True, capture_output=True)
        took = time.time() - started
    truths, others = read(f"{base}.truth.jsonl"), read(f"{base}.extra-p.jsonl")
    with open(model) as file:
        fitted = {region["region"]: region for region in json.load(file)["models"]["application"]["regions"]}
    parameters = list("pnm")[: int(cell[0])]
    right, inside, errors, other_right, other_errors = 0, 0, [], 0, []
    for index, truth in enumerate(truths[:regions]):
        far = dict(zip(parameters, truth["far"]))
        true = leading(truth["terms"], far)
        answer = predict(orrery, model, truth["region"], far, len(fitted))
        right += leading(own_terms(fitted[truth["region"]]), far) == true
        if answer["seconds"] is not None:
            errors.append(min(10, abs(answer["seconds"] / truth["seconds"] - 1)))
        inside += answer["low"] * (1 - 1e-6) <= truth["seconds"] <= answer["high"] * (1 + 1e-6)
        if others:
            other_right += leading(others[index]["terms"], far) == true
            other_errors.append(min(10, abs(others[index]["seconds"] / truth["seconds"] - 1)))
    count = len(truths[:regions])
    text = f"{cell:16} right {100 * right / count:5.1f} %, error {statistics.median(errors):.4f} {statistics.mean(errors):.4f}, "
    text += f"answered {100 * len(errors) / count:5.1f} %, inside {100 * inside / count:5.1f} %, {1e3 * took / len(truths):.1f} ms per region"
    if others:
        text += f" | Extra-P: right {100 * other_right / count:5.1f} %, "
        text += f"error {statistics.median(other_errors):.4f} {statistics.mean(other_errors):.4f}"
    print(text, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("orrery")
    parser.add_argument("folder")
    parser.add_argument("--regions", type=int, default=400)
    parser.add_argument("cells", nargs="+")
    arguments = parser.parse_args()
    for cell in arguments.cells:
        judge(arguments.orrery, arguments.folder, cell, arguments.regions)
