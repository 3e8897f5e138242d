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
    ("gatherv", 5, "one", "init; 0:gatherv 10 10 20000 300 40000 100000 1; 1:gatherv 20000 10 20000 300 40000 100000 1; 2:gatherv 300 10 20000 300 40000 100000 1; 3:gatherv 40000 10 20000 300 40000 100000 1; 4:gatherv 100000 10 20000 300 40000 100000 1"),
    ("gatherv-doubles", 3, "one", "init 0; gatherv 3000 3000 3000 3000 2 1 1"),
    ("scatterv", 4, "one", "init; scatterv 1000 200000 30 70000 200000 2"),
    ("allgatherv", 4, "one", "init; 0:allgatherv 10 10 20000 300 40000; 1:allgatherv 20000 10 20000 300 40000; 2:allgatherv 300 10 20000 300 40000; 3:allgatherv 40000 10 20000 300 40000"),
    ("allgatherv-displaced", 3, "one", "init; allgatherv 1000 1000 1000 1000 0 1000 2000"),
    ("alltoallv", 3, "one", "init; 0:alltoallv 9 1 20000 3 9 1 500 700000; 1:alltoallv 9 500 1 8 9 20000 1 9; 2:alltoallv 9 700000 9 1 9 3 8 1"),
    ("scan", 6, "one", "init; scan 30000 1e6"),
    ("exscan", 6, "one", "init; exscan 300000 0"),
    ("reducescatter-equal", 6, "one", "init; reducescatter 3000 3000 3000 3000 3000 3000 1e6"),
    ("reducescatter-doubling-8", 8, "one", "init; reducescatter 1000 2000 3000 4000 5000 6000 7000 80000 1e6"),
    ("reducescatter-doubling-5", 5, "one", "init; 1:compute 1e6; reducescatter 1000 2000 3000 4000 50000 1e6"),
    ("reducescatter-doubling-6", 6, "one", "init; reducescatter 70000 2000 0 4000 5000 6000 0"),
    ("reducescatter-doubling-7", 7, "one", "init; 6:compute 3e6; reducescatter 1000 2000 3000 4000 5000 90000 3 0"),
    ("reducescatter-doubling-13", 13, "one", "init; reducescatter 1 2 3 4 5 6 7 8 9 10 11 12 13000 0"),
    ("reducescatter-pairs", 5, "one", "init 0; reducescatter 200000 100000 300000 1000 0 1e6"),
    ("probe", 2, "one", "init; 0:send 1 0 1000; 1:recv 0 0 -1"),
    ("probe-late", 2, "one", "init; 0:compute 1e6; 0:send 1 0 1000; 1:recv 0 0 -1"),
    ("probe-irecv", 2, "one", "init; 0:send 1 0 100000; 1:irecv 0 0 -1; 1:wait 0 1 0"),
    ("any", 3, "one", "init; 0:compute 1e6; 0:send 2 0 1e5; 1:send 2 0 2e5; 2:recv -555 0 2e5; 2:recv -555 0 2e5"),
    ("any-irecv", 3, "one", "init; 0:compute 1e6; 0:send 2 0 1e5; 1:send 2 0 2e5; 2:irecv -555 0 2e5; 2:irecv -555 0 2e5; 2:waitall"),
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
