#!/usr/bin/env python3
"""Writes actions.csv: times of small traces as SimGrid's smpirun replays them (SMPI model).

Columns: name, ranks, cluster, actions, seconds. Actions stand between semicolons, "RANK:" before those of one rank alone.
Cluster "one" has a host for each rank (radical 0-(ranks-1), at least two hosts), "2x2" is two hosts of two cores; ranks go
round robin over the hosts. Without `init ARGUMENT` counts are bytes.
"""
import os, subprocess, sys, tempfile
CASES = [
    ("send-small", 2, "one", "init; 0:send 1 0 1000; 1:recv 0 0 1000"),
    ("send-eager-late", 2, "one", "init; 0:send 1 0 60000; 0:compute 1e6; 1:compute 5e6; 1:recv 0 0 60000"),
    ("send-large-late", 2, "one", "init; 0:send 1 0 70000; 0:compute 1e7; 1:compute 5e6; 1:recv 0 0 70000"),
    ("doubles", 2, "one", "init 0; 0:send 1 3 1e5; 1:irecv 0 3 1e5; 1:wait 0 1 3"),
    ("test", 2, "one", "init; 0:isend 1 0 1e6; 0:waitall; 1:irecv 0 0 1e6; 1:test 0 1 0; 1:wait 0 1 0"),
    ("never-waited", 2, "one", "init; 0:isend 1 0 1e6; 1:irecv 0 0 1e6"),
    ("barrier", 5, "one", "init; 3:compute 1e6; barrier; barrier"),
    ("bcast", 7, "one", "init; bcast 1e6 2; bcast 1000"),
    ("reduce", 6, "one", "init; reduce 1e5 1e6 3; reduce 100 0"),
    ("allreduce", 6, "one", "init; allreduce 1e5 1e6"),
    ("gather", 5, "one", "init; gather 20000 20000 1"),
    ("scatter", 5, "one", "init; scatter 200000 200000 1"),
    ("allgather", 6, "one", "init; allgather 30000 30000"),
    ("alltoall-linear", 6, "one", "init; alltoall 30000 30000"),
    ("alltoall-pairs", 64, "one", "init; alltoall 300000 300000"),
    ("alltoall-bruck", 20, "one", "init; alltoall 100 100"),
    ("alltoall-self-pairs", 2, "one", "init; alltoall 10 10"),
    ("same-host", 3, "2x2", "init; 0:send 2 0 1e6; 2:recv 0 0 1e6; 1:compute 1e6"),
    ("shared-cores", 7, "2x2", "init; compute 1e9; barrier; 0:compute 1e9; 2:compute 5e8; 4:compute 25e7; barrier"),
]

def cluster(ranks, kind):
    core, last = ('core="2" ', 1) if kind == "2x2" else ("", max(ranks, 2) - 1)
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{last}" {core}speed="1Gf" bw="125MBps" lat="50us"/>
</platform>"""

rows = ["name,ranks,cluster,actions,seconds"]
for name, ranks, kind, actions in CASES:
    with tempfile.TemporaryDirectory() as folder:
        path = lambda file: os.path.join(folder, file)
        hosts = 2 if kind == "2x2" else max(ranks, 2)
        open(path("cluster.xml"), "w").write(cluster(ranks, kind))
        open(path("hosts"), "w").write("".join(f"node-{rank % hosts}\n" for rank in range(ranks)))
        for rank in range(ranks):
            own = [a.strip() for a in actions.split(";")]
            own = [a.split(":")[1] if ":" in a else a for a in own if ":" not in a or a.split(":")[0] == str(rank)]
            open(path(f"{rank}.txt"), "w").write("".join(f"{rank} {a}\n" for a in own + ["finalize"]))
        open(path("index"), "w").write("".join(path(f"{rank}.txt") + "\n" for rank in range(ranks)))
        out = subprocess.run(["smpirun", "-np", str(ranks), "-no-privatize", "-platform", path("cluster.xml"), "-hostfile",
                              path("hosts"), "-replay", path("index"), "--cfg=smpi/host-speed:1Gf",
                              "--log=root.fmt:[%.12r]%m%n"], capture_output=True, text=True)
        lines = [l for l in (out.stdout + out.stderr).splitlines() if "Simulation time" in l]
        if not lines:
            print(name, out.stdout[-300:], out.stderr[-300:], file=sys.stderr)
            continue
        rows.append(f"{name},{ranks},{kind},{actions},{lines[0].split(']')[0].split('[')[1]}")
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "actions.csv"), "w").write("\n".join(rows) + "\n")
