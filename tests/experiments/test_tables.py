from __future__ import annotations

import pytest

from annealco.baselines import METHODS
from annealco.baselines.learned import LEARNED
from annealco.baselines.taken import problems_of
from annealco.evaluation.paper_tables import ALIASES, paper_cells
from annealco.experiments.table import EXACT, KIN, Table
from annealco.experiments.tables import CLIQUE, CUT, MDS, MIS
from annealco.graph.datasets import DATASETS

TABLES = (MIS, CLIQUE, MDS, CUT)


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_every_method_and_set_of_the_paper_is_there(table: Table) -> None:
    ways = {way for learner in table.learners for way in learner.ways}
    methods = {*table.methods, *EXACT, *ways}
    sets = {ALIASES.get(data, data) for data in table.sets}
    cells = [cell for cell in paper_cells() if cell.problem == table.problem]
    assert {cell.method.partition("@")[0] for cell in cells} <= methods
    assert {cell.data for cell in cells} == sets


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_methods_take_the_problem_and_sets_serve_it(table: Table) -> None:
    assert all(table.problem in problems_of(METHODS[name]) for name in (*table.methods, *EXACT))
    for learner in table.learners:
        for way in learner.ways:
            assert not LEARNED[way].problems or table.problem in LEARNED[way].problems
    assert all(table.problem in DATASETS[data].problems for data in table.sets)
    assert len({learner.name for learner in table.learners}) == len(table.learners)


@pytest.mark.parametrize("table", TABLES, ids=lambda each: each.problem)
def test_ours_are_there_alone_and_together(table: Table) -> None:
    ways = [way for learner in table.learners for way in learner.ways]
    assert {"search", "greedy", "mean_field"} <= set(table.methods)
    assert {"annealed", "annealed+search"} <= set(ways)


def test_kin_are_sets_of_the_same_family() -> None:
    for large, small in KIN.items():
        assert large.replace("large", "small") == small
        assert {large, small} <= set(DATASETS)
