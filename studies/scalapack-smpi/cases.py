#!/usr/bin/env python3
"""Prints the calls that are timed on a cluster: rows of routine, variant, m, n, k, block, grid and
the grid of a copy.

usage: cases.py HOSTS [ROUTINES]"""
import sys

GRIDS = {
    8: [(1, 8), (2, 4), (4, 2), (8, 1), (2, 3), (3, 2)],
    16: [(1, 16), (2, 8), (4, 4), (8, 2), (16, 1), (3, 5)],
    32: [(1, 32), (2, 16), (4, 8), (8, 4), (16, 2), (32, 1)],
}
VARIANTS = {
    "pdgemm": ["nn", "nt", "tn", "tt"],
    "pdtrsm": [side + triangle + turn for side in "lr" for triangle in "ul" for turn in "nt"],
    "pdsyrk": ["ln", "lt", "un", "ut"],
    "pdgetrf": ["-"],
    "pdpotrf": ["l", "u"],
    "pdgeqrf": ["-"],
    "pdgemr2d": ["-"],
}
# Order and block of all variants, of the first variant, and of some routines.
SHAPES = [(1000, 64), (2000, 32), (2000, 64), (2000, 128)]
LARGE, LARGEST = (4000, 64), (8000, 64)
WITH_LARGEST = ["pdgemm", "pdgemr2d"]


def main(hosts, routines):
    for routine, variants in VARIANTS.items():
        if routines and routine not in routines:
            continue
        for variant in variants:
            is_first = variant == variants[0]
            shapes = SHAPES + [LARGE] * is_first
            shapes += [LARGEST] * (is_first and routine in WITH_LARGEST)
            for n, block in shapes:
                for number, grid in enumerate(GRIDS[hosts]):
                    m = 0 if routine in ("pdsyrk", "pdpotrf") else n
                    k = n if routine in ("pdgemm", "pdsyrk") else 0
                    targets = [(0, 0)]
                    if routine == "pdgemr2d":
                        others = GRIDS[hosts][number + 1:] + GRIDS[hosts][:number]
                        targets = others[:2]
                    for to in targets:
                        print(routine, variant, m, n, k, block, *grid, *to, sep=",")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2].split(",") if len(sys.argv) > 2 else [])
