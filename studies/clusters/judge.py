#!/usr/bin/env python3
"""Chooses configurations of the clusters of generate.py, and compares them with the truth.

usage: judge.py ORRERY FOLDER [--plan homogeneous|mixed]… [--parts] [--resolve] [-- OPTIONS OF FIT]

The regret of a choice is its true time over the shortest, minus 1. With --resolve, a refusal adds the runs of the named kind
alone and chooses again.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

import generate


def command(arguments):
    return subprocess.run(arguments, capture_output=True, text=True)


def configuration(cluster, text):
    shares = dict(share.split("=") for share in text.split(","))
    return tuple(tuple(map(int, shares.get(kind["name"], "0x0").split("x"))) for kind in cluster["kinds"])


def judge(orrery, path, law, plan, suffix, options, resolve):
    """The regrets of a cluster, and the message of a refusal if there was one."""
    with open(f"{path}/truth.json") as file:
        known = json.load(file)
    cluster, runs, model = known["cluster"], f"{path}/{plan}{suffix}.json", f"{path}/model.json"
    refused = None
    while True:
        regrets, refusal = [], None
        fit = command([orrery, "scaling", "fit", runs, "-o", model, "--force", "-q", *options])
        if fit.returncode:
            return [], fit.stderr.strip()
        for n in generate.ASKED:
            chosen = command([orrery, "choose", "configuration", model, "--cluster", f"{path}/cluster.toml", "--n", str(n),
                              "--format", "json", "-q"])
            if chosen.returncode:
                refusal = chosen.stderr.strip()
                continue
            best = json.loads(chosen.stdout)["choices"][0]
            time = generate.time(generate.LAWS[law](cluster, configuration(cluster, best["configuration"]), n))
            regrets.append(time / min([time] + [t for _, t in known["truth"][str(n)]]) - 1)
        refused = refused or refusal
        needed = re.search(r"measure it alone, as (\w+)=1x1", refusal or "")
        if not (resolve and needed):
            return regrets, refused
        with open(runs) as file:
            all_runs = json.load(file)
        with open(f"{path}/alone{suffix}.json") as file:
            added = [run for run in json.load(file)["runs"] if list(run["configuration"]) == [needed[1]]]
        all_runs["runs"] += added
        runs = f"{path}/resolved.json"
        with open(runs, "w") as file:
            json.dump(all_runs, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("orrery")
    parser.add_argument("folder")
    parser.add_argument("--plan", action="append")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--resolve", action="store_true")
    own = sys.argv[1:]
    options = own[own.index("--") + 1:] if "--" in own else []
    arguments = parser.parse_args(own[:own.index("--")] if "--" in own else own)
    for law in generate.LAWS:
        for plan in arguments.plan or ["homogeneous", "mixed"]:
            regrets, refusals = [], []
            for seed in range(generate.CLUSTERS):
                path = os.path.join(arguments.folder, f"{law}-{seed}")
                suffix = "-parts" if arguments.parts else ""
                found, refusal = judge(arguments.orrery, path, law, plan, suffix, options, arguments.resolve)
                regrets += found
                if refusal:
                    refusals.append(f"{seed}: {refusal}")
            mean = 100 * statistics.mean(regrets) if regrets else float("nan")
            print(f"{law} {plan}: mean regret {mean:.2f} %, largest {100 * max(regrets, default=0):.0f} %, "
                  f"refused {len(refusals)} of {generate.CLUSTERS}, answered {len(regrets)}")
            for refusal in refusals:
                print(f"    {refusal[-200:]}")


if __name__ == "__main__":
    main()
