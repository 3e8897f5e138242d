#!/usr/bin/env python3
"""Judges predictions of routines against their times, beside the closed forms of the paper.

usage: judge.py LAWS NAME…   (in a folder with NAME.validation.json, NAME.json and NAME.speed)
Errors are |predicted − measured| / measured, their means over grids, orders and blocks. The regret
is the time of the grid with the smallest prediction over the smallest time, less 1, for each
variant, order and block. The closed forms are equations 3, 6 and 7 of Caron and Suter (2002), with
the mean λ and τ of the model of Hockney, and the laws of the kernels."""
import collections
import json
import math
import statistics
import sys

sys.dont_write_bytecode = True
from laws import terms  # noqa: E402

MODELS = ["ports", "ports-flows", "paper"]
BARS = {"pdgemm": 0.05, "pdtrsm": 0.08}
VARIANT_BAR, OTHER_BAR, REGRET_BAR = 0.15, 0.12, 0.02


class Paper:
    """The closed forms on a cluster."""

    def __init__(self, name, laws):
        with open(f"{name}.json", encoding="utf-8") as file:
            mean = json.load(file)["models"]["hockney"]["mean"]
        self.latency, byte_delay = (mean[key]["value"] for key in ("latency", "byte_delay"))
        self.element = 8 * byte_delay
        with open(f"{name}.speed", encoding="utf-8") as file:
            self.speed = float(file.read())
        self.laws = laws

    def kernel(self, kernel, variant, m, n, k):
        point = terms(kernel, variant, m, n, k)
        return sum(c * x for c, x in zip(self.laws[kernel], point)) / self.speed

    def gemm(self, m, n, k, block, p, q):
        """Equations 1 and 3."""
        steps = math.ceil(k / block)
        levels = [math.ceil(math.log2(count)) for count in (q, p)]
        elements = levels[0] * m * k / p + levels[1] * k * n / q
        return (steps * self.kernel("gemm", "nn", math.ceil(m / p), math.ceil(n / q), block)
                + elements * self.element + sum(levels) * steps * self.latency)

    def trsm(self, m, n, block, p, q):
        """Equations 4 to 7, for X·A = B."""
        seconds = 0.0
        for i in range(1, math.ceil(n / block) + 1):
            columns = block * math.ceil(max(n - i * block, 0) / (q * block))
            if p > 1:
                columns = min(columns, (p - 1) * block)
            seconds += self.kernel("trsm", "run", block, block, 1)
            seconds += block * block * self.element + self.latency
            if columns:
                seconds += self.kernel("gemm", "nn", block, columns, block)
            if p > 1:
                seconds += block * columns * self.element + self.latency
                if columns:
                    seconds += self.kernel("vector", "", 1, block * columns, 1)
        return seconds * math.ceil(m / block)

    def seconds(self, row):
        p, q = map(int, row["grid"].split("x"))
        if row["routine"] == "pdgemm":
            return self.gemm(row["m"], row["n"], row["k"], row["block"], p, q)
        if row["routine"] == "pdtrsm":
            if row["variant"][0] == "r":
                return self.trsm(row["m"], row["n"], row["block"], p, q)
            return self.trsm(row["n"], row["m"], row["block"], q, p)
        return None


def laws_of(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    laws = {line[0]: [float(word) for word in line[1:]] for line in lines}
    laws["axpy"] = laws["vector"]
    return laws


def calls_of(name, laws):
    """The measured time of each call and its predictions by model."""
    with open(f"{name}.validation.json", encoding="utf-8") as file:
        validation = json.load(file)
    paper, calls = Paper(name, laws), {}
    for row in validation["routines"] + validation.get("redistributions", []):
        call = (row["routine"], row.get("variant", ""), row["n"], row["block"], row["grid"],
                row.get("to"))
        entry = calls.setdefault(call, {"measured": row["measured"]})
        entry[row["model"]] = row["predicted"]
        if row["routine"] in ("pdgemm", "pdtrsm"):
            entry["paper"] = paper.seconds(row)
    return calls


def errors(calls, model):
    return [call[model] / call["measured"] - 1 for call in calls if model in call]


def cell(values):
    if not values:
        return "–"
    mean = statistics.mean(abs(value) for value in values)
    return f"{100 * mean:.1f} ({100 * statistics.mean(values):+.1f}, " \
           f"{100 * max(values, key=abs):+.0f})"


def regrets(calls, model):
    groups = collections.defaultdict(list)
    for (routine, variant, n, block, _, to), call in calls.items():
        if to is None and model in call:
            groups[routine, variant, n, block].append((call[model], call["measured"]))
    return [min(group)[1] / min(time for _, time in group) - 1
            for group in groups.values() if len(group) > 1]


def main(laws_path, names):
    laws, every = laws_of(laws_path), {}
    for name in names:
        for call, entry in calls_of(name, laws).items():
            every[name, *call] = entry
    routines = list(dict.fromkeys(call[1] for call in every))
    print("Mean error (bias, largest) in %, and mean and largest regret in %\n")
    print(f"| routine | cluster | calls | {' | '.join(MODELS)} | regret {MODELS[1]} | paper |")
    print("|---|---|---|" + "---|" * (len(MODELS) + 2))
    for routine in routines:
        for name in [*names, "all"]:
            of = [entry for call, entry in every.items()
                  if call[1] == routine and name in (call[0], "all")]
            text = [cell(errors(of, model)) for model in MODELS]
            for model in (MODELS[1], "paper"):
                own = {call: entry for call, entry in every.items()
                       if call[1] == routine and name in (call[0], "all")}
                found = [regret for one in names for regret in regrets(
                    {call[1:]: entry for call, entry in own.items() if call[0] == one}, model)]
                text.append(f"{100 * statistics.mean(found):.1f}, {100 * max(found):.1f}"
                            if found else "–")
            print(f"| {routine} | {name} | {len(of)} | {' | '.join(text)} |")
    print("\nMean error (bias, largest) in % of each variant\n")
    print(f"| routine | variant | model | {' | '.join(names)} |")
    print("|---|---|---|" + "---|" * len(names))
    for routine, variant in dict.fromkeys(call[1:3] for call in every):
        for model in MODELS:
            text = [cell(errors([entry for call, entry in every.items()
                                 if call[:3] == (name, routine, variant)], model))
                    for name in names]
            if any(one != "–" for one in text):
                print(f"| {routine} | {variant} | {model} | {' | '.join(text)} |")
    passed = 0
    for routine in routines:
        of = [entry for call, entry in every.items() if call[1] == routine]
        mean = statistics.mean(abs(error) for error in errors(of, MODELS[1]))
        bar = BARS.get(routine, OTHER_BAR)
        passed += mean <= bar
        print(f"\n{routine}: {100 * mean:.1f} %, bar {100 * bar:.0f} %", end="")
    print(f"\n{passed} of {len(routines)} routines meet their bar; each variant "
          f"{100 * VARIANT_BAR:.0f} %, regret {100 * REGRET_BAR:.0f} %")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
