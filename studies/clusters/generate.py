#!/usr/bin/env python3
"""Random heterogeneous clusters with known execution times.

usage: generate.py FOLDER [FIRST_SEED]

For each of five laws (paper, sharing, panel, turbo, stencil), twenty clusters and two plans of runs (homogeneous, mixed) it
writes FOLDER/LAW-SEED/cluster.toml, PLAN.json and PLAN-parts.json (orrery-runs, the latter with the times of computation and
communication), alone.json (each kind alone on one element) and truth.json: the time of the best configuration found at each
size asked, and those of all configurations or of a sample.
"""
import itertools
import json
import math
import os
import random
import sys

SIZES = [1000, 2000, 3000, 4000]
MIXED_SIZES = [1000, 3000, 5000]
ASKED = [3000, 6000, 8000]
CLUSTERS = 20
MIXED_CONFIGURATIONS = 8
NOISE = 0.015


def draw_cluster(rng):
    kinds = []
    for k in range(rng.choice([2, 3, 4])):
        speed = 2.0 ** rng.uniform(0, 3)
        kinds.append({
            "name": f"k{k}",
            "elements": rng.choice([1, 2, 3, 4, 6]),
            "processes": max(1, min(4, round(speed / 2) + rng.choice([0, 1]))),
            "flops": speed * 0.4e9,
            "overhead": rng.uniform(0.01, 0.06),
        })
    return {
        "kinds": kinds,
        "alpha": rng.uniform(2e-5, 1e-4),
        "beta": 1 / rng.uniform(3e7, 1.2e8),
        "eager": rng.choice([16384, 65536]),
        "block": 64,
        "constant": rng.uniform(0.005, 0.05),
    }


def configurations(cluster):
    choices = []
    for kind in cluster["kinds"]:
        choices.append([(0, 0)] + [(e, m) for e in range(1, kind["elements"] + 1) for m in range(1, kind["processes"] + 1)])
    return [c for c in itertools.product(*choices) if any(e for e, _ in c)]


def process_flops(kind, processes):
    """The speed of one of the processes on an element."""
    return kind["flops"] / (processes * (1 + kind["overhead"] * (processes - 1)))


def paper_law(cluster, configuration, n, growth=0.0):
    """Ta and Tc of each kind: Ta of n³/P and n²/P, Tc of n² (P·k9 + k10/P) and latencies between elements.

    Each further process on an element adds the share `growth` to its communication.
    """
    total = sum(e * m for e, m in configuration)
    elements = sum(e for e, _ in configuration)
    parts = []
    for kind, (e, m) in zip(cluster["kinds"], configuration):
        if e == 0:
            parts.append(None)
            continue
        compute = (2 / 3 * n**3 + 3 * 64 * n**2) / total / process_flops(kind, m) + cluster["constant"]
        if elements > 1:
            communicate = 8 * n**2 * cluster["beta"] * (0.02 * total + 0.5 / total) + cluster["alpha"] * n / 8
            communicate *= 1 + growth * (m - 1)
        else:
            communicate = 8 * n**2 * 1e-9 * (m - 1)
        parts.append((compute, communicate))
    return parts


