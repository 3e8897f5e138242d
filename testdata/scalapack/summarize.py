"""Counts of messages and kernels per rank, from traces of `orrery-scalapack --trace`.

Usage: python3 summarize.py TRACE... > counts.csv
"""

import csv
import sys
from collections import Counter

SENT, RECEIVED = {"send", "isend", "ssend", "rsend", "sendrecv-send"}, {"recv", "irecv", "sendrecv-recv"}
COLLECTIVES = ["bcast", "reduce", "allreduce"]
KERNELS = ["dgemm", "dtrsm", "dsyrk", "dtrmm", "dgemv", "dger"]
CALL = ["routine", "variant", "m", "n", "k", "block", "rows", "columns", "rank"]


def operations(row):
    m, n, k = (int(row[key] or 0) for key in ("km", "kn", "kk"))
    if row["kernel"] == "dgemm":
        return 2 * m * n * k
    if row["kernel"] in ("dgemv", "dger"):
        return 2 * m * n
    if row["kernel"] == "dsyrk":
        return n * n * k
    return m * m * n if row["kernel_variant"].startswith("l") else m * n * n


counts = {}
to = ["to_rows", "to_columns"]
for path in sys.argv[1:]:
    for row in csv.DictReader(open(path)):
        # The second grid of a redistribution follows the rank.
        key = [row[key] for key in CALL] + [row[key] for key in to if row[key]]
        of = counts.setdefault(tuple(key), Counter())
        event = row["event"]
        kind = "send" if event in SENT else "receive" if event in RECEIVED else event
        if kind == "kernel":
            # Calls on empty parts do nothing.
            if row["kernel"] in KERNELS and "0" not in (row["km"], row["kn"], row["kk"]):
                of[row["kernel"]] += 1
                of[row["kernel"] + "_operations"] += operations(row)
        elif row["bytes"] != "0" and not (event in COLLECTIVES and " " not in row["group"]):
            # Messages without content and collective operations of one process are left out.
            of[kind] += 1
            of[kind + "_bytes"] += int(row["bytes"] or 0)

kinds = ["send", "receive", *COLLECTIVES]
columns = [name for kind in kinds for name in (kind, kind + "_bytes")]
columns += [name for kernel in KERNELS for name in (kernel, kernel + "_operations")]
writer = csv.writer(sys.stdout, lineterminator="\n")
is_moved = all(len(call) > len(CALL) for call in counts)
writer.writerow(CALL + to * is_moved + columns)
for call in sorted(counts, key=lambda call: (call[:2], tuple(int(value or 0) for value in call[2:]))):
    writer.writerow([*call, *(counts[call][column] for column in columns)])
