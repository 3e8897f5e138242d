#!/usr/bin/env python3
"""Makes learn.csv and test.csv: times of an invented cluster like that of Kishimoto and Ichikawa (2004), an Athlon and eight
Pentium-II. Its laws are those of tests/scaling_paper/cluster.rs: computation and communication of an element over N and P
are polynomials, each multiplied by normal noise of 1 %. No number is measured.

    python3 testdata/scaling/generate.py      (from the root of the repository)
"""

import pathlib
import random

HERE = pathlib.Path(__file__).parent
NOISE = 0.01


def horner(coefficients, n):
    value = 0.0
    for k in coefficients:
        value = value * n + k
    return value


def parts(kind, m, total, n):
    """Ta and Tc of an element with m of all processes."""
    if total == m:
        growth, others = 1 + 0.02 * (m - 1), m - 1
        ta = horner([1.75e-9, 1.2e-6, 1e-4, 0.01], n) * growth
        tc = horner([2e-8, 1e-5, 1e-3], n) * others
    else:
        ta = horner([1.8e-9, 1.5e-6, 2e-4, 0.02], n) * m * (1 + 0.03 * (m - 1)) / total
        tc = horner([7e-7, 2.5e-3, 0.05], n) * (1 + 0.02 * (m - 1)) * (0.12 * total + 1 / total)
    return (ta * 0.27, tc * 0.85) if kind == "athlon" else (ta, tc)


def row(random, n, configuration):
    total = sum(elements * m for _, elements, m in configuration)
    times = {}
    for kind, elements, m in configuration:
        ta, tc = parts(kind, m, total, n)
        times[kind] = (ta * random.gauss(1, NOISE), tc * random.gauss(1, NOISE))
    fields = [str(n)]
    for kind in ("athlon", "pentium-ii"):
        share = next((c for c in configuration if c[0] == kind), None)
        fields += [str(share[1]), str(share[2])] if share else ["0", ""]
        fields += ["%.4f" % t for t in times[kind]] if share else ["", ""]
    return ",".join(fields)


def write(name, configurations, sizes, seed, origin):
    source = random.Random(seed)
    lines = ["# " + origin, "n,p1,m1,ta1,tc1,p2,m2,ta2,tc2"]
    lines += [row(source, n, configuration) for n in sizes for configuration in configurations]
    (HERE / name).write_text("\n".join(lines) + "\n")


def main():
    learn = [[("athlon", 1, m)] for m in range(1, 4)]
    learn += [[("pentium-ii", p, m)] for p in (1, 2, 4, 8) for m in range(1, 4)]
    write("learn.csv", learn, [1600, 3200, 4800, 6400], 1, "invented: each kind by itself, see generate.py")
    athlons = [None] + [("athlon", 1, m) for m in range(1, 4)]
    pentiums = [None] + [("pentium-ii", p, 1) for p in (1, 2, 4, 6, 8)]
    test = [[share for share in (a, b) if share] for a in athlons for b in pentiums if a or b]
    write("test.csv", test, [1600, 3200, 4800, 6400, 9600], 2, "invented: mixed configurations, see generate.py")


main()
