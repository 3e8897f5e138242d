"""Predicts runs of HPL on three placements from traces of one of them, by four laws, and compares each task with the traced runs.

S_m of a task is the time in communication that the tracer recorded, the mean of the runs of a placement; S_p is the same of the replay,
the mean over the traces of the first placement. E_abs of a task is |S_p - S_m| / S_m, as in the paper. A second table has the times
of the whole program, from MPI_Init to MPI_Finalize. Sends below the eager limit complete without their receive.

usage: linpack.py ORRERY CLUSTER MODEL CALIBRATION RUNS EAGER BUFFER TASKS   (MODEL is the fit of gige to CALIBRATION; RUNS has a folder for
each run, rrn-1 and so on; EAGER is the limit, such as 64K; BUFFER is that of connections, such as 320K, or none; S_m, S_p and E_abs of
all tasks are written to TASKS)
"""

import collections
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

from laws import LAWS, options

PLACEMENTS = {
    "rrn": "n1 n2 n3 n4 n1 n2 n3 n4",
    "rrp": "n1 n1 n2 n2 n3 n3 n4 n4",
    "random": "n3 n1 n4 n4 n2 n1 n3 n2",
}
COLUMNS = ["placement", "law", "task", "measured", "predicted", "error"]


def table(*command):
    """The rows of a command's output in CSV."""
    done = subprocess.run([*command, "--format", "csv", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return list(csv.DictReader(done.stdout.splitlines()))


def means(runs):
    """The mean time in communication of each task, and the mean time of the program; runs are lists of (communication, end)."""
    tasks = [statistics.mean(task) for task in zip(*([communication for communication, _ in run] for run in runs))]
    return tasks, statistics.mean(max(end for _, end in run) for run in runs)


def measured(orrery, folders):
    """The means of traced runs."""
    runs = [table(orrery, "trace", "profile", folder) for folder in folders]
    return means([[(float(row["communication"]), float(row["seconds"])) for row in run] for run in runs])


def predicted(orrery, cluster, folders, hosts, law, parameters):
    """The means of replays of the traces on other hosts."""
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as file:
        file.write("\n".join(hosts.split()) + "\n")
        file.flush()
        network = ["--cluster", cluster, "--network", law, "--placement", file.name, *parameters]
        runs = [table(orrery, "simulate", folder, *network) for folder in folders]
    return means([[(float(row["communicating"]), float(row["seconds"])) for row in run] for run in runs])


def main(orrery, cluster, model, calibration, runs, eager, buffer, tasks):
    sends = ["--eager", eager, *([] if buffer == "none" else ["--send-buffer", buffer])]
    parameters = {law: [*sends, *own] for law, own in options(model, calibration).items()}
    traces = sorted(pathlib.Path(runs).glob("rrn-*"))
    errors, ends, ranks = collections.defaultdict(list), {}, []
    with open(tasks, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for placement, hosts in PLACEMENTS.items():
            times, end = measured(orrery, sorted(pathlib.Path(runs).glob(f"{placement}-*")))
            for law in LAWS:
                forecast, predicted_end = predicted(orrery, cluster, traces, hosts, law, parameters[law])
                ends[placement, law] = end, predicted_end
                for task, (own, other) in enumerate(zip(times, forecast)):
                    error = abs(other - own) / own
                    errors[placement, law].append(error)
                    writer.writerow([placement, law, task, f"{own:.4f}", f"{other:.4f}", f"{error:.4f}"])
    print("| mean E_abs of tasks (largest) | " + " | ".join(LAWS) + " |")
    print("|---" * (len(LAWS) + 1) + "|")
    for placement in PLACEMENTS:
        found = [errors[placement, law] for law in LAWS]
        print(f"| {placement} | " + " | ".join(f"{100 * statistics.mean(one):.1f} % ({100 * max(one):.1f} %)" for one in found) + " |")
    print()
    print("| time of the program | measured | " + " | ".join(LAWS) + " |")
    print("|---" * (len(LAWS) + 2) + "|")
    for placement in PLACEMENTS:
        measured_end = ends[placement, LAWS[0]][0]
        found = [ends[placement, law][1] for law in LAWS]
        texts = [f"{one:.2f} s ({100 * (one / measured_end - 1):+.1f} %)" for one in found]
        print(f"| {placement} | {measured_end:.2f} s | " + " | ".join(texts) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