def panel_law(cluster, configuration, n, rates=None):
    """Right-looking LU panel by panel: the owner factorises, the panel travels along a ring, all update their columns.

    `rates` are the flops of a process in a factorization and in an update. Returns the computation of the busiest process of
    each kind, and the rest of the time.
    """
    rates = rates or (lambda kind, m: (process_flops(kind, m), process_flops(kind, m)))
    speeds, places = [], []
    for k, (kind, (e, m)) in enumerate(zip(cluster["kinds"], configuration)):
        for element in range(e):
            for _ in range(m):
                speeds.append(rates(kind, m))
                places.append((k, element))
    total = len(speeds)
    block = cluster["block"]
    ready = [0.0] * total
    busy = [0.0] * total
    panels = math.ceil(n / block)
    for panel in range(panels):
        rows = n - panel * block
        owner = panel % total
        factorization = rows * block * block / speeds[owner][0]
        ready[owner] += factorization
        busy[owner] += factorization
        size = 8 * rows * block
        arrival = ready[owner]
        for hop in range(1, total):
            sender, receiver = (owner + hop - 1) % total, (owner + hop) % total
            if places[sender] == places[receiver]:
                arrival += 1e-6 + size / 1e9
            else:
                wire = cluster["alpha"] + size * cluster["beta"]
                if size > cluster["eager"]:
                    # Rendezvous: the transfer begins when the receiver is ready.
                    arrival = max(arrival, ready[receiver]) + 2 * cluster["alpha"] + wire
                    ready[sender] = max(ready[sender], arrival)
                else:
                    arrival += wire
            ready[receiver] = max(ready[receiver], arrival)
        left = panels - panel - 1
        for process in range(total):
            # The columns behind this panel that this process owns.
            own = left // total + (1 if (process - owner - 1) % total < left % total else 0)
            update = 2 * rows * block * block * own / speeds[process][1]
            ready[process] += update
            busy[process] += update
    whole = max(ready) + cluster["constant"]
    parts = []
    for k, (e, _) in enumerate(configuration):
        own = [busy[process] for process in range(total) if places[process][0] == k]
        parts.append((max(own), whole - max(own)) if e else None)
    return parts


def sharing_law(cluster, configuration, n):
    """The processes of an element send through one port, one after the other."""
    return paper_law(cluster, configuration, n, growth=1.0)


def core_rates(kind, m):
    """The flops of each of m processes on the cores of a host: the clock falls with busy cores, memory is shared.

    A flop of a factorization moves 4 bytes, one of an update an eighth of a byte.
    """
    busy = (m - 1) / max(1, kind["processes"] - 1)
    peak = kind["flops"] * (1 + kind["turbo"] * (1 - busy))
    share = kind["bandwidth"] / m
    return min(peak / 4, share / 4), min(peak, share * 8)


def turbo_law(cluster, configuration, n):
    """The panels of an LU factorization on hosts with several cores each."""
    return panel_law(cluster, configuration, n, core_rates)


def stencil_law(cluster, configuration, n):
    """Sweeps over a square of n×n cells in equal parts, with an exchange of edges through links and a switch, and a reduction.

    Cores of a host share its memory. The switch carries a few links' rate at once.
    """
    total = sum(e * m for e, m in configuration)
    elements = sum(e for e, _ in configuration)
    edge = 8 * n / math.sqrt(total)
    sides = 2 if total == 2 else 4
    parts = []
    for kind, (e, m) in zip(cluster["kinds"], configuration):
        if e == 0:
            parts.append(None)
            continue
        cell = max(8 / core_rates(kind, m)[1], 48 * m / kind["bandwidth"])
        compute = n * n / total * cell
        within = sides * edge * m / 4e9 if total > 1 else 0.0
        if elements > 1:
            # A block of m parts has edges of about √m of them on each side.
            outside = sides * edge * math.sqrt(m)
            link = outside * cluster["beta"]
            everything = sum(e * sides * edge * math.sqrt(m) for e, m in configuration)
            switch = everything * cluster["beta"] / cluster["switch"]
            within += max(link, switch) + sides * cluster["alpha"]
        within += cluster["alpha"] * math.log2(total) if elements > 1 else 0.0
        parts.append((cluster["sweeps"] * compute + cluster["constant"], cluster["sweeps"] * within))
    return parts


LAWS = {"paper": paper_law, "sharing": sharing_law, "panel": panel_law, "turbo": turbo_law, "stencil": stencil_law}


def draw_cores(cluster, rng):
    """Makes the elements of a cluster hosts with several cores, turbo and shared memory, behind a switch."""
    for kind in cluster["kinds"]:
        cores = rng.choice([2, 4, 8])
        kind["elements"] = rng.choice([1, 2, 3, 4])
        kind["processes"] = cores
        kind["turbo"] = rng.uniform(0.1, 0.4)
        # From a third of what all cores can use in an update to more than they need.
        kind["bandwidth"] = kind["flops"] / 8 * cores * rng.uniform(0.3, 1.5)
    cluster["switch"] = rng.uniform(1.5, 6)
    cluster["sweeps"] = 200
    return cluster


