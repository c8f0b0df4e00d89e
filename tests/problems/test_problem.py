import math
import warnings
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import annealco
import annealco.problems as module
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Option, Problem, find_problem
from annealco.problems.problem import as_node_mask, ratios
from annealco.registry import Registry

EDGE = Graph.from_edges([[0], [1]])


def test_options_are_declared():
    assert [option.name for option in PROBLEMS["cut"].options] == ["volume", "seed_node", "price"]
    assert PROBLEMS["cut"].node_options == PROBLEMS["conductance"].node_options == ("seed_node",)
    assert PROBLEMS["mis"].options == ()


def test_problems_of_version_0_1_still_work():
    """Their options are the keyword-only arguments of the declaration, and ``node_options`` says which are nodes."""

    def declare(graph, *, seed_node=None, penalty=1.0):
        return PROBLEMS["cut"].declare(graph, volume=(0, 10), seed_node=seed_node)

    def score(graph, nodes, *, seed_node=None, penalty=1.0):
        return PROBLEMS["cut"].score(graph, nodes, volume=(0, 10), seed_node=seed_node)

    with pytest.warns(
        DeprecationWarning, match=r"old: .*declare them: options=\(Option\('seed_node', kind='node'\)"
    ) as told:
        old = Problem("old", "a cut", "min", declare, score, node_options=("seed_node",))
    assert told[0].filename == __file__
    assert [(each.name, each.kind, each.default) for each in old.options] == [
        ("seed_node", "node", None),
        ("penalty", "text", 1.0),
    ]
    graph = Graph.from_edges([[0], [1]], node_labels=["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old.with_options(penalty=2.0).option_values == {"penalty": 2.0}
        assert annealco.solve(graph, old, seed_node="b", time_limit=60.0).value == 0.0
        with pytest.raises(InputError, match="seed_node 'c' is not a node of the graph"):
            annealco.solve(graph, old, seed_node="c")
    with pytest.raises(InputError, match="old: node_options names 'seed', which the declaration does not take"):
        Problem("old", "a cut", "min", declare, score, node_options=("seed",))


@pytest.mark.parametrize("name", ["", "a/b", "a:b", "..\\x", " a", 3])
def test_names_are_no_places(name):
    with pytest.raises(InputError, match="the name of a problem must be text without slashes and colons"):
        replace(PROBLEMS["mis"], name=name)


def test_a_required_option_must_be_set():
    needy = replace(PROBLEMS["mis"], name="needy", options=(Option("radius", kind="integer", required=True),))
    with pytest.raises(InputError, match="needy needs the option radius: integer"):
        needy.posed({})
    with pytest.raises(InputError, match="needy needs the option radius"):
        annealco.solve(EDGE, needy)
    assert needy.posed({"radius": 3}).posed({}).option_values == {"radius": 3}


FILE = """
from dataclasses import replace
from annealco import PROBLEMS
OWN = replace(PROBLEMS["mis"], name="own")
FALSE = replace(PROBLEMS["mis"], title="something else")
MIS = PROBLEMS["mis"]
"""


def test_problems_are_found_by_name_and_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    own = find_problem("mine.py:OWN")
    assert (own.name, find_problem(own)) == ("own", own)
    assert annealco.solve(EDGE, "mine.py:OWN", time_limit=60.0).problem == "own"
    assert find_problem("mine.py:MIS") is PROBLEMS["mis"]
    with pytest.raises(InputError, match=r"'mine.py:FALSE' is named 'mis' as a problem of annealco is"):
        find_problem("mine.py:FALSE")
    with pytest.raises(InputError, match=r"is no problem: it is of type function, not annealco.Problem"):
        find_problem("mine.py:replace")
    with pytest.raises(InputError, match=r"unknown problem 'mos'; did you mean mis[?]"):
        find_problem("mos")


def test_an_entry_point_has_the_name_of_its_problem(monkeypatch):
    points = [EntryPoint("other", "annealco.problems.mis:MIS", "annealco.problems")]
    monkeypatch.setattr("annealco.registry.entry_points", lambda group: points)
    monkeypatch.setattr(module, "PROBLEMS", Registry("problem", "annealco.problems", {}, lambda thing: None))
    with pytest.raises(InputError, match="the entry point 'other' is a problem named 'mis': both names must be equal"):
        find_problem("other")


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
