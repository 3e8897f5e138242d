"""Writes frames/*.json by Hatchet 2026.2.0 and Thicket 2026.1.1 (PyPI: llnl-hatchet, llnl-thicket) from the profiles of
Caliper in caliper/, so that their times are those of caliper/expected.csv. Checks what Hatchet reads from literal.json.

  spot.json, ranks.json, aggregate.json, trace.json   GraphFrame.to_json()
  spot-literal.json                                    GraphFrame.to_literal()
  literal.json     to_literal() of a graph in which two nodes call a third one
  thicket.json     Thicket.to_json() of three profiles with their metadata
"""

import json
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
import hatchet  # noqa: E402
import thicket  # noqa: E402

HERE = Path(__file__).parent
PROFILES, FOLDER = HERE / "caliper", HERE / "frames"


def node(name, inclusive, exclusive, *children, number=None):
    metrics = {"time (inc)": inclusive, "time": exclusive}
    return {"frame": {"name": name, "type": "function"}, "children": list(children),
            "metrics": metrics | ({} if number is None else {"_hatchet_nid": number})}


def write(name, text):
    (FOLDER / name).write_text(text + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in ["spot-n100", "ranks", "aggregate", "trace"]:
        frame = hatchet.GraphFrame.from_caliperreader(str(PROFILES / f"{name}.cali"))
        write(name.split("-")[0] + ".json", frame.to_json())
        if name.startswith("spot"):
            write("spot-literal.json", json.dumps(frame.to_literal()))
    shared = node("copy", 2.5, 2.5, number=2)
    tree = [node("main", 10.0, 1.5, node("read", 3.5, 1.0, shared, number=1), node("solve", 5.0, 5.0, shared, number=3),
                 number=0)]
    frame = hatchet.GraphFrame.from_literal(tree)
    write("literal.json", json.dumps(frame.to_literal()))
    again = hatchet.GraphFrame.from_literal(json.loads((FOLDER / "literal.json").read_text()))
    times = {row["name"]: row["time (inc)"] for _, row in again.dataframe.iterrows()}
    assert times == {"main": 10.0, "read": 3.5, "copy": 2.5, "solve": 5.0}, times
    files = [str(PROFILES / f"spot-n{n}.cali") for n in (100, 200, 400)]
    profiles = thicket.Thicket.from_caliperreader(files, disable_tqdm=True)
    # Paths of this machine are left out.
    profiles.profile_mapping = {profile: Path(path).name for profile, path in profiles.profile_mapping.items()}
    write("thicket.json", profiles.to_json())
