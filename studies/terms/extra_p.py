#!/usr/bin/env python3
"""Models the cells of generate.py with Extra-P 4.2.5: CELL.extra-p.jsonl has the terms and the time at the far point.

usage: extra_p.py FOLDER CELL…
"""
import json
import sys
import time

from extrap.fileio.file_reader.text_file_reader import TextFileReader
from extrap.modelers.model_generator import ModelGenerator
from extrap.util.progress_bar import DUMMY_PROGRESS


def exponents(simple_terms):
    """i and j of x^i·log2(x)^j."""
    powers = [float(term.exponent) for term in simple_terms if term.term_type == "polynomial"]
    logs = [float(term.exponent) for term in simple_terms if term.term_type != "polynomial"]
    return [sum(powers), sum(logs)]


def terms(function, names):
    """The terms as [coefficient, {variable: [i, j]}]."""
    found = [[float(function.constant_coefficient), {}]]
    for term in function.compound_terms:
        coefficient, factors = float(term.coefficient), {}
        if hasattr(term, "parameter_term_pairs"):
            for index, of_variable in term.parameter_term_pairs:
                coefficient *= float(of_variable.coefficient)
                factors[names[index]] = exponents(of_variable.simple_terms)
        else:
            factors[names[0]] = exponents(term.simple_terms)
        found.append([coefficient, factors])
    return found


def model(folder, cell):
    with open(f"{folder}/{cell}.truth.jsonl") as file:
        truths = [json.loads(line) for line in file]
    started = time.time()
    experiment = TextFileReader().read_experiment(f"{folder}/{cell}.txt", progress_bar=DUMMY_PROGRESS)
    names = [parameter.name for parameter in experiment.parameters]
    # The median is Extra-P's own remedy for outliers.
    generator = ModelGenerator(experiment, use_median=cell.endswith("outliers"))
    generator.model_all(DUMMY_PROGRESS)
    print(cell, f"{1e3 * (time.time() - started) / len(truths):.1f} ms per region", flush=True)
    models = {str(key[0]): found for key, found in generator.models.items()}
    with open(f"{folder}/{cell}.extra-p.jsonl", "w") as file:
        for truth in truths:
            function = models[truth["region"]].hypothesis.function
            far = tuple(truth["far"])
            seconds = function.evaluate(far if len(far) > 1 else far[0])
            print(json.dumps({"seconds": float(seconds), "terms": terms(function, names)}), file=file)


if __name__ == "__main__":
    for cell in sys.argv[2:]:
        model(sys.argv[1], cell)
