#!/usr/bin/env python3
"""Writes ports.csv: times of small traces on a fitted machine as SimGrid's smpirun replays them.

usage: ports.py ORRERY   (the command; it writes ports.xml, the platform of the model in ports.json)

Columns: name, actions, seconds. Actions stand between semicolons, "RANK:" before those of one rank alone. Rank r is on host r.
"""
import json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL, PLATFORM = os.path.join(HERE, "ports.json"), os.path.join(HERE, "ports.xml")
HOSTS = [processor["host"] for processor in json.load(open(MODEL))["processors"]]
RANKS = range(len(HOSTS))

def others(rank): return [r for r in RANKS if r != rank]
def scatter(root, m): return "".join(f"; {root}:send {r} 0 {m}; {r}:recv {root} 0 {m}" for r in others(root))
def gather(root, m): return "".join(f"; {root}:recv {r} 0 {m}; {r}:send {root} 0 {m}" for r in others(root))
def alltoall(m):
    text = "".join(f"; {r}:irecv {p} 0 {m}" for r in RANKS for p in others(r))
    return text + "".join(f"; {r}:isend {p} 0 {m}" for r in RANKS for p in others(r)) + "; waitall"
def ring(m):
    n = len(HOSTS)
    step = lambda k: "".join(f"; {r}:isend {(r + 1) % n} {k} {m}; {r}:recv {(r - 1) % n} {k} {m}" for r in RANKS) + "; waitall"
    return "".join(step(k) for k in range(n - 1))

SIZES = (1000, 16000, 60000, 200000)
CASES = [(f"{name} {root} {m}", of(root, m)) for name, of in (("scatter", scatter), ("gather", gather)) for root in RANKS for m in SIZES]
CASES += [(f"{name} {m}", of(m)) for name, of in (("alltoall", alltoall), ("ring", ring)) for m in SIZES]

subprocess.run([sys.argv[1], "model", "export", MODEL, "--for", "simgrid", "-o", PLATFORM, "--force"], check=True)
rows = ["name,actions,seconds"]
for name, actions in CASES:
    actions = "init" + actions
    with tempfile.TemporaryDirectory() as folder:
        path = lambda file: os.path.join(folder, file)
        open(path("hosts"), "w").write("".join(f"{host}\n" for host in HOSTS))
        for rank in RANKS:
            own = [a.strip() for a in actions.split(";")]
            own = [a.split(":")[1] if ":" in a else a for a in own if ":" not in a or a.split(":")[0] == str(rank)]
            open(path(f"{rank}.txt"), "w").write("".join(f"{rank} {a}\n" for a in own + ["finalize"]))
        open(path("index"), "w").write("".join(path(f"{rank}.txt") + "\n" for rank in RANKS))
        out = subprocess.run(["smpirun", "-np", str(len(HOSTS)), "-no-privatize", "-platform", PLATFORM, "-hostfile",
                              path("hosts"), "-replay", path("index"), "--cfg=smpi/host-speed:1Gf",
                              "--log=root.fmt:[%.12r]%m%n"], capture_output=True, text=True)
        lines = [line for line in (out.stdout + out.stderr).splitlines() if "Simulation time" in line]
        if not lines:
            sys.exit(f"{name}: {out.stderr[-500:]}")
        rows.append(f"{name},{actions},{lines[0].split(']')[0].split('[')[1]}")
open(os.path.join(HERE, "ports.csv"), "w").write("\n".join(rows) + "\n")
