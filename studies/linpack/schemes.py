"""Writes the schemes of the study: 20 random trees of 4 to 6 nodes, and the complete graphs of 3 to 5 nodes.

A tree of n nodes connects each node from 1 on to a random one before it, in a random direction, after a random renumbering. In a
complete graph each node sends to all nodes of higher numbers. Messages have 4 MiB; no two trees are equal.

usage: schemes.py FOLDER
"""

import pathlib
import random
import sys

TREES = 20
SEED = 2010


def tree(generator):
    """The arcs of a random tree, in ascending order."""
    nodes = generator.randint(4, 6)
    numbers = list(range(nodes))
    generator.shuffle(numbers)
    arcs = []
    for node in range(1, nodes):
        ends = [numbers[generator.randrange(node)], numbers[node]]
        generator.shuffle(ends)
        arcs.append(tuple(ends))
    return sorted(arcs)


def trees():
    """Different trees."""
    generator = random.Random(SEED)
    found = []
    while len(found) < TREES:
        arcs = tree(generator)
        if arcs not in found:
            found.append(arcs)
    return found


def main(folder):
    schemes = {f"tree-{number:02}": arcs for number, arcs in enumerate(trees(), 1)}
    for nodes in range(3, 6):
        schemes[f"complete-{nodes}"] = [(i, j) for i in range(nodes) for j in range(i + 1, nodes)]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, arcs in schemes.items():
        lines = (f"{source} -> {destination} 4M\n" for source, destination in arcs)
        (folder / f"{name}.scheme").write_text("".join(lines))


main(*sys.argv[1:])
