#!/usr/bin/env python3
"""Makes the outputs of HPL in this folder: the layout of HPL_pdtest.c, times from a made-up law."""

LINE, DASHES = "=" * 80, "-" * 80
VVV = "--VVV" * 15 + "-"
HEAD = f"""{LINE}
HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018
Written by A. Petitet and R. Clint Whaley,  Innovative Computing Laboratory, UTK
{LINE}

An explanation of the input/output parameters follows:
T/V    : Wall time / encoded variant.
N      : The order of the coefficient matrix A.
Gflops : Rate of execution for solving the linear system.

The following parameter values will be used:

N      :    2400     4800     7200     9600
NB     :      64
"""
TAIL = """Finished      {} tests with the following results:
"""


def operations(n):
    return (2 / 3 * n + 1.5) * n * n


def seconds(n):
    return operations(n) / 5e9 + 1e-7 * n * n


def table(n, p, q, time, passed=True, phases=True, bcast=False, progress=False):
    out = ""
    if progress:
        out += "Column=000000064 Fraction= 0.7% Gflops=4.321e+00\n"
    out += f"{LINE}\nT/V                N    NB     P     Q               Time                 Gflops\n{DASHES}\n"
    out += "WR11C2R4%12d %5d %5d %5d %18.2f %18.4e\n" % (n, 64, p, q, time, operations(n) / time / 1e9)
    out += "HPL_pdgesv() start time Mon Jan  5 10:00:00 2026\n\nHPL_pdgesv() end time   Mon Jan  5 10:00:59 2026\n\n"
    if phases:
        out += f"{VVV}\n"
        names = [("rfact . . . ", 0.10), ("pfact . . ", 0.08), ("mxswp . . ", 0.03), ("update  . . ", 0.80)]
        names += [("laswp . . ", 0.20)] + ([("bcast . . ", 0.05)] if bcast else []) + [("up tr sv  . ", 0.01)]
        for name, part in names:
            nested = name.split()[0] in ("pfact", "mxswp", "laswp", "bcast")
            out += "%sMax aggregated wall time %s: %18.2f\n" % ("+ " if nested else "", name, part * time)
    verdict = "PASSED" if passed else "FAILED"
    out += f"{DASHES}\n||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.01520000e-03 ...... {verdict}\n"
    if not passed:
        out += "||Ax-b||_oo  . . . . . . . . . . . . . . . . . =           4.231000\n"
    return out + f"{LINE}\n"


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


sizes = [2400, 4800, 7200, 9600]
write("HPL.out", HEAD + "".join(table(n, 1, 4, seconds(n), n < 9600, progress=True) for n in sizes) + TAIL.format(4))
write("HPL-bcast.out", HEAD + table(4800, 2, 2, seconds(4800), bcast=True) + TAIL.format(1))
hpcc = "Begin of MPIRandomAccess section.\nRunning on 4 processors (PowerofTwo)\nEnd of MPIRandomAccess section.\n"
hpcc += "Begin of PTRANS section.\nWALL   500  80  80   2   2     0.01    PASSED   0.123  0.00\nEnd of PTRANS section.\n"
hpcc += "Begin of HPL section.\n" + HEAD + table(4800, 2, 2, seconds(4800), phases=False) + TAIL.format(1) + "End of HPL section.\n"
write("hpccoutf.txt", hpcc + "Begin of Summary section.\nHPL_Tflops=0.00491\nHPL_N=4800\nEnd of Summary section.\n")
