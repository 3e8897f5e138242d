#!/usr/bin/env python3
"""Writes homogeneous clusters of SimGrid into a folder: NAME.xml, NAME.hosts, NAME.options.

usage: platforms.py FOLDER
A host of 1 Gflop/s computes as fast as the laws of the kernels say, others in proportion."""
import os
import sys

# Name: hosts, bytes per second of a port, latency of a port, speed in Gflop/s, settings of SMPI.
# Messages are eager below 64 KiB. Collective operations are those of Open MPI 4.1, but trees on
# tree8. On curved8 rate and latency have the factors by size that SimGrid fitted to a cluster of
# Grid'5000: a message of 64 KiB has 0.6 of the rate of a large one.
PLAIN = ["smpi/bw-factor:0:0.97", "smpi/lat-factor:0:1.0"]
TREES = ["smpi/bcast:binomial_tree", "smpi/reduce:ompi_binomial", "smpi/allreduce:rdb"]
CLUSTERS = {
    "giga8": (8, 125e6, 15e-6, 0.25, PLAIN),
    "ten16": (16, 1.25e9, 2e-6, 1.0, PLAIN),
    "giga32": (32, 125e6, 15e-6, 0.25, PLAIN),
    "tree8": (8, 125e6, 15e-6, 0.25, [*PLAIN, *TREES]),
    "curved8": (8, 125e6, 15e-6, 0.25, []),
}
EAGER = 64 << 10
COMMON = [
    f"smpi/async-small-thresh:{EAGER}", f"smpi/send-is-detached-thresh:{EAGER}",
    "smpi/simulate-computation:no", "smpi/coll-selector:ompi", "smpi/test:1e-7",
    "smpi/iprobe:1e-7", "smpi/wtime:0"]
OVERHEADS = {"os": "0:2e-6:6e-11", "ois": "0:1.5e-6:5e-11", "or": "0:2.5e-6:8e-11"}


def platform(hosts, rate, latency, speed):
    """The text of a platform: hosts on one switch, with a link in each direction."""
    overheads = "".join(f'<prop id="smpi/{key}" value="{value}"/>'
                        for key, value in OVERHEADS.items())
    lines = ["<?xml version='1.0'?>",
             '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1">', '<zone id="cluster" routing="Full">']
    for host in range(hosts):
        lines.append(f'<host id="h{host}" speed="{speed}Gf">{overheads}</host>')
        for port in ("out", "in"):
            lines.append(f'<link id="{port}{host}" bandwidth="{rate}Bps" latency="{latency}s"/>')
        lines.append(f'<link id="memory{host}" bandwidth="6e9Bps" latency="3e-7s"/>')
    for a in range(hosts):
        lines.append(f'<route src="h{a}" dst="h{a}" symmetrical="NO">'
                     f'<link_ctn id="memory{a}"/></route>')
        for b in range(hosts):
            if a != b:
                lines.append(f'<route src="h{a}" dst="h{b}" symmetrical="NO">'
                             f'<link_ctn id="out{a}"/><link_ctn id="in{b}"/></route>')
    return "\n".join([*lines, "</zone>", "</platform>", ""])


def main(folder):
    for name, (hosts, rate, latency, speed, settings) in CLUSTERS.items():
        texts = {
            "xml": platform(hosts, rate, latency, speed),
            "hosts": "".join(f"h{host}\n" for host in range(hosts)),
            "options": "".join(f"--cfg={one}\n" for one in [*COMMON, *settings]),
            "speed": f"{speed}\n",
        }
        for kind, text in texts.items():
            with open(os.path.join(folder, f"{name}.{kind}"), "w", encoding="utf-8") as out:
                out.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
