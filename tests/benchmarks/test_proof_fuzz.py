"""Small instances with awkward shapes and weights, against all of their sets."""

from __future__ import annotations

from pathlib import Path

import bound_checks
import numpy as np
import proof_fuzz
import pytest
from json_lines import read_lines

import annealco
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


@pytest.mark.parametrize("problem", PROBLEMS.own)
def test_no_answer_is_wrong(problem: str) -> None:
    faults = [proof_fuzz.check(problem, 0, number)[0] for number in range(40)]
    assert [each for each in faults if each is not None] == []


@pytest.mark.parametrize("problem", PROBLEMS.own)
def test_values_of_all_sets_are_the_scores(problem: str) -> None:
    for number in range(5):
        case = proof_fuzz.draw(problem, np.random.default_rng(number))
        posed = PROBLEMS[problem].with_options(**case.options)
        graph = case.source if isinstance(case.source, Graph) else posed.read(case.source)
        for choice in np.random.default_rng(number).integers(0, len(case.values), 20).tolist():
            nodes = np.flatnonzero(choice >> np.arange(case.size) & 1)
            # The elements of a hitting set come after its sets.
            nodes = nodes + (graph.num_nodes - case.size if problem == "hitting_set" else 0)
            score = posed.score(graph, nodes.tolist())
            expected = float(case.values[choice])
            assert (score is None and np.isnan(expected)) or score == pytest.approx(expected, rel=1e-12, abs=1e-3)


def test_a_wrong_answer_is_told() -> None:
    case = proof_fuzz.draw("mis", np.random.default_rng(3))
    found = annealco.solve(case.source, "mis", moves=2_000, seed=0, num_threads=1)
    assert proof_fuzz.fault_of("mis", case, found) is None
    for change in ({"bound": found.value / 2}, {"value": found.value * 2}, {"optimal": False}):
        assert proof_fuzz.fault_of("mis", case, found.__class__(**{**vars(found), **change})) is not None


CHECKS = Path(bound_checks.__file__).parent / "results" / "bound_checks.jsonl"


def test_no_row_has_anything_wrong() -> None:
    rows = [*read_lines(CHECKS), *read_lines(proof_fuzz.RESULTS)]
    assert {row["problem"] for row in rows} == set(PROBLEMS.own)
    assert [row for row in rows if row["wrong"]] == []


def test_the_page_has_the_tables_of_the_rows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "bounds.md").read_text(encoding="utf-8")
    checks = read_lines(CHECKS)
    tables = [
        bound_checks.table(checks),
        bound_checks.exact_table(checks),
        proof_fuzz.table(read_lines(proof_fuzz.RESULTS)),
    ]
    assert [each for each in tables if each not in page] == []
