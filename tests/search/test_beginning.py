import math
from dataclasses import replace

import numpy as np
import pytest

from annealco.energy import Constraint, Range
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.beginning import begin_at, finished
from annealco.search.incumbent import SAVED, new_incumbent

PATH = Graph.from_edges([[0, 1, 2], [1, 2, 3]], 4, node_weight=[1, 2, 4, 8])


def test_the_start_is_repaired_and_is_the_best_so_far():
    instance = PROBLEMS["mis"].declare(PATH)
    forms, bits, incumbent = begin_at(instance, np.ones(4, bool))
    kept = np.flatnonzero(bits.chosen).tolist()
    assert PROBLEMS["mis"].score(PATH, kept) == -incumbent.cost[0] == PATH.node_weight[kept].sum()
    assert incumbent.best.tolist() == bits.chosen.tolist()
    assert incumbent.length[0] == SAVED
    assert len(forms.linear) == 4


def test_a_shared_best_is_kept():
    shared = new_incumbent(np.zeros(4, bool), -100.0)
    assert begin_at(PROBLEMS["mis"].declare(PATH), np.ones(4, bool), incumbent=shared).incumbent is shared


def test_what_cannot_be_made_feasible_costs_infinitely_much():
    pairs = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]], 2))
    # No number of nodes lies between a quarter and a half.
    never = Range(pairs.node_ptr, np.ones(2), np.array([0.25]), np.array([0.5]), np.ones(1))
    hopeless = replace(pairs, constraints=(*pairs.constraints, Constraint(never, np.ones(1))))
    start = begin_at(hopeless, np.zeros(2, bool))
    assert start.incumbent.cost[0] == math.inf
    assert finished(hopeless, start.forms, np.zeros(2, bool))[1] == math.inf
    assert finished(pairs, begin_at(pairs, np.zeros(2, bool)).forms, np.ones(2, bool))[1] == -1


def test_a_batch_is_refused():
    with pytest.raises(InputError, match="a search is of one graph, this instance has 2"):
        begin_at(PROBLEMS["mis"].declare(Graph.batch([PATH, PATH])), np.zeros(8, bool))
