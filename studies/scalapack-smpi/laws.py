#!/usr/bin/env python3
"""Laws of kernels from measured ones, or kernel samples of a host that obeys the laws.

usage: laws.py fit KERNELS.csv > LAWS
       laws.py sample LAWS SPEED HOST > KERNELS.csv
A law is the time of a call, of an operation and of an element of the operands in seconds on a host
of 1 Gflop/s; the samples are those of a host of SPEED Gflop/s, with 1 % noise."""
import csv
import itertools
import random
import sys

# Terms of kernels that are not measured are those of another one.
SAME = {"trmv": "gemv", "trsv": "gemv", "syr": "ger", "vector": "axpy"}
VARIANTS = {
    "gemm": ["nn", "nt", "tn", "tt"], "syrk": ["ln", "lt", "un", "ut"], "gemv": ["n", "t"],
    "trsm": [side + upper + turn for side in "lr" for upper in "ul" for turn in "nt"],
    "trmm": [side + upper + turn for side in "lr" for upper in "ul" for turn in "nt"],
    "ger": [""], "axpy": [""], "add": [""]}
CALLS = 60


def terms(kernel, variant, m, n, k):
    """1, the operations and the elements of a call, as in kernels.c."""
    if kernel == "gemm":
        return 1, 2 * m * n * k, m * n + m * k + n * k
    if kernel == "syrk":
        return 1, n * n * k, n * k + n * n / 2
    if kernel in ("trsm", "trmm"):
        order, other = (m, n) if variant[0] == "l" else (n, m)
        return 1, order * order * other, order * other + order * order / 2
    if kernel == "axpy":
        return 1, n, n
    return 1, 2 * m * n, m * n


def solve(matrix, right):
    """The solution of a small linear system by elimination; None if it is singular."""
    rows = [row[:] + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda row: abs(rows[row][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        if rows[i][i] == 0:
            return None
        for j in range(size):
            if j != i:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def fit(calls):
    """Coefficients ≥ 0 with the smallest squares of relative errors."""
    best = None
    for count in (1, 2, 3):
        for used in itertools.combinations(range(3), count):
            rows = [[terms[t] / seconds for t in used] for terms, seconds in calls]
            normal = [[sum(r[i] * r[j] for r in rows) for j in range(count)] for i in range(count)]
            found = solve(normal, [sum(r[i] for r in rows) for i in range(count)])
            if found is None or min(found) < 0:
                continue
            error = sum((sum(c * x for c, x in zip(found, r)) - 1) ** 2 for r in rows)
            if best is None or error < best[0] * (1 - 1e-9):
                law = [0.0] * 3
                for place, value in zip(used, found):
                    law[place] = value
                best = error, law
    return best[1]


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def print_laws(path):
    calls = {}
    for row in rows_of(path):
        kernel = row["kernel"][1:]
        m, n, k = (int(row[key] or 1) for key in ("m", "n", "k"))
        point = terms(kernel, row["variant"], m, n, k)
        calls.setdefault(kernel, {}).setdefault(point, []).append(float(row["seconds"]))
    print("# Seconds of a call, an operation and an element of the operands.")
    laws = {}
    for kernel, points in calls.items():
        medians = [(point, sorted(all_)[len(all_) // 2]) for point, all_ in points.items()]
        laws[kernel] = fit(medians)
    laws.update({kernel: laws[other] for kernel, other in SAME.items()})
    for kernel, law in laws.items():
        if kernel not in ("axpy", "add"):
            print(kernel, *(f"{value:.3g}" for value in law))


def print_samples(path, speed, host):
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    laws = {line[0]: [float(word) for word in line[1:]] for line in lines}
    laws["axpy"] = laws["vector"]
    draw = random.Random(5)
    print("# format: orrery-kernels 1")
    print("# machine: the laws of kernels of studies/scalapack-smpi with 1 % noise")
    print("host,library,kernel,variant,m,n,k,operands,threads,rep,seconds")
    for kernel, variants in VARIANTS.items():
        if kernel not in laws:
            continue
        for variant in variants:
            for _ in range(CALLS):
                m, n, k = (round(2 ** draw.uniform(0, 13)) for _ in range(3))
                if kernel == "gemm":
                    k = round(2 ** draw.uniform(3, 11))
                point = terms(kernel, variant, m, n, k)
                seconds = sum(c * x for c, x in zip(laws[kernel], point)) / speed
                has = {"gemm": (1, 1, 1), "syrk": (0, 1, 1), "axpy": (0, 1, 0)}
                sizes = [str(size) if used else ""
                         for size, used in zip((m, n, k), has.get(kernel, (1, 1, 0)))]
                for rep in range(2):
                    noisy = seconds * (1 + draw.gauss(0, 0.01))
                    print(f"{host},law,d{kernel},{variant},{','.join(sizes)},cold,1,{rep},"
                          f"{noisy:.6g}")


if __name__ == "__main__":
    if sys.argv[1] == "fit":
        print_laws(sys.argv[2])
    else:
        print_samples(sys.argv[2], float(sys.argv[3]), sys.argv[4])
