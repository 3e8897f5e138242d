#!/usr/bin/env python3
"""Writes regions.txt: an invented program of six regions in the text format of Extra-P, five numbers of processes with three runs
each. usage: regions.py > regions.txt"""
import math
import random

NOISE = random.Random(7)
PROCESSES = [8, 16, 32, 64, 128]
LEAVES = {
    "main->setup": lambda p: 0.8 + 0.02 * math.log2(p),
    "main->solve->update": lambda p: 640 / p,
    "main->solve->exchange": lambda p: 0.05 * math.sqrt(p),
    "main->solve->norm": lambda p: 0.12 * math.log2(p),
    "main->output": lambda p: 0.004 * p,
}
print("PARAMETER processes")
print("POINTS", *(f"({p})" for p in PROCESSES))
print("METRIC time")
runs = {
    name: [[law(p) * NOISE.uniform(0.98, 1.02) for _ in range(3)] for p in PROCESSES]
    for name, law in LEAVES.items()
}
for caller in ("main->solve", "main"):
    called = [times for name, times in runs.items() if name.startswith(f"{caller}->") and name.count("->") == caller.count("->") + 1]
    runs[caller] = [[sum(times[k][run] for times in called) for run in range(3)] for k in range(len(PROCESSES))]
for name in sorted(runs):
    print(f"REGION {name}")
    for times in runs[name]:
        print("DATA", *(f"{seconds:.4g}" for seconds in times))
