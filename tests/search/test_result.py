import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.result import rescored

EDGE = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]], node_weight=[2, 3]))


@pytest.mark.parametrize(("bits", "cost", "feasible"), [([0, 1], -3, True), ([1, 1], -5, False), ([0, 0], 0, True)])
def test_cost_and_feasibility_are_evaluated_anew(bits, cost, feasible):
    result = rescored(EDGE, np.array(bits, bool), moves=7, seconds=0.5, trace=())
    assert (result.cost, result.feasible, result.moves) == (cost, feasible, 7)
    with pytest.raises(AttributeError):
        result.cost = 2.0
