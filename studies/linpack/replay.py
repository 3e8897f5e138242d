"""Compares the time of each traced run with its replay on the network and placement that it was recorded on.

Runs on the testbed are replayed with max-min fairness and the eager limit of the MPI library, the same with buffers of connections that make the replay
of the first run on `rrn` as long as that run, and an eager limit above all messages, as if the system took all data at once. Runs on two cores are replayed with the point-to-point model of these cores.

usage: replay.py ORRERY CLUSTER MEMORY RUNS   (MEMORY is a fit of hockney to memory.csv; RUNS has a folder for each run)
"""

import pathlib
import sys
import tempfile

from linpack import PLACEMENTS, table

BUFFER = "320K"


def ends(rows):
    """The time of a program: the last end of its tasks."""
    return max(float(row["seconds"]) for row in rows)


def main(orrery, cluster, memory, runs):
    print(f"| run | program | replay, eager limit 64K | 64K, send buffer {BUFFER} | 2M |")
    print("|---|---|---|---|---|")
    for folder in sorted(pathlib.Path(runs).glob("*-*")):
        placement = folder.name.rsplit("-", 1)[0]
        time = ends(table(orrery, "trace", "profile", folder))
        if placement == "memory":
            found = [ends(table(orrery, "simulate", folder, "--network", "hockney", "--parameters", memory, "--speed", "1e9"))]
        else:
            with tempfile.NamedTemporaryFile("w", suffix=".hosts") as file:
                file.write("\n".join(PLACEMENTS[placement].split()) + "\n")
                file.flush()
                options = ["--cluster", cluster, "--network", "maxmin", "--placement", file.name]
                variants = [["--eager", "64K"], ["--eager", "64K", "--send-buffer", BUFFER], ["--eager", "2M"]]
                found = [ends(table(orrery, "simulate", folder, *options, *variant)) for variant in variants]
        texts = [f"{one:.2f} s ({100 * (one / time - 1):+.1f} %)" for one in found] + ["–"] * (3 - len(found))
        print(f"| {folder.name} | {time:.2f} s | " + " | ".join(texts) + " |")


main(*sys.argv[1:])
