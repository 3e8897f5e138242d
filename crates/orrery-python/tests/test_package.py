"""The package: its types, its documents, its notebook."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import orrery
from conftest import TOP

NOTEBOOK = TOP / "crates" / "orrery-python" / "examples" / "six-hosts.ipynb"


def run(*arguments: str) -> None:
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull}
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stdout + result.stderr


def test_stubs_agree_with_the_module() -> None:
    run("-m", "mypy.stubtest", "orrery")


def test_types_are_those_of_calls(tmp_path: Path) -> None:
    good = tmp_path / "good.py"
    good.write_text(
        "import numpy as np\nimport orrery\n"
        "model: orrery.Model = orrery.read_model('m.json')\n"
        "times = orrery.predict(model, 'scatter', np.arange(10), models=['lmo']).seconds\n"
        "mean: float = float(times.mean())\n"
    )
    run("-m", "mypy", "--strict", str(good))
    bad = tmp_path / "bad.py"
    bad.write_text("import orrery\norrery.predict('model.json', 'scatter', 1.5)\n")
    with pytest.raises(AssertionError, match="arg-type"):
        run("-m", "mypy", "--strict", str(bad))


def test_everything_is_documented_and_exported() -> None:
    for name in orrery.__all__:
        if name != "__version__":
            assert getattr(orrery, name).__doc__, name
    assert re.fullmatch(r"\d+\.\d+\.\d+", orrery.__version__)


def test_an_import_loads_no_other_package() -> None:
    run("-c", "import sys, orrery; assert not {'numpy', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)")


def test_the_blocks_of_the_document_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (TOP / "docs" / "python.md").read_text(), re.DOTALL)
    assert len(blocks) >= 6
    (tmp_path / "examples").symlink_to(TOP / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/python.md, block {number}", "exec"), names)


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(TOP)}}).execute()
    outputs = json.dumps([cell.get("outputs", []) for cell in notebook.cells])
    assert outputs.count("<svg") >= 4
    assert "orrery-cell" in outputs


def test_html_of_results(model: orrery.Model, samples: orrery.Samples, collectives: orrery.Samples) -> None:
    validation = orrery.validate(model, collectives)
    predicted = orrery.predict(model, "scatter", "1K..1M")
    for result, words in [
        (model, "link_byte_delay|link byte delay"),
        (samples, "one-to-two"),
        (predicted, "scatter/linear by lmo"),
        (validation, "hockney"),
    ]:
        html = result._repr_html_()
        assert html.count("<svg") == html.count("</svg>") >= 1
        assert re.search(words, html)
    assert "<table" in model.thresholds._repr_html_()
    assert repr(predicted).startswith("<orrery.Predictions of 66 rows: operation, ")
