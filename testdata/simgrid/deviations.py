#!/usr/bin/env python3
"""Writes deviations.csv: traces for which SimGrid 3.32 gives times that differ from those of its own models.

- `jacobi`: exchanges with neighbours by blocking sends. SimGrid's default (`network/optim:Lazy`) updates rates of some flows
  only, and misses changes; with `network/optim:Full` it updates all.
- `two-to-one`: two messages to one host with network/model:IB. When the first one ends, SimGrid does not update the penalty
  of the other one, which keeps a penalty of 1.93 although it is alone.

Columns: name, ranks, network, optim, actions, seconds. Cluster and actions are as in actions.csv, ranks on hosts in order.
"""
import os, subprocess, tempfile
HERE = os.path.dirname(os.path.abspath(__file__))

def jacobi(px, py, iterations, size):
    ranks, text = px * py, "init"
    for _ in range(iterations):
        for rank in range(ranks):
            x, y = rank % px, rank // px
            near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            near = [a + b * px for a, b in near if 0 <= a < px and 0 <= b < py]
            text += f"; {rank}:compute 1e6" + "".join(f"; {rank}:irecv {peer} 0 {size}" for peer in near)
            text += "".join(f"; {rank}:send {peer} 0 {size}" for peer in near) + f"; {rank}:waitall"
    return text

TWO = "init; 0:send 2 0 1000000; 1:send 2 0 2000000; 2:irecv 0 0 1000000; 2:irecv 1 0 2000000; 2:waitall"
CASES = [("jacobi", 8, network, optim, jacobi(4, 2, 5, 100000)) for network in ("SMPI", "CM02", "LV08") for optim in ("Lazy", "Full")]
CASES += [("jacobi", 8, "IB", "Full", jacobi(4, 2, 5, 100000))]
CASES += [("two-to-one", 3, "IB", "Full", TWO), ("two-to-one", 3, "SMPI", "Full", TWO)]
rows = ["name,ranks,network,optim,actions,seconds"]
for name, ranks, network, optim, actions in CASES:
    with tempfile.TemporaryDirectory() as folder:
        path = lambda file: os.path.join(folder, file)
        open(path("cluster.xml"), "w").write(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-{ranks - 1}" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>""")
        open(path("hosts"), "w").write("".join(f"node-{rank}\n" for rank in range(ranks)))
        for rank in range(ranks):
            own = [a.strip() for a in actions.split(";")]
            own = [a.split(":")[1] if ":" in a else a for a in own if ":" not in a or a.split(":")[0] == str(rank)]
            open(path(f"{rank}.txt"), "w").write("".join(f"{rank} {a}\n" for a in own + ["finalize"]))
        open(path("index"), "w").write("".join(path(f"{rank}.txt") + "\n" for rank in range(ranks)))
        out = subprocess.run(["smpirun", "-np", str(ranks), "-no-privatize", "-platform", path("cluster.xml"), "-hostfile",
                              path("hosts"), "-replay", path("index"), "--cfg=smpi/host-speed:1Gf", f"--cfg=network/model:{network}",
                              f"--cfg=network/optim:{optim}", "--log=root.fmt:[%.12r]%m%n"], capture_output=True, text=True)
        line = next(line for line in (out.stdout + out.stderr).splitlines() if "Simulation time" in line)
        rows.append(f"{name},{ranks},{network},{optim},{actions},{line.split(']')[0].split('[')[1]}")
open(os.path.join(HERE, "deviations.csv"), "w").write("\n".join(rows) + "\n")
