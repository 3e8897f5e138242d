#!/usr/bin/env python3
"""The regret of choices on the clusters of generate.py: the time of the chosen configuration over the shortest, minus 1.

usage: judge.py ORRERY FOLDER [--law LAW]... [--plan PLAN]... [--parts] [--resolve] [--certain] [-- OPTIONS OF scaling fit]

--resolve adds the run that a refusal asks for; --certain also asks `scaling advise` how certain the choices are, and shows
the part of the choices called certain at 95 % that are within its tolerance of 1 %.
"""
import argparse
import glob
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys

import generate

CONFIDENCE, TOLERANCE = 0.95, 0.01


def command(arguments):
    return subprocess.run(arguments, capture_output=True, text=True)


def configuration(cluster, text):
    shares = dict(share.split("=") for share in text.split(","))
    return tuple(tuple(map(int, shares.get(kind["name"], "0x0").split("x"))) for kind in cluster["kinds"])


def regret(known, law, text, n):
    cluster = known["cluster"]
    time = generate.time(generate.LAWS[law](cluster, configuration(cluster, text), n))
    return time / min(time, known["best"][str(n)]) - 1


def certain_regrets(orrery, path, model, known, law):
    """The regrets of choices that `scaling advise` calls certain; a choice of an untested mix is never one."""
    sizes = ",".join(map(str, generate.ASKED))
    advice = command([orrery, "scaling", "advise", model, "--cluster", f"{path}/cluster.toml", "--n", sizes, "--budget", "1s",
                      "--format", "json", "-q"])
    if advice.returncode:
        return []
    decisions = json.JSONDecoder().raw_decode(advice.stdout)[0]["decisions"]
    certain = [d for d in decisions if d["probability"] >= CONFIDENCE and not d.get("untested_mix")]
    return [regret(known, law, d["configuration"], int(d["n"])) for d in certain]


def judge(job):
    """The regrets of a cluster, those of certain choices, and the message of a refusal if there was one."""
    orrery, path, law, plan, suffix, options, resolve, certain = job
    with open(f"{path}/truth.json") as file:
        known = json.load(file)
    runs, model = f"{path}/{plan}{suffix}.json", f"{path}/model-{os.getpid()}.json"
    refused = None
    while True:
        regrets, refusal = [], None
        fit = command([orrery, "scaling", "fit", runs, "-o", model, "--force", "-q", *options])
        if fit.returncode:
            return [], [], fit.stderr.strip()
        for n in generate.ASKED:
            chosen = command([orrery, "choose", "configuration", model, "--cluster", f"{path}/cluster.toml", "--n", str(n),
                              "--format", "json", "-q"])
            if chosen.returncode:
                refusal = chosen.stderr.strip()
                continue
            best = json.loads(chosen.stdout)["choices"][0]
            regrets.append(regret(known, law, best["configuration"], n))
        refused = refused or refusal
        needed = re.search(r"measure it alone, as (\w+)=1x1", refusal or "")
        if not (resolve and needed):
            return regrets, certain_regrets(orrery, path, model, known, law) if certain else [], refused
        with open(runs) as file:
            all_runs = json.load(file)
        with open(f"{path}/alone{suffix}.json") as file:
            added = [run for run in json.load(file)["runs"] if list(run["configuration"]) == [needed[1]]]
        all_runs["runs"] += added
        runs = f"{path}/resolved-{os.getpid()}.json"
        with open(runs, "w") as file:
            json.dump(all_runs, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("orrery")
    parser.add_argument("folder")
    parser.add_argument("--law", action="append", choices=list(generate.LAWS))
    parser.add_argument("--plan", action="append")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--resolve", action="store_true")
    parser.add_argument("--certain", action="store_true")
    own = sys.argv[1:]
    options = own[own.index("--") + 1:] if "--" in own else []
    arguments = parser.parse_args(own[:own.index("--")] if "--" in own else own)
    suffix = "-parts" if arguments.parts else ""
    with multiprocessing.Pool() as pool:
        for law in arguments.law or generate.LAWS:
            for plan in arguments.plan or ["homogeneous", "mixed"]:
                paths = sorted(glob.glob(os.path.join(arguments.folder, f"{law}-*")))
                jobs = [(arguments.orrery, path, law, plan, suffix, options, arguments.resolve, arguments.certain) for path in paths]
                results = pool.map(judge, jobs, 1)
                regrets = [one for found, _, _ in results for one in found]
                certain = [one for _, found, _ in results for one in found]
                refusals = [f"{os.path.basename(path)}: {refusal}" for path, (_, _, refusal) in zip(paths, results) if refusal]
                mean = 100 * statistics.mean(regrets) if regrets else float("nan")
                within = sum(one <= TOLERANCE for one in certain)
                print(f"{law} {plan}: mean regret {mean:.2f} %, largest {100 * max(regrets, default=0):.0f} %, "
                      f"refused {len(refusals)} of {len(paths)}, answered {len(regrets)}"
                      + (f", certain {len(certain)}, of them good {within}" if arguments.certain else ""))
                for refusal in refusals:
                    print(f"    {refusal[-200:]}")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
