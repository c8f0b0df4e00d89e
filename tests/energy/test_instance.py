import numpy as np
import pytest

from annealco.energy import Constraint, Instance, Linear, Pairs
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

PTR = np.array([0, 2])
EDGE = Pairs(PTR, np.array([[0], [1]]), np.ones(1))


def instance(penalty=3.0):
    return Instance(PTR, (Linear(PTR, np.array([-1.0, -2.0])),), (Constraint(EDGE, np.array([penalty])),), sense="max")


def test_penalty_scale_multiplies_only_the_constraints():
    for scale in (0.0, 0.25, 1.0, 5.0):
        assert instance().energy(scale).value([1, 1]).tolist() == [-3 + scale * 3]
        assert instance().energy(scale).value([0, 1]).tolist() == [-2]
    with pytest.raises(InputError, match="must not be negative or infinite, it is -1"):
        instance().energy(-1)
    with pytest.raises(InputError, match="must not be negative or infinite, it is nan"):
        instance().energy(float("nan"))


@pytest.mark.filterwarnings("error")
def test_a_penalty_scale_that_makes_penalties_infinite_is_refused():
    with pytest.raises(InputError, match=r"the penalty scale 1e\+300 is too large, penalties would be infinite"):
        instance(penalty=1e10).energy(1e300)


def test_value_is_in_the_user_s_sense_and_violations_count():
    assert instance().value([[0, 0], [1, 1]]).ravel().tolist() == [0, 3]
    assert instance().violations([[0, 1], [1, 1]]).ravel().tolist() == [0, 1]


def test_violations_count_where_the_penalty_is_zero():
    assert instance(penalty=0.0).violations([1, 1]).tolist() == [1]


def test_violations_of_a_weighted_clique_count_pairs():
    graph = Graph.from_edges([[0], [1]], 4, node_weight=[5, 0, 7, 9])
    assert PROBLEMS["clique"].declare(graph).violations([1, 1, 1, 1]).tolist() == [5]


def test_wrong_penalties_are_refused():
    with pytest.raises(InputError, match=r"shape of its term's coefficient, \[1\], it has \[2\]"):
        Constraint(EDGE, np.ones(2))
    with pytest.raises(InputError, match="must not be negative, the least is -1"):
        Constraint(EDGE, -np.ones(1))
