"""Writes kernels.csv: times of dgemm on two simulated hosts, whose small calls are slower than large ones.

usage: python3 kernels.py > kernels.csv
"""

import random

random.seed(4)
print("# format: orrery-kernels 1")
print("# machine: two simulated hosts, b three times slower than a, with 1 % noise (examples/kernels.py)")
print("host,library,kernel,variant,m,n,k,operands,threads,rep,seconds")
for host, factor in (("a", 1), ("b", 3)):
    for _ in range(40):
        m, n, k = (int(2 ** random.uniform(5, 11)) for _ in range(3))
        rate = 6e9 if min(m, n, k) < 100 else 1e10
        for rep in range(2):
            time = factor * (2 * m * n * k / rate + 4e-10 * m * n + 1e-6) * (1 + random.gauss(0, 0.01))
            print(f"{host},simulated,dgemm,nn,{m},{n},{k},warm,1,{rep},{time:.6g}")
