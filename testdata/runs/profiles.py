"""Writes profiles in the format of CubeLib 4 (profiles/solver.nN.r1/profile.cubex) and checks what pycubexr 2.1.1 (PyPI)
reads from them. CubeLib itself has no package; the format follows pycubexr and files that Score-P 1.3 and CubeLib 4.8.2
wrote. The profile of n = 400 has an exclusive metric, the other byte order, and nothing is compressed in it."""

import gzip
import io
import struct
import sys
import tarfile
import zlib
from pathlib import Path

HERE = Path(__file__).parent / "profiles"
# Call paths in the order of the tree: (name, caller, exclusive seconds of a location for size n).
CALLS = [
    ("main", None, lambda n, l: 0.25),
    ("setup", 0, lambda n, l: n * 1e-3),
    ("read", 1, lambda n, l: 0.125 if l == 0 else 0.0),
    ("solve", 0, lambda n, l: n * n * 1e-5),
    ("exchange", 3, lambda n, l: n * 1e-4 * (1 + l)),
    ("MPI_Waitall", 4, lambda n, l: n * 1e-4 * (3 - l)),
    ("norm", 3, lambda n, l: 0.0),
    ("finish", 0, lambda n, l: 0.5),
]
LOCATIONS = 4


def children(place):
    return [i for i, (_, caller, _) in enumerate(CALLS) if caller == place]


def inclusive(place, n, location):
    return CALLS[place][2](n, location) + sum(inclusive(child, n, location) for child in children(place))


def expansion_order():
    """The numbers of call paths for inclusive metrics: the callees of each expanded call path together."""
    order, pending = [0], [0]
    while pending:
        callees = children(pending.pop())
        order += callees
        pending += reversed(callees)
    return order


def anchor(kind, value_type):
    def cnode(place):
        inner = "".join(cnode(child) for child in children(place))
        return f'<cnode id="{place}" calleeId="{place + 10}">{inner}</cnode>\n'

    metric = '<metric id="{}" type="{}"><disp_name>{}</disp_name><uniq_name>{}</uniq_name><dtype>{}</dtype>' \
             "<uom>{}</uom><url></url><descr></descr></metric>\n"
    regions = "".join(
        f'<region id="{i + 10}" mod="solver.c" begin="1" end="2"><name>{name}</name><url></url><descr></descr></region>\n'
        for i, (name, _, _) in enumerate(CALLS))
    groups = "".join(
        f'<locationgroup Id="{g}"><name>Process</name><rank>{g}</rank><type>process</type>'
        + "".join(f'<location Id="{2 * g + t}"><name>Thread</name><rank>{t}</rank><type>thread</type></location>'
                  for t in range(2)) + "</locationgroup>\n" for g in range(2))
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.3">\n<metrics>\n'
            + metric.format(0, "EXCLUSIVE", "Visits", "visits", "UINT64", "occ")
            + metric.format(1, kind, "Time", "time", value_type, "sec")
            + f"</metrics>\n<program>\n{regions}{cnode(0)}</program>\n<system>\n"
            + '<systemtreenode Id="0"><name>machine</name><class>machine</class>\n' + groups
            + "</systemtreenode>\n</system>\n</cube>\n").encode()


def write(path, n):
    plain = n == 400
    order = ">" if plain else "<"
    value = (lambda place, l: CALLS[place][2](n, l)) if plain else (lambda place, l: inclusive(place, n, l))
    numbers = list(range(len(CALLS))) if plain else expansion_order()
    rows = [(number, [value(place, l) for l in range(LOCATIONS)]) for number, place in enumerate(numbers)]
    rows = [(number, row) for number, row in rows if any(row)]
    index = b"CUBEX.INDEX" + struct.pack(f"{order}ihbi", 1, 0, 1, len(rows))
    index += b"".join(struct.pack(order + "i", number) for number, _ in rows)
    chunks = [struct.pack(f"{order}{LOCATIONS}d", *row) for _, row in rows]
    if plain:
        data = b"CUBEX.DATA" + b"".join(chunks)
    else:
        # Chunks of two rows, and one without content, as Score-P writes them.
        chunks = [zlib.compress(b"".join(chunks[i:i + 2])) for i in range(0, len(chunks), 2)] + [b""]
        heads = b"".join(struct.pack(order + "3q", 0, 0, len(chunk)) for chunk in chunks)
        data = b"ZCUBEX.DATA" + struct.pack(order + "q", len(chunks)) + heads + b"".join(chunks)
    xml = anchor("EXCLUSIVE" if plain else "INCLUSIVE", "FLOAT" if plain else "DOUBLE")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in [("1.data", data), ("1.index", index),
                              ("anchor.xml", xml if plain else gzip.compress(xml, mtime=0))]:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def check(path, n):
    from pycubexr import CubexParser

    with CubexParser(path) as profile:
        values = profile.get_metric_values(profile.get_metric_by_name("time"))
        for cnode in profile.all_cnodes():
            place = int(cnode.id)
            try:
                found = [float(v) for v in values.cnode_values(cnode, convert_to_inclusive=True)]
            except (KeyError, IndexError, ValueError):
                found = [0.0] * LOCATIONS
            expected = [inclusive(place, n, l) for l in range(LOCATIONS)]
            assert all(abs(a - b) < 1e-12 for a, b in zip(found, expected)), (path, cnode, found, expected)


if __name__ == "__main__":
    for n in (100, 200, 400):
        path = HERE / f"solver.n{n}.r1" / "profile.cubex"
        write(path, n)
        check(path, n)
        times = {name: max(inclusive(i, n, l) for l in range(LOCATIONS)) for i, (name, _, _) in enumerate(CALLS)}
        print(n, times, file=sys.stderr)
