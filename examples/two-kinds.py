#!/usr/bin/env python3
"""Makes two-kinds.csv: times of a dense solver on a made-up cluster of one Athlon and eight Pentium-II.

T = max over the kinds of computation m·s·N³/P + (m − 1)·8e-9·N², communication between elements 1.2e-7·N² + 2e-3·N·log2 P,
and 5e-8·N²·m/P, with 1 % noise. The sizes and configurations are those of the "NL" plan of Kishimoto and Ichikawa (2004).
"""
import math
import random

SPEED = {"athlon": 3.7e-10, "pentium-ii": 1.53e-9}
random.seed(1)


def seconds(n, kind, elements, m):
    processes = elements * m
    between = 1.2e-7 * n * n + 2e-3 * n * math.log2(processes) if elements > 1 else 0
    own = m * SPEED[kind] * n**3 / processes + (m - 1) * 8e-9 * n * n + 5e-8 * n * n * m / processes
    return (own + between) * (1 + random.gauss(0, 0.01))


with open(__file__.replace(".py", ".csv"), "w") as table:
    table.write("matrix,athlons,per_athlon,pentiums,per_pentium,time\n")
    for n in (1600, 3200, 4800, 6400):
        for m in range(1, 7):
            table.write(f"{n},1,{m},0,0,{seconds(n, 'athlon', 1, m):.3f}\n")
        for elements in (1, 2, 4, 8):
            for m in range(1, 7):
                table.write(f"{n},0,0,{elements},{m},{seconds(n, 'pentium-ii', elements, m):.3f}\n")
