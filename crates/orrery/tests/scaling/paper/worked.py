"""Prints the worked numbers of docs/models.md, in exact arithmetic: least squares by the normal equations of fractions."""

from fractions import Fraction as F

SIZES = (1000, 2000, 3000, 4000)
TIMES = {  # P: (Ta, Tc) for each size, in tenths of a second
    2: ((32, 6), (205, 19), (650, 44), (1490, 75)),
    4: ((17, 8), (105, 26), (329, 58), (750, 101)),
    8: ((10, 14), (55, 45), (167, 101), (378, 178)),
}


def solve(rows, right):
    """Least squares over fractions."""
    count = len(rows[0])
    table = [
        [sum(r[i] * r[j] for r in rows) for j in range(count)] + [sum(r[i] * y for r, y in zip(rows, right))]
        for i in range(count)
    ]
    for i in range(count):
        pivot = next(k for k in range(i, count) if table[k][i] != 0)
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for k in range(count):
            if k != i:
                table[k] = [x - table[k][i] * y for x, y in zip(table[k], table[i])]
    return [row[count] for row in table]


def curve(coefficients, n):
    value = F(0)
    for k in coefficients:
        value = value * n + k
    return value


work = {p: solve([[F(n) ** k for k in (3, 2, 1, 0)] for n in SIZES], [F(t[0], 10) for t in times]) for p, times in TIMES.items()}
talk = {p: solve([[F(n) ** k for k in (2, 1, 0)] for n in SIZES], [F(t[1], 10) for t in times]) for p, times in TIMES.items()}
points = [(p, n) for p in TIMES for n in SIZES]
k7_8 = solve([[curve(work[2], n) / p, F(1)] for p, n in points], [curve(work[p], n) for p, n in points])
k9_11 = solve(
    [[p * curve(talk[2], n), curve(talk[2], n) / p, F(1)] for p, n in points], [curve(talk[p], n) for p, n in points]
)
for name, value in zip(range(12), work[2] + talk[2] + k7_8 + k9_11):
    print(f"k{name} {float(value):.5e}")
n, p = 5000, 6
ta = k7_8[0] * curve(work[2], n) / p + k7_8[1]
tc = k9_11[0] * p * curve(talk[2], n) + k9_11[1] * curve(talk[2], n) / p + k9_11[2]
print(f"Ta {float(ta):.3f} Tc {float(tc):.3f} T {float(ta + tc):.3f}")
