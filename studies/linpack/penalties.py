"""Compares the measured penalties of schemes with those of four laws: the errors E_rel of the paper, and E_abs of each scheme.

E_rel = (T_p - T_m) / T_m, where T_m is the median time of a message beside the others, and T_p the predicted penalty times the median
time of the same message alone. E_abs of a scheme is the mean of |E_rel| over its messages. Two predictions of each law: penalties
while all messages are active, as in the paper, and penalties that change when messages end (--dynamic).

usage: penalties.py ORRERY MODEL CALIBRATION TIMINGS ERRORS   (MODEL is the fit of gige to CALIBRATION; errors of all messages are
written to ERRORS)
"""

import collections
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

from laws import LAWS, options, times

COLUMNS = ["scheme", "source", "destination", "alone", "seconds", "penalty", "law", "prediction", "predicted", "error"]


def predicted(orrery, arcs, law, parameters, is_dynamic):
    """The penalty of each message by a law."""
    with tempfile.TemporaryDirectory() as folder:
        scheme = pathlib.Path(folder) / "one.scheme"
        scheme.write_text("".join(f"{source} -> {destination} 4M\n" for source, destination in arcs))
        command = [orrery, "share", scheme, "--sharing", law, "--format", "csv", *parameters]
        if is_dynamic:
            command += ["--dynamic", "--reference", "1"]
        table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = csv.DictReader(table.splitlines())
    return {(int(row["source"]), int(row["destination"])): float(row["penalty"]) for row in rows}


def main(orrery, model, calibration, timings, errors):
    parameters = options(model, calibration)
    by_scheme = collections.defaultdict(dict)
    with open(errors, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for scheme, messages in times(timings).items():
            for prediction in ["static", "dynamic"]:
                for law in LAWS:
                    penalties = predicted(orrery, messages, law, parameters[law], prediction == "dynamic")
                    found = []
                    for (source, destination), (alone, seconds) in messages.items():
                        penalty = penalties[source, destination]
                        error = penalty * alone / seconds - 1
                        found.append(abs(error))
                        numbers = [f"{x:.4f}" for x in (alone, seconds, seconds / alone)]
                        writer.writerow([scheme, source, destination, *numbers, law, prediction, f"{penalty:.4f}", f"{error:.4f}"])
                    by_scheme[scheme][prediction, law] = statistics.mean(found)
    keys = [(prediction, law) for prediction in ["static", "dynamic"] for law in LAWS]
    print("| E_abs | " + " | ".join(f"{law}, {prediction}" for prediction, law in keys) + " |")
    print("|---" * (len(keys) + 1) + "|")
    groups = [(scheme, [scheme]) for scheme in sorted(by_scheme) if not scheme.startswith("tree")]
    groups += [("mean of complete graphs", [one for one in by_scheme if one.startswith("complete")])]
    groups += [("mean of trees", [one for one in by_scheme if one.startswith("tree")]), ("mean of all", list(by_scheme))]
    for name, schemes in groups:
        if schemes:
            means = [statistics.mean(by_scheme[scheme][key] for scheme in schemes) for key in keys]
            print(f"| {name} | " + " | ".join(f"{100 * mean:.1f} %" for mean in means) + " |")


main(*sys.argv[1:])
