#!/usr/bin/env python3
"""Prints a table of quantiles of all results of PICO without GPUs, as `orrery samples import` reads it.

usage: pico.py RESULTS > collectives.csv

RESULTS is the folder `results` of github.com/HLC-Lab/pico, with an archive for each job. The first fifth of the iterations is
the warm-up. Left out are jobs with more than one network adapter ("rail"), and the nodes of Fugaku, which are tori.
"""

import csv
import pathlib
import sys
import tarfile

ELEMENTS = {"int8": 1, "char": 1, "int16": 2, "int32": 4, "int": 4, "float": 4, "int64": 8, "double": 8}
WARM_UP = 0.2


def quantile(ascending, part):
    """The quantile with linear interpolation."""
    place = part * (len(ascending) - 1)
    low = int(place)
    high = min(low + 1, len(ascending) - 1)
    return ascending[low] + (ascending[high] - ascending[low]) * (place - low)


def times(text):
    """The ascending times of a file after the warm-up, in nanoseconds: the maximum over the ranks of each iteration."""
    found = []
    for line in text.splitlines()[1:]:
        try:
            found.append(float(line.split(",", 1)[0]))
        except ValueError:
            pass
    return sorted(found[int(len(found) * WARM_UP):])


def rows(job, system, tests):
    """The rows of the archive of a job."""
    with tarfile.open(job) as archive:
        for member in archive:
            parts = member.name.split("/")
            test = tests.get(parts[1]) if len(parts) == 3 and parts[2].endswith(".csv") else None
            if test is None or test["gpu_awareness"] == "yes" or "rail" in test["notes"] and "UCX" not in test["notes"]:
                continue
            try:
                count, rest = parts[2][:-len(".csv")].split("_", 1)
                algorithm, element = rest.rsplit("_", 1)
                size = int(count) * ELEMENTS[element]
            except (ValueError, KeyError):
                continue
            found = times(archive.extractfile(member).read().decode())
            if found:
                library = f"{test['mpi_lib']} {test['mpi_lib_version']}"
                quantiles = [f"{quantile(found, part) * 1e-9:.4g}" for part in (0.5, 0.1, 0.9)]
                yield [system, job.name[:-len(".tar.gz")], parts[1], test["nnodes"], test["tasks_per_node"], library,
                       test["collective_type"].lower(), algorithm, size, element, len(found), *quantiles]


results = pathlib.Path(sys.argv[1])
table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow("system,run,test,nodes,ppn,library,collective,algorithm,bytes,type,readings,median,p10,p90".split(","))
for metadata in sorted(results.glob("*_metadata.csv")):
    system = metadata.name[:-len("_metadata.csv")]
    if system == "fugaku":
        continue
    with open(metadata, newline="") as file:
        tests = list(csv.DictReader(file))
    for job in sorted((results / system).glob("*.tar.gz")):
        of_job = {test["test_id"]: test for test in tests if test["timestamp"] == job.name[:-len(".tar.gz")]}
        table.writerows(rows(job, system, of_job))
