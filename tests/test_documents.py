"""What the documents say is true: their programs run, their figures are what the commands print."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/adding-a-problem.md",
        "docs/baselines.md",
        "docs/datasets.md",
        "docs/exact-solvers.md",
        "docs/generators.md",
        "docs/graphs.md",
        "docs/training.md",
    ],
)
def test_programs_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    blocks = python_blocks(path)
    assert blocks
    exec(compile("\n".join(blocks), path, "exec"), {"__name__": "document"})


@pytest.mark.parametrize(
    "table",
    [
        "penalty_rows",
        "heavier_rows",
        "reading_rows",
        "tie_rows",
        "range_rows",
        pytest.param("box_rows", marks=pytest.mark.slow),
    ],
)
def test_figures_of_the_mathematics_are_what_the_command_prints(table, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import errata

    text = (ROOT / "docs/mathematics.md").read_text(encoding="utf-8")
    rows = getattr(errata, table)()
    assert rows
    for row in rows:
        assert row in text, row


def test_links_between_documents_lead_somewhere():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
