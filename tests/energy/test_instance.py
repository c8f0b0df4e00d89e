import numpy as np
import pytest
import torch

from annealco.energy import Constraint, Energy, Instance, Linear, Pairs
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.energy.reference import KINDS, plain_value, random_term


def test_energy_is_the_sum_of_its_terms():
    rng = np.random.default_rng(0)
    terms = tuple(random_term(kind, rng) for kind in KINDS)
    energy = Energy(terms[0].node_ptr, terms)
    bits = rng.integers(0, 2, (5, 7))
    expected = [
        [sum(column) for column in zip(*(plain_value(term, row) for term in terms), strict=True)]
        for row in bits.tolist()
    ]
    assert np.allclose(energy.value(bits), expected)
    logits = torch.tensor(rng.normal(size=7))
    assert torch.allclose(
        energy.expectation(logits), sum(Energy(energy.node_ptr, (term,)).expectation(logits) for term in terms)
    )


def test_no_terms_and_no_nodes():
    assert Energy(np.array([0, 2]), ()).value([1, 0]).tolist() == [0.0]
    nothing = Energy(np.array([0]), ())
    assert nothing.value(np.zeros(0)).shape == (0,)
    assert nothing.lipschitz().tolist() == []
    assert Energy(np.array([0, 0]), ()).expectation(torch.zeros(0)).tolist() == [0.0]


def star(leaves):
    return Graph.from_edges([[0] * leaves, range(1, leaves + 1)])


# The formulas of the unweighted problems: MIS max(1, d−1), clique max(1, n−2−d_min), MDS d, cut d (1 + β).
@pytest.mark.parametrize(
    ("name", "graph", "expected"),
    [
        ("mis", star(5), 4),
        ("mis", star(1), 1),
        ("clique", star(5), 3),
        ("clique", star(1), 1),
        ("mds", star(5), 5),
        ("cut", star(5), 5 * (1 + 5)),
        ("vertex_cover", star(5), 4),
        ("max_cut", star(5), 5),
    ],
)
def test_lipschitz_constants_of_the_unweighted_problems(name, graph, expected):
    assert PROBLEMS[name].declare(graph).lipschitz().tolist() == [expected]


def test_lipschitz_is_one_number_a_graph():
    batch = Graph.batch([star(3), Graph.from_edges(np.zeros((2, 0), int), 0), star(6)])
    assert PROBLEMS["mis"].declare(batch).lipschitz().tolist() == [2, 0, 5]


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
