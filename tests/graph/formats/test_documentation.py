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
        labels = {Content.TEXT_LABELS: "integers or text", Content.LABELS_FROM_ONE: "1..n"}
        cells = [
            f"`{entry.name}`",
            " ".join(entry.extensions),
            "many" if Content.SEVERAL_GRAPHS in entry.holds else "one",
            "yes" if Content.EDGE_WEIGHTS in entry.holds else "no",
            "yes" if Content.NODE_WEIGHTS in entry.holds else "no",
            next((word for kind, word in labels.items() if kind in entry.holds), "none"),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    assert "\n".join(rows) in PAGE


@pytest.mark.parametrize(
    ("title", "name", "labels", "edges", "weights", "node_weights"),
    [
        (
            "CSV and TSV",
            "csv",
            ["Ann", "Bob", "Cy, the elder"],
            [["Ann", "Bob"], ["Bob", "Cy, the elder"]],
            [2.5, 1],
            [1] * 3,
        ),
        ("Edge list", "edgelist", [7, 8, 9, 10, 20], [[7, 20], [10, 20]], [-3, 0.5], [1, 2.5, 1, 1, 1]),
        ("Adjacency list", "adjlist", ["a", "b", "c", "d"], [["a", "b"], ["a", "c"], ["b", "c"]], [1] * 3, [1] * 4),
        ("JSON node-link", "json", ["a", "b"], [["a", "b"]], [0.5], [1, 1]),
        ("Pajek", "pajek", ["Ann Lee", "Bob", "Cy"], [["Ann Lee", "Bob"], ["Bob", "Cy"]], [2.5, 1], [1] * 3),
        ("DIMACS and PACE", "dimacs", [1, 2, 3, 4], [[1, 2], [2, 3]], [1, 1], [2.5, 1, 1, 1]),
        ("METIS", "metis", [1, 2, 3, 4], [[1, 2], [2, 3]], [0.5, 2], [5, 1, 1, 7]),
        ("Matrix Market", "matrixmarket", [1, 2, 3, 4], [[1, 2], [2, 3]], [0.5, -3], [1] * 4),
        ("GraphML", "graphml", ["a", "b"], [["a", "b"]], [0.5], [1, 1]),
    ],
)
def test_the_examples_are_files(
    title: str, name: str, labels: list, edges: list, weights: list, node_weights: list, tmp_path: Path
) -> None:
    [example] = re.findall(r"```(?:text|xml|json)\n(.*?)```", section(title), re.DOTALL)
    (tmp_path / "a").write_text(example)
    graph = read_graph(tmp_path / "a", format=name)
    assert graph.labels.tolist() == labels
    assert graph.labels[graph.edges.T].tolist() == edges
    assert graph.edge_weight.tolist() == weights
    assert graph.node_weight.tolist() == node_weights


def test_the_words_of_dimacs_are_listed() -> None:
    assert f"WORD is one of {', '.join(WORDS.split())}." in section("DIMACS and PACE")


def test_the_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    programs = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(programs) == 2
    exec(compile("\n".join(programs), "docs/formats.md", "exec"), {})
