"""What docs/formats.md says is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annealco.graph.formats import FORMATS, Content, read_graph
from annealco.graph.formats.dimacs import WORDS

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_the_table_is_the_registry() -> None:
    rows = []
    for entry in FORMATS.values():
        labels = {Content.TEXT_LABELS: "integers or text", Content.INTEGER_LABELS: "integers"}
        cells = [
            f"`{entry.name}`",
            " ".join(entry.extensions),
            "many" if Content.SEVERAL_GRAPHS in entry.holds else "one",
            "yes" if Content.EDGE_WEIGHTS in entry.holds else "no",
            "yes" if Content.NODE_WEIGHTS in entry.holds else "no",
            next((word for kind, word in labels.items() if kind in entry.holds), "1..n"),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    assert "\n".join(rows) in PAGE


@pytest.mark.parametrize(
    ("title", "name", "labels", "edges", "weights", "node_weights"),
    [
        ("Edge list", "edgelist", [7, 8, 9, 10, 20], [[7, 20], [10, 20]], [-3, 0.5], [1] * 5),
        ("DIMACS and PACE", "dimacs", [1, 2, 3, 4], [[1, 2], [2, 3]], [1, 1], [2.5, 1, 1, 1]),
        ("METIS", "metis", [1, 2, 3, 4], [[1, 2], [2, 3]], [0.5, 2], [5, 1, 1, 7]),
        ("Matrix Market", "matrixmarket", [1, 2, 3, 4], [[1, 2], [2, 3]], [0.5, -3], [1] * 4),
        ("GraphML", "graphml", ["a", "b"], [["a", "b"]], [0.5], [1, 1]),
    ],
)
def test_the_examples_are_files(
    title: str, name: str, labels: list, edges: list, weights: list, node_weights: list, tmp_path: Path
) -> None:
    [example] = re.findall(r"```(?:text|xml)\n(.*?)```", section(title), re.DOTALL)
    (tmp_path / "a").write_text(example)
    graph = read_graph(tmp_path / "a", format=name)
    assert graph.labels.tolist() == labels
    assert graph.labels[graph.edges.T].tolist() == edges
    assert graph.edge_weight.tolist() == weights
    assert graph.node_weight.tolist() == node_weights


def test_the_words_of_dimacs_are_listed() -> None:
    assert f"WORD is one of {', '.join(WORDS.split())}." in section("DIMACS and PACE")


def test_the_first_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(program, "docs/formats.md", "exec"), {})