def neighbours(cluster, configuration):
    """The configurations that differ in one kind."""
    for k, kind in enumerate(cluster["kinds"]):
        for share in [(0, 0)] + [(e, m) for e in range(1, kind["elements"] + 1) for m in range(1, kind["processes"] + 1)]:
            changed = configuration[:k] + (share,) + configuration[k + 1:]
            if any(e for e, _ in changed):
                yield changed


def best(law, cluster, configuration, n):
    """The shortest time that changes of one kind at a time lead to."""
    found = time(law(cluster, configuration, n))
    while True:
        least, following = min((time(law(cluster, c, n)), c) for c in neighbours(cluster, configuration))
        if least >= found:
            return found
        found, configuration = least, following


def time(parts):
    """The time of a run: that of the slowest kind."""
    return max(sum(part) for part in parts if part)


def shares(cluster, configuration):
    kinds = zip(cluster["kinds"], configuration)
    return {kind["name"]: {"elements": e, "processes": m} for kind, (e, m) in kinds if e}


def run(cluster, configuration, n, parts, factor):
    return {
        "variables": {"n": n},
        "configuration": shares(cluster, configuration),
        "seconds": factor * time(parts),
        "parts": {
            kind["name"]: {"computation": factor * part[0], "communication": factor * part[1]}
            for kind, part in zip(cluster["kinds"], parts)
            if part
        },
    }


def write(path, runs):
    with open(path, "w") as file:
        json.dump({"format": "orrery-runs", "version": 1, "runs": runs}, file)


def main(folder, first=0):
    for name, law in LAWS.items():
        for seed in range(int(first), int(first) + CLUSTERS):
            rng = random.Random(f"{name}-{seed}")
            cluster = draw_cluster(rng)
            if law in (turbo_law, stencil_law):
                cluster = draw_cores(cluster, rng)
            path = f"{folder}/{name}-{seed}"
            os.makedirs(path, exist_ok=True)
            with open(f"{path}/cluster.toml", "w") as file:
                for kind in cluster["kinds"]:
                    print(f'[[hosts]]\nnames = "{kind["name"]}-[1-{kind["elements"]}]"\nkind = "{kind["name"]}"', file=file)
                    print(f'cores = 1\nprocesses = {kind["processes"]}\n', file=file)
            every = configurations(cluster)
            alone = [c for c in every if sum(1 for e, _ in c if e) == 1]
            alone = [c for c in alone if max(e for e, _ in c) in (1, 2, 4) or any(
                e == kind["elements"] for (e, _), kind in zip(c, cluster["kinds"]))]
            alone = [c for c in alone if max(m for _, m in c) in (1, 2, 3, 4, 8)]
            mixed = [c for c in every if sum(1 for e, _ in c if e) > 1]
            mixed = rng.sample(mixed, min(MIXED_CONFIGURATIONS, len(mixed)))
            single = [c for c in alone if max(e for e, _ in c) == 1 and max(m for _, m in c) == 1]
            plans = {
                "homogeneous": [(c, n) for n in SIZES for c in alone],
                "mixed": [(c, n) for c in mixed for n in MIXED_SIZES],
                "alone": [(c, MIXED_SIZES[1]) for c in single],
            }
            for plan, chosen in plans.items():
                noise = [math.exp(NOISE * rng.gauss(0, 1)) for _ in chosen]
                runs = [run(cluster, c, n, law(cluster, c, n), factor) for (c, n), factor in zip(chosen, noise)]
                write(f"{path}/{plan}-parts.json", runs)
                write(f"{path}/{plan}.json", [{**one, "parts": {}} for one in runs])
            chosen = every if len(every) <= 400 else rng.sample(every, 400)
            truth = {str(n): [[shares(cluster, c), time(law(cluster, c, n))] for c in chosen] for n in ASKED}
            shortest = {}
            for n in ASKED:
                start = min(chosen, key=lambda c: time(law(cluster, c, n)))
                shortest[n] = best(law, cluster, start, n) if len(chosen) < len(every) else time(law(cluster, start, n))
            with open(f"{path}/truth.json", "w") as file:
                json.dump({"cluster": cluster, "sampled": len(chosen) < len(every), "best": shortest, "truth": truth}, file)
            print(path, len(every), {plan: len(runs) for plan, runs in plans.items()})


if __name__ == "__main__":
    main(*sys.argv[1:3])
