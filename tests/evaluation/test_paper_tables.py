from __future__ import annotations

from annealco.baselines import METHODS
from annealco.baselines.learned import LEARNED
from annealco.evaluation.paper_tables import paper_cell, paper_cells
from annealco.graph.datasets import DATASETS
from annealco.problems import PROBLEMS


def test_every_cell_is_of_a_known_problem_set_and_method() -> None:
    cells = paper_cells()
    # 7 methods on 4 sets twice, 6 on 4, 9 on 3; PageRank-Nibble has no figure for Facebook.
    assert len(cells) == 2 * 7 * 4 + 6 * 4 + 9 * 3 - 1
    assert len({(cell.problem, cell.data, cell.method) for cell in cells}) == len(cells)
    for cell in cells:
        assert cell.problem in PROBLEMS
        assert cell.data in DATASETS
        assert cell.method.partition("@")[0] in {*METHODS, *LEARNED}
        assert 0 < cell.mean <= 1


def test_cells_are_found_by_method_and_exact_solvers_by_their_limit() -> None:
    annealed = paper_cell("mis", "rb-small", "annealed", limit=1.0)
    assert annealed is not None
    assert (annealed.mean, annealed.std, annealed.seconds) == (0.898, 0.03, 0.165)
    short, long = (paper_cell("mds", "ba-large", "gurobi", limit=limit) for limit in (0.5, 1.0))
    assert short is not None
    assert long is not None
    assert (short.mean, long.mean) == (0.994, 0.999)
    assert paper_cell("mis", "rb-small", "gurobi", limit=7.0) is None
    assert paper_cell("mis", "imdb", "greedy_fixed", limit=1.0) is None
    smooth = paper_cell("cut", "twitter", "l2", limit=1.0)
    assert smooth is not None
    assert smooth.mean == 0.388
    subset = paper_cell("cut", "sf295-subset", "crd", limit=1.0)
    assert subset is not None
    assert subset.mean == 0.364


def test_impossible_cells_have_an_erratum() -> None:
    wrong = {(cell.problem, cell.data, cell.method) for cell in paper_cells() if cell.erratum}
    assert wrong == {
        ("mis", "rb-large", "erdos"),
        ("mis", "rb-large", "annealed"),
        ("mds", "twitter", "gurobi@1"),
        ("cut", "facebook", "simple_local"),
    }
