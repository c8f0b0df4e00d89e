import math
from itertools import product

import networkx as nx
import numpy as np
import pytest

from annealco.energy import Linear, Pairs
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import check_problem
from annealco.problems.cut import CUT
from annealco.problems.small_graphs import small_graphs
from tests.problems.brute_force import best_score

# Two triangles joined by an edge: volume 14, the natural cut is one triangle, of volume 7.
BARBELL = Graph.from_edges([[0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]])


def test_the_default_box_is_a_quarter_to_a_half_of_the_volume():
    assert CUT.score(BARBELL, [0, 1, 2]) == 1
    assert CUT.score(BARBELL, [0]) is None
    assert CUT.score(BARBELL, [0, 1, 2, 3]) is None
    box = CUT.declare(BARBELL).constraints[0].term
    assert (box.lower.tolist(), box.upper.tolist()) == ([4], [7])
    assert best_score(CUT, BARBELL) == 1


def test_the_default_box_always_holds_some_set():
    for graph in small_graphs(np.random.default_rng(1)):
        assert best_score(CUT, graph) is not None


def test_both_orientations_of_an_edge_are_cut():
    energy = CUT.declare(BARBELL, volume=(0, 14)).energy()
    assert energy.value([1, 0, 0, 0, 0, 0]).tolist() == [2]
    assert energy.value([0, 1, 1, 1, 1, 1]).tolist() == [2]


def test_fractions_of_a_box_are_rounded_inward():
    for volume in ((2.5, 5.9), (3, 5)):
        box = CUT.declare(BARBELL, volume=volume).constraints[0].term
        assert (box.lower.tolist(), box.upper.tolist()) == ([3], [5])
    unbounded = CUT.declare(BARBELL, volume=(-math.inf, math.inf)).constraints[0].term
    assert (unbounded.lower.tolist(), unbounded.upper.tolist()) == ([0], [14])


def test_a_seed_node_must_be_chosen():
    seeded = CUT.with_options(volume=(4, 8), seed_node=5)
    assert seeded.score(BARBELL, [0, 1, 2]) is None
    assert seeded.score(BARBELL, [3, 4, 5]) == 1
    instance = seeded.declare(BARBELL)
    assert instance.violations([1, 1, 1, 0, 0, 0]).tolist() == [1]
    # β = 3, and node 5 has two edges: 2 + 3·2.
    assert instance.constraints[1].penalty.tolist() == [8]


def test_each_graph_can_have_its_own_box_and_seed():
    both = Graph.batch([BARBELL, BARBELL])
    instance = CUT.declare(both, volume=[[4, 8], [2, 3]], seed_node=[0, 5])
    bits = [1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert instance.violations(bits).tolist() == [0, 1]
    assert instance.value(bits).tolist() == [1, 2]


@pytest.mark.parametrize("options", [{"volume": (2, 9)}, {"seed_node": 0}, {"volume": (1, 12), "seed_node": 1}])
def test_the_contract_holds_with_options(options):
    big = [graph for graph in small_graphs(np.random.default_rng(5)) if graph.num_edges >= 5]
    check_problem(CUT.with_options(**options), big)


def test_the_minimum_can_be_wrong_in_a_box_narrower_than_the_largest_degree():
    # The one case of the proposition's silence: on a star only the centre or all leaves have volume 5.
    star = Graph.from_edges([[0] * 5, range(1, 6)])
    narrow = CUT.declare(star, volume=(5, 5))
    assert not narrow.exact[0]
    assert CUT.declare(star, volume=(2, 6)).exact[0]


def test_exactness_is_only_claimed_where_brute_force_agrees():
    rng = np.random.default_rng(7)
    claimed = 0
    for graph in small_graphs(rng, num_random=60, max_nodes=6):
        for _ in range(4):
            volume = np.sort(rng.integers(0, 2 * graph.num_edges + 1, 2))
            problem = CUT.with_options(volume=volume)
            try:
                instance = problem.declare(graph)
            except InputError:
                assert best_score(problem, graph) is None
                continue
            best = best_score(problem, graph)
            bits = (np.arange(2**graph.num_nodes)[:, None] >> np.arange(graph.num_nodes)) & 1
            if instance.exact[0]:
                claimed += 1
                assert instance.energy().value(bits).min() == pytest.approx(best)
    assert claimed > 50


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"volume": (8, 4)}, "no set has a volume in 8:4, all nodes have 14"),
        ({"volume": (20, 30)}, "no set has a volume in 20:30"),
        ({"volume": (-5, -1)}, "no set has a volume in -5:-1"),
        ({"volume": (math.nan, 3)}, "no set has a volume in nan:3"),
        ({"volume": (1, 2, 3)}, "volume must be D0, D1"),
        ({"volume": "4:8"}, "volume must be D0, D1"),
        ({"volume": (0, 10**400)}, "volume must be D0, D1"),
        ({"seed_node": 6}, "seed node 6 does not exist, there are 6 nodes"),
        ({"seed_node": -1}, "seed node -1 does not exist"),
        ({"seed_node": 1.5}, "seed_node must be a node number"),
        ({"price": math.inf}, "price must be a finite number"),
        ({"price": (1, 2)}, "price must be a finite number"),
        ({"price": "free"}, "price must be a finite number"),
        ({"price": None}, "price must be a finite number"),
        ({"seed_node": 2, "volume": (1, 2)}, "seed node 2 has degree 3, above the largest volume 2"),
    ],
)
def test_impossible_options_are_refused(options, rule):
    with pytest.raises(InputError, match=rule):
        CUT.declare(BARBELL, **options)


