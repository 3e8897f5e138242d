"""The laws of the study with their parameters, and measured times of messages.

gige has the parameters that `orrery fit` estimates from the calibration schemes. There is no estimate of gamma of infiniband if it has
no effect, so infiniband has those of the paper's formulas, from the same readings: beta_out and beta_in are half the slowdown of two
messages from a node and to a node, gamma = P / (3 beta_out) of the message of the scheme `crowded` that goes to the crowded node.
"""

import collections
import csv
import statistics

LAWS = ["maxmin", "gige", "infiniband", "myrinet"]


def times(path):
    """The median times of each message of each scheme: alone, and beside the others."""
    with open(path) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    alone, together = collections.defaultdict(list), collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        ends = int(row["source"]), int(row["destination"])
        if not row["seconds"]:
            continue
        if row["kind"] == "reference":
            alone[ends].append(float(row["seconds"]))
        else:
            together[row["scheme"]][ends].append(float(row["seconds"]))
    return {
        scheme: {ends: (statistics.median(alone[ends]), statistics.median(some)) for ends, some in sorted(messages.items())}
        for scheme, messages in sorted(together.items())
    }


def options(model, calibration):
    """The options of each law: from the model of `orrery fit`, and from the timings of the calibration schemes."""
    penalties = {
        scheme: {ends: seconds / alone for ends, (alone, seconds) in messages.items()} for scheme, messages in times(calibration).items()
    }
    beta_out, beta_in = (statistics.mean(penalties[scheme].values()) / 2 for scheme in ["out2", "in2"])
    gamma = penalties["crowded"][0, 1] / (3 * beta_out)
    infiniband = ["--beta-out", f"{beta_out:.4f}", "--beta-in", f"{beta_in:.4f}", "--gamma", f"{gamma:.4f}"]
    return {"maxmin": [], "gige": ["--parameters", model], "infiniband": infiniband, "myrinet": []}
