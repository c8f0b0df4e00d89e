import math

import numpy as np
import pytest

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.problem import as_node_mask, ratios

EDGE = Graph.from_edges([[0], [1]])


def test_options_are_the_keyword_arguments_of_the_declaration():
    assert PROBLEMS["cut"].options == ("volume", "seed_node", "price")
    assert PROBLEMS["mis"].options == ()


def test_options_reach_declaration_and_score():
    cut = PROBLEMS["cut"].with_options(volume=(2, 2))
    assert cut.score(EDGE, [0, 1]) == 0
    assert cut.score(EDGE, [0]) is None
    assert cut.declare(EDGE).violations([1, 0]).tolist() == [1]
    # The registered problem is as it was.
    assert PROBLEMS["cut"].score(EDGE, [0]) == 1


def test_options_can_be_set_again():
    twice = PROBLEMS["cut"].with_options(volume=(2, 2)).with_options(volume=(0, 0))
    assert twice.score(EDGE, []) == 0


@pytest.mark.parametrize("name", PROBLEMS)
def test_unknown_options_are_refused(name):
    with pytest.raises(InputError, match=f"{name} has no option 'colour'"):
        PROBLEMS[name].with_options(colour="red")


def test_options_reach_the_problem_at_a_price():
    path = Graph.from_edges([[0, 1], [1, 2]])
    quotient = PROBLEMS["conductance"].with_options(volume=(1, 3))
    assert quotient.score(path, [0, 1]) == pytest.approx(1 / 3)
    assert quotient.at_price(0.5).score(path, [0, 1]) == pytest.approx(1 - 1.5)
    assert quotient.at_price(0.5).score(path, [0, 1, 2]) is None


def test_networks_of_a_quotient_are_those_of_its_numerator():
    assert {name: each.learned_as for name, each in PROBLEMS.items() if each.learned_as != name} == {
        "conductance": "cut"
    }


def test_nodes_of_a_score_must_exist_in_one_graph():
    assert as_node_mask(EDGE, [1, 1]).tolist() == [False, True]
    assert as_node_mask(EDGE, []).tolist() == [False, False]
    with pytest.raises(InputError, match="node 2 is outside a graph of 2 nodes"):
        as_node_mask(EDGE, [2])
    with pytest.raises(InputError, match="node -1 is outside"):
        as_node_mask(EDGE, [-1])
    with pytest.raises(InputError, match="this batch has 2"):
        as_node_mask(Graph.batch([EDGE, EDGE]), [0])


@pytest.mark.parametrize("nodes", [[True, False], np.array([True, True]), [1.0], "1", [None]])
def test_masks_fractions_and_text_are_no_nodes(nodes):
    with pytest.raises(InputError, match="nodes must be whole numbers"):
        PROBLEMS["mis"].score(EDGE, nodes)


def test_ratios_are_those_of_the_paper_for_positive_values() -> None:
    found, known = np.array([5.0, 4.0]), np.array([10.0, 4.0])
    assert ratios(PROBLEMS["mis"], found, known).tolist() == [0.5, 1.0]
    assert ratios(PROBLEMS["mds"], known, found).tolist() == [0.5, 1.0]


def test_ratios_make_sense_for_zero_negative_missing_and_better_values() -> None:
    cut = PROBLEMS["cut"]
    assert ratios(cut, np.array([0.0]), np.array([0.0])).tolist() == [1.0]
    assert ratios(cut, np.array([-4.0]), np.array([-8.0])).tolist() == [0.5]
    assert ratios(cut, np.array([math.nan]), np.array([3.0])).tolist() == [0.0]
    assert ratios(PROBLEMS["mis"], np.array([12.0]), np.array([10.0]))[0] > 1
    assert ratios(cut, np.array([9.0]), np.array([-3.0])).tolist() == [0.0]