def test_a_box_a_graph_is_asked_for_only_where_there_are_many():
    with pytest.raises(InputError, match=r"volume must be D0, D1, it is \[\(4, 8\), \(2, 3\)\]"):
        CUT.declare(BARBELL, volume=[(4, 8), (2, 3)])
    with pytest.raises(InputError, match=r"volume must be D0, D1 or \[num_graphs, 2\] of them, it is 3"):
        CUT.declare(Graph.batch([BARBELL, BARBELL]), volume=3)


def test_a_refusal_names_the_graph_of_a_batch_and_the_label():
    labelled = Graph.from_edges(BARBELL.edges, node_labels=np.arange(10, 16))
    with pytest.raises(InputError, match=r"^graph 1: no set has a volume in 20:30"):
        CUT.declare(Graph.batch([BARBELL, BARBELL]), volume=[(4, 8), (20, 30)])
    with pytest.raises(InputError, match=r"^seed node 12 has degree 3"):
        CUT.declare(labelled, volume=(1, 2), seed_node=2)


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize("graph", [nx.cycle_graph(6), nx.star_graph(5), nx.complete_graph(5), nx.barbell_graph(4, 1)])
def test_a_box_is_refused_exactly_where_no_set_is_in_it(graph, seeded):
    ours, whole = Graph.from_edges(np.array(graph.edges).T), 2 * graph.number_of_edges()
    degrees = [degree for _, degree in graph.degree]
    subsets = [nodes for nodes in product([0, 1], repeat=len(degrees)) if nodes[1] or not seeded]
    volumes = {sum(d for d, chosen in zip(degrees, nodes, strict=True) if chosen) for nodes in subsets}
    for low in range(degrees[1] if seeded else 0, whole + 1):
        for high in range(low, whole + 1):
            options = {"volume": (low, high)} | ({"seed_node": 1} if seeded else {})
            if volumes & set(range(low, high + 1)):
                CUT.declare(ours, **options)
            else:
                with pytest.raises(InputError, match=f"has a volume in {low}:{high}, degrees add up to none"):
                    CUT.declare(ours, **options)


PRICES = [-0.6, 0.05, 0.4, 3.0]


def test_without_a_price_the_instance_is_the_same():
    """Terms, penalties and their order: kernels see no difference."""
    for graph in small_graphs(np.random.default_rng(2)):
        plain, free = CUT.declare(graph), CUT.declare(graph, price=0.0)
        assert [type(term) for term in plain.objective] == [type(term) for term in free.objective] == [Linear, Pairs]
        assert np.array_equal(plain.objective[0].coefficient, graph.weighted_degree)
        reach = np.bincount(graph.edges.ravel(), np.tile(np.abs(graph.edge_weight), 2), minlength=graph.num_nodes)
        for instance in (plain, free):
            assert instance.constraints[0].penalty == pytest.approx([reach.max(initial=0.0)])


@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("options", [{}, {"volume": (2, 9)}, {"volume": (1, 12), "seed_node": 1}])
def test_the_contract_holds_at_prices(price, options):
    big = [graph for graph in small_graphs(np.random.default_rng(5)) if graph.num_edges >= 5]
    check_problem(CUT.with_options(price=price, **options), big)


def test_a_unit_of_volume_earns_its_price():
    priced = CUT.with_options(price=0.5, volume=(4, 8), seed_node=5)
    assert priced.score(BARBELL, [3, 4, 5]) == 1 - 0.5 * 7
    instance = priced.declare(BARBELL)
    assert instance.value([0, 0, 0, 1, 1, 1]).tolist() == [-2.5]
    # β = 3 + 0.5·3, and node 5 has two edges: 2 + 0.5·2 + 4.5·2.
    assert [each.penalty.tolist() for each in instance.constraints] == [[4.5], [12]]


def test_each_graph_can_have_its_own_price():
    both = Graph.batch([BARBELL, BARBELL])
    bits = [1, 1, 1, 0, 0, 0] * 2
    assert CUT.declare(both, price=[0.0, 1.0]).value(bits).tolist() == [1, 1 - 7]
    assert CUT.declare(both, price=2).value(bits).tolist() == [1 - 14, 1 - 14]
    assert CUT.score(BARBELL, [0, 1, 2], price=[1.0]) == 1 - 7


def test_a_score_takes_the_options_of_its_own_graph_only():
    for options in ({"volume": [[4, 8], [2, 3]]}, {"volume": (3,)}, {"volume": "ab"}):
        with pytest.raises(InputError, match="volume must be D0, D1"):
            CUT.score(BARBELL, [0, 1, 2], **options)
    with pytest.raises(InputError, match="node 9 is outside"):
        CUT.score(BARBELL, [0, 1, 2], seed_node=9)
    assert CUT.score(BARBELL, [0, 1, 2], volume=[[4, 8]], seed_node=[0]) == 1
