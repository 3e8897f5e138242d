#!/usr/bin/env python3
"""Makes choices.csv: runs of a solver on an invented cluster of a fast element and four slow ones.

T = max over the kinds of m·s·N³/P + 2e-7·N²·m, and 1.5e-5·N² between elements, with 1 % noise. Runs of both kinds together
take longer by a factor that no model of the single kinds can know. One configuration was run with two variants of HPL.
"""

import pathlib
import random

SPEED = {"fast": 4e-8, "slow": 1.6e-7}
BASIC = ["WR11C2R4", "mix:64", "transposed", "transposed", "yes", "8"]
OTHER = ["WR13R2C8", "spread-roll", "transposed", "no-transposed", "yes", "16"]
random.seed(1)


def seconds(n, fast, slow):
    shares = [("fast", *fast), ("slow", *slow)]
    processes = sum(elements * m for _, elements, m in shares)
    used = [(kind, m) for kind, elements, m in shares if elements]
    between = 1.5e-5 * n * n if fast[0] + slow[0] > 1 else 0
    own = max(m * SPEED[kind] * n**3 / processes + 2e-7 * n * n * m for kind, m in used)
    return (own + between) * (1 + random.gauss(0, 0.01))


def row(n, fast, slow, factor=1.0, variant=BASIC):
    processes = fast[0] * fast[1] + slow[0] * slow[1]
    time = f"{factor * seconds(n, fast, slow):.2f}"
    return ",".join(map(str, [n, 64, 1, processes, *fast, *slow, time, *variant]))


rows = ["n,block,p,q,elements:fast,processes:fast,elements:slow,processes:slow,seconds,variant,swap,l1,u,equil,align"]
for n in (800, 1200, 1600):
    rows += [row(n, (1, m), (0, 0)) for m in (1, 2, 3, 4)]
    rows += [row(n, (0, 0), (elements, m)) for elements in (1, 2, 4) for m in (1, 2)]
rows += [row(2600, (1, 4), (4, 1), factor=1.25), row(2600, (1, 4), (4, 1), factor=1.27)]
rows += [row(2600, (1, 3), (4, 1), factor=1.02), row(2600, (1, 3), (4, 1), factor=0.98, variant=OTHER)]
(pathlib.Path(__file__).parent / "choices.csv").write_text("\n".join(rows) + "\n")
