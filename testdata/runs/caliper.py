"""Writes caliper/expected.csv: the time of each region of caliper/*.cali, including the regions in it, the maximum over
the processes, by the records that caliper-reader 0.4.1 (PyPI) reads. With files as arguments, prints theirs instead.

Caliper 2.15.0-dev wrote the profiles of regions.c (mpicc regions.c -lcaliper):
  spot-nN.cali    CALI_CONFIG="spot(output=spot-nN.cali)" mpirun -n 2 regions N
  ranks.cali      CALI_CONFIG="hatchet-region-profile(output=ranks.cali,output.format=cali)" mpirun -n 2 regions 100
  aggregate.cali  CALI_SERVICES_ENABLE=event,timer,aggregate,recorder CALI_RECORDER_FILENAME=aggregate.cali regions 100
  trace.cali      the same with trace in place of aggregate and CALI_TIMER_INCLUSIVE_DURATION=true
"""

import sys
from collections import defaultdict
from pathlib import Path

import caliperreader

HERE = Path(__file__).parent / "caliper"
# The preferred metric first: its name, its unit in seconds, and True if it is inclusive.
METRICS = [
    ("max#inclusive#sum#time.duration", 1.0, True),
    ("max#inclusive#scale#sum#time.duration.ns", 1.0, True),
    ("inclusive#sum#time.duration", 1.0, True),
    ("inclusive#scale#sum#time.duration.ns", 1.0, True),
    ("sum#sum#time.duration", 1.0, False),
    ("sum#time.duration", 1.0, False),
    ("sum#time.duration.ns", 1e-9, False),
    ("time.duration.ns", 1e-9, False),
]


def times(path):
    records, _ = caliperreader.read_caliper_contents(str(path))
    known = {key for record in records for key in record}
    metric, unit, inclusive = next(((m, u, i) for m, u, i in METRICS if m in known), (None, 0, False))
    sums = defaultdict(lambda: defaultdict(float))
    for record in records:
        regions = record.get("path", [])
        if metric in record:
            for end in [len(regions)] if inclusive else range(1, len(regions) + 1):
                sums[tuple(regions[:end])][record.get("mpi.rank")] += float(record[metric]) * unit
    return {"->".join(regions): max(by_rank.values()) for regions, by_rank in sums.items() if regions}


if __name__ == "__main__":
    lines = ["file,region,seconds\n"]
    for path in [Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.cali")):
        name = path if sys.argv[1:] else path.name
        lines += ['{},"{}",{:.12g}\n'.format(name, region, seconds) for region, seconds in times(path).items()]
    if sys.argv[1:]:
        print("".join(lines), end="")
    else:
        (HERE / "expected.csv").write_text("".join(lines))
