#!/usr/bin/env python3
"""Writes platforms.csv and the files platforms/*.xml: times of small traces on platforms with loopback links and settings.

Each platform is replayed by SimGrid 3.32 (`smpirun -replay`, Debian packages simgrid and libsimgrid-dev). Columns: platform,
network (the value of network/model), trace, hosts (one for each rank, separated by blanks), actions, seconds. Actions stand
between semicolons, "RANK:" before those of one rank alone.
"""
import os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'

def config(**settings):
    props = "".join(f'    <prop id="{key}" value="{value}"/>\n' for key, value in settings.items())
    return f"  <config>\n{props}  </config>\n"

def hosts(names="ab", props="", host="", link="", loopback=""):
    """Explicit hosts, each pair joined by its own links."""
    text = '  <zone id="world" routing="Full">\n'
    for name in names:
        body = f">{props}</host>" if props else "/>"
        text += f'    <host id="{name}" speed="1Gf" core="2"{host}{body}\n'
    for name in names:
        text += f'    <link id="l{name}" bandwidth="125MBps" latency="50us"{link}/>\n'
    text += loopback
    for k, a in enumerate(names):
        for b in names[k + 1:]:
            text += f'    <route src="{a}" dst="{b}"><link_ctn id="l{a}"/><link_ctn id="l{b}"/></route>\n'
    return text + "  </zone>\n"

def cluster(more="", props=""):
    body = f">{props}</cluster>" if props else "/>"
    return (f'  <cluster id="c" prefix="" suffix="" radical="0-3" speed="1Gf" core="2" bw="125MBps" lat="50us" {more}{body}\n')

LOOP = ('    <link id="loop" bandwidth="500MBps" latency="1us" sharing_policy="FATPIPE"/>\n'
        + "".join(f'    <route src="{name}" dst="{name}"><link_ctn id="loop"/></route>\n' for name in "ab"))
OVERHEADS = {"smpi/os": "0:1e-5:1e-9;5000:2e-5:5e-10", "smpi/ois": "0:3e-6:2e-9;1000:4e-6:1e-10", "smpi/or": "0:7e-6:3e-9;20000:1e-5:1e-9"}
PROPS = "".join(f'<prop id="{key}" value="{value}"/>' for key, value in OVERHEADS.items())

SIZES = [1, 300, 1000, 5000, 20000, 60000, 100000, 1000000]
def pingpong():
    return "init; " + "; ".join(f"0:send 1 0 {s}; 1:recv 0 0 {s}; 1:send 0 0 {s}; 0:recv 1 0 {s}" for s in SIZES)
def late(ranks):
    """Rank 0 receives from all late, in the opposite order of their starts."""
    others = range(1, ranks)
    text = "init; 0:compute 2e6"
    for s in (500, 6000, 30000, 90000):
        text += "".join(f"; {r}:compute {r}e5; {r}:send 0 {s} {s}" for r in others)
        text += "".join(f"; 0:irecv {r} {s} {s}" for r in reversed(others)) + "; 0:waitall; 0:compute 3e5"
    return text
def exchange(ranks, sizes=(800, 40000, 300000)):
    text = "init"
    for s in sizes:
        for r in range(ranks):
            peers = [(r + d) % ranks for d in range(1, ranks)]
            text += "".join(f"; {r}:irecv {p} 0 {s}" for p in peers) + "".join(f"; {r}:isend {p} 0 {s}" for p in peers)
        text += "; waitall"
        text += "".join(f"; {r}:compute {r + 1}e5" for r in range(ranks))
    return text + "; barrier; allreduce 30000 1e5; alltoall 5000 5000"
def tests():
    return "init; 0:compute 1e6; 0:send 1 0 1000; 1:irecv 0 0 1000; 1:compute 3e6; 1:test 0 1 0; 1:compute 1e5"

