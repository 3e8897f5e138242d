"""Writes disks.csv: an invented program on two file systems, 12 % slower on the second, with a noise of 1 %."""
import random

random.seed(1)
print("x,disk,seconds")
for x in [100, 200, 400, 800, 1600, 3200]:
    for disk in ["local", "nfs"]:
        for _ in range(2):
            seconds = (5 + 0.02 * x**1.5) * (1.12 if disk == "nfs" else 1)
            print(f"{x},{disk},{seconds * random.gauss(1, 0.01):.4f}")
