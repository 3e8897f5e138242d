#!/usr/bin/env python3
"""Prints the errors of predictions at sizes that are left out of the fit, with and without corrections of algorithms.

usage: corrections.py ORRERY SAMPLES… -- COLLECTIVES…

Models are fitted to SAMPLES, and to COLLECTIVES without one of their sizes, once with corrections and once without. The error is
|ln(median/prediction)| at that size; coverage is the part of the medians in 95 % intervals. The smallest and the largest size are
outside the sizes of the fit, where corrections are extrapolated. `none` is the same without leaving out a size. The regret is the median time of the algorithm of the library that
the model chooses, over the shortest one at that size, minus 1.
"""

import collections
import csv
import io
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

orrery, *files = sys.argv[1:]
fitted, collectives = files[: files.index("--")], files[files.index("--") + 1 :]
KINDS = ["lmo", "hockney", "ports", "ports-flows"]


def run(*command):
    return subprocess.run([orrery, *map(str, command)], check=True, capture_output=True, text=True).stdout


def lines_of(path):
    return subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout.splitlines(keepends=True)


def rows_of(lines):
    return csv.DictReader(io.StringIO("".join(line for line in lines if not line.startswith("#"))))


def parsed(name):
    """The operation, the library and the algorithm of bcast/binomial or native/bcast/ompi/binomial; None for others."""
    parts = name.split("/")
    if parts[0] != "native":
        return (parts[0], "", parts[1]) if len(parts) == 2 else None
    return (parts[1], parts[2], parts[3]) if len(parts) == 4 else None


readings = collections.defaultdict(list)
for path in collectives:
    for row in rows_of(lines_of(path)):
        if (which := parsed(row["experiment"])) is not None:
            readings[(*which, int(row.get("root") or 0), int(row["procs"]), int(row["size"]))].append(float(row["seconds"]))
measured = {key: statistics.median(times) for key, times in readings.items()}
sizes = sorted({key[-1] for key in measured})


def without(path, size, folder):
    """The samples of a file without those of a size."""
    lines = lines_of(path)
    index = next(csv.reader([next(line for line in lines if not line.startswith("#"))])).index("size")
    kept = [line for line in lines if line.startswith("#") or next(csv.reader([line]))[index] != str(size)]
    reduced = folder / pathlib.Path(path).name.replace(".zst", "")
    reduced.write_text("".join(kept))
    return reduced


def of_library(library):
    return ["--library", library] if library else []


errors, covered, regrets = (collections.defaultdict(list) for _ in range(3))
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for size in [None, *sizes]:
        place = "none" if size is None else "at the ends" if size in (sizes[0], sizes[-1]) else "inside"
        reduced = [without(path, size, folder) for path in collectives]
        for variant, options in [("plain", ["--no-corrections"]), ("corrected", [])]:
            model = folder / f"{variant}.json"
            run("fit", *fitted, *reduced, "-o", model, "--force", "--quiet", *options)
            groups = collections.defaultdict(dict)
            for (operation, library, algorithm, root, procs, at), time in measured.items():
                if size in (None, at):
                    groups[operation, library, root, procs, at][algorithm] = time
            for (operation, library, root, procs, at), times in groups.items():
                common = [operation, "--procs", procs, "--algorithms", ",".join(times), "--size", at, *of_library(library)]
                common += ["--root", root] if operation in ("bcast", "scatter", "gather", "reduce") else []
                group = "calls of the library" if library else "own messages"
                for row in csv.DictReader(io.StringIO(run("predict", model, *common, "--models", ",".join(KINDS), "--format", "csv"))):
                    time = times[row["algorithm"].split("/")[-1]]
                    key = group, place, row["model"], variant
                    errors[key].append(abs(math.log(time / float(row["seconds"]))))
                    covered[key].append(float(row["low"]) <= time <= float(row["high"]))
                if not library or len(times) < 2:
                    continue
                for kind in KINDS:
                    choice = ["choose", "collective", model, "--operation", *common, "--models", kind, "--exact", "--format", "csv"]
                    choice[choice.index("--size") + 1] = f"{at}..{at}"
                    chosen = next(csv.DictReader(io.StringIO(run(*choice))))["algorithm"].split("/")[-1]
                    regrets[group, place, kind, variant].append(times[chosen] / min(times.values()) - 1.0)

percent = lambda values: f"{100 * statistics.mean(values):.1f} %" if values else "–"
print("| rows | left-out size | model | rows | error, plain | corrected | coverage, plain | corrected | regret, plain | corrected |")
print("|---|---|---|---|---|---|---|---|---|---|")
for group, place, kind in dict.fromkeys(key[:3] for key in errors):
    cells = [percent(of[group, place, kind, variant]) for of in (errors, covered, regrets) for variant in ("plain", "corrected")]
    print(f"| {group} | {place} | `{kind}` | {len(errors[group, place, kind, 'plain'])} | " + " | ".join(cells) + " |")