TRACES = {
    "within": (lambda names: [names[0]] * 2, pingpong()),
    "pingpong": (lambda names: names[:2], pingpong()),
    "late": (lambda names: [names[k % len(names)] for k in range(4)], late(4)),
    "exchange": (lambda names: [names[k % len(names)] for k in range(4)], exchange(4)),
    "tests": (lambda names: names[:2], tests()),
}
AB, C = list("ab"), [str(k) for k in range(4)]
ALL = ["within", "pingpong", "late", "exchange"]
MODELS = ["SMPI", "LV08", "CM02", "IB"]
CASES = [
    ("hosts", hosts(), AB, ["SMPI", "LV08", "CM02", "IB"], ALL),
    ("hosts-loopback", hosts(loopback=LOOP), AB, ["SMPI", "CM02"], ALL),
    ("loopback-configured", config(**{"network/loopback-bw": "1e9", "network/loopback-lat": "2e-6"}) + hosts(), AB, MODELS[:2], ALL),
    ("cluster", cluster(), C, ["SMPI", "CM02"], ALL),
    ("cluster-loopback", cluster('loopback_bw="2GBps" loopback_lat="1us"'), C, ["SMPI", "LV08"], ALL),
    ("cluster-loopback-bw", cluster('loopback_bw="2GBps"'), C, ["SMPI", "CM02"], ALL),
    ("cluster-backbone", cluster('bb_bw="300MBps" bb_lat="5us" loopback_bw="2GBps"'), C, ["SMPI"], ALL),
    ("factors", config(**{"network/latency-factor": "5", "network/bandwidth-factor": "0.5"}) + hosts(), AB, MODELS, ALL),
    ("weight", config(**{"network/weight-S": "100000"}) + hosts("abcd"), list("abcd"), MODELS, ALL),
    ("window", config(**{"network/TCP-gamma": "5000"}) + hosts(), AB, ["SMPI", "LV08"], ALL),
    ("no-crosstraffic", config(**{"network/crosstraffic": "no"}) + hosts(), AB, ["SMPI", "LV08"], ALL),
    ("smpi-factors", config(**{"smpi/bw-factor": "50000:0.5;1000:0.8;0:0.9", "smpi/lat-factor": "2000:3;100:2"}) + hosts(), AB, ["SMPI", "IB", "LV08"], ALL),
    ("ib-penalties", config(**{"smpi/IB-penalty-factors": "0.9;0.8;1.5"}) + cluster(), C, ["IB"], ALL),
    ("detached", config(**{"smpi/send-is-detached-thresh": "10000"}) + hosts(), AB, ["SMPI"], ALL),
    ("async", config(**{"smpi/async-small-thresh": "10000"}) + hosts(), AB, ["SMPI", "CM02"], ALL + ["tests"]),
    ("async-all", config(**{"smpi/async-small-thresh": "65536"}) + hosts(), AB, ["SMPI", "IB"], ALL + ["tests"]),
    ("overheads", config(**OVERHEADS) + hosts(), AB, ["SMPI"], ALL + ["tests"]),
    ("overheads-of-hosts", hosts(props=PROPS), AB, ["SMPI", "LV08"], ALL + ["tests"]),
    ("overheads-of-cluster", cluster(props=PROPS), C, ["SMPI"], ALL + ["tests"]),
    ("overheads-async", config(**{"smpi/async-small-thresh": "10000"}, **OVERHEADS) + hosts(), AB, ["SMPI"], ALL + ["tests"]),
    ("test-time", config(**{"smpi/test": "1e-3"}) + hosts(), AB, ["SMPI"], ["tests"]),
    ("states", hosts(host=' pstate="1"').replace('speed="1Gf"', 'speed="2Gf,0.5Gf"'), AB, ["SMPI"], ["late"]),
    ("model", config(**{"network/model": "LV08"}) + hosts(), AB, ["SMPI"], ALL),
]

rows = ["platform,network,trace,hosts,actions,seconds"]
os.makedirs(os.path.join(HERE, "platforms"), exist_ok=True)
for platform, text, names, models, traces in CASES:
    xml = os.path.join(HERE, "platforms", f"{platform}.xml")
    with open(xml, "w") as file:
        file.write(HEAD + text + "</platform>\n")
    for model in models:
        for trace in traces:
            of_ranks, actions = TRACES[trace]
            places = of_ranks(names)
            with tempfile.TemporaryDirectory() as folder:
                path = lambda file: os.path.join(folder, file)
                open(path("hosts"), "w").write("".join(f"{host}\n" for host in places))
                for rank in range(len(places)):
                    own = [a.strip() for a in actions.split(";")]
                    own = [a.split(":")[1] if ":" in a else a for a in own if ":" not in a or a.split(":")[0] == str(rank)]
                    open(path(f"{rank}.txt"), "w").write("".join(f"{rank} {a}\n" for a in own + ["finalize"]))
                open(path("index"), "w").write("".join(path(f"{rank}.txt") + "\n" for rank in range(len(places))))
                out = subprocess.run(["smpirun", "-np", str(len(places)), "-no-privatize", "-platform", xml, "-hostfile",
                                      path("hosts"), "-replay", path("index"), "--cfg=smpi/host-speed:1Gf",
                                      f"--cfg=network/model:{model}", "--log=root.fmt:[%.12r]%m%n"], capture_output=True, text=True)
                lines = [line for line in (out.stdout + out.stderr).splitlines() if "Simulation time" in line]
                if not lines:
                    print(platform, model, trace, out.stdout[-300:], out.stderr[-600:], file=sys.stderr)
                    continue
                seconds = lines[0].split("]")[0].split("[")[1]
                rows.append(f"{platform},{model},{trace},{' '.join(places)},{actions},{seconds}")
open(os.path.join(HERE, "platforms.csv"), "w").write("\n".join(rows) + "\n")
