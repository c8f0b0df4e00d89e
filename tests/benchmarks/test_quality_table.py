from pathlib import Path

import pytest
from json_lines import read_lines
from quality_table import best_known, family_table, losses, ratio, tables

ROOT = Path(__file__).parents[2]


def row(method, value, *, index=0, family="mds-ba-small", budget=1.0, proven=False, seed=0):
    cell = {"family": family, "index": index, "method": method, "budget": budget, "seed": seed}
    return {**cell, "status": "ok", "value": value, "proven": proven, "cpu": 1.0, "wall": 1.0}


def test_best_known_is_proven_or_the_best_of_all():
    rows = [row("annealco", 30.0), row("scip", 28.0, proven=True), row("annealco", 31.0, index=1)]
    known = best_known(rows)
    assert known["mds-ba-small", 0] == (28.0, True)
    assert known["mds-ba-small", 1] == (31.0, False)


def test_planted_optimum_counts_even_if_nobody_found_it():
    known = best_known([row("annealco", 5.0, family="mis-rb-small")])
    assert known["mis-rb-small", 0].optimal
    assert known["mis-rb-small", 0].value >= 20


def test_a_claim_that_a_better_set_refutes_is_an_error():
    with pytest.raises(ValueError, match="proven"):
        best_known([row("annealco", 27.0), row("scip", 28.0, proven=True)])


def test_ratio_is_one_at_best_less_elsewhere_and_zero_without_answer():
    rows = [row("annealco", 30.0), row("scip", 24.0), row("highs", None)]
    assert [ratio(each, best_known(rows)) for each in rows] == [0.8, 1.0, 0.0]


def test_losses_name_the_solver_that_is_better_on_the_same_graphs():
    rows = [row("annealco", 30.0), row("scip", 24.0), row("highs", 31.0)]
    text = losses(rows, best_known(rows))
    assert "| mds-ba-small | 1 | scip | 1 | 1 | 0.8000 | 1.0000 |" in text
    assert "highs" not in text


def test_losses_are_over_all_seeds_that_both_ran_with():
    ours = [row("annealco", 25.0), row("annealco", 24.0, seed=1), row("annealco", 24.0, seed=2)]
    theirs = [row("scip", 24.0), row("scip", 25.0, seed=1), row("scip", 25.0, seed=2)]
    known = best_known(ours + theirs)
    assert "scip" not in losses(ours + theirs, known)
    assert "| scip | 1 | 1 | 0.9600 | 1.0000 |" in losses([*ours, theirs[0]], known)


def test_a_family_is_compared_on_the_graphs_that_all_methods_ran_on():
    rows = [row("annealco", 30.0), row("annealco", 99.0, index=1), row("scip", 30.0)]
    text = family_table("mds-ba-small", rows, best_known(rows))
    assert "(graphs: 1 at 1 s)" in text
    assert "| annealco | 1.0000, best on 1, 1.00 s |" in text


def test_tables_of_nothing_are_short():
    assert "|" not in tables([])


def test_the_page_has_the_tables_of_the_rows():
    text = (ROOT / "docs" / "design-notes" / "search-quality.md").read_text(encoding="utf-8")
    rows = read_lines(ROOT / "benchmarks" / "results" / "search_quality.jsonl")
    assert not [line for line in tables(rows).splitlines() if line not in text]
