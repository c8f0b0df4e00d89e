import math
import warnings
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import annealco
import annealco.problems as module
from annealco.errors import InputError
from annealco.evaluation.bench.comparison import Bench
from annealco.graph.formats import Format
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
        ("penalty", "any", 1.0),
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
    empty = Registry("problem", "annealco.problems", {}, lambda thing: None, name_of=lambda thing: thing.name)
    monkeypatch.setattr(module, "PROBLEMS", empty)
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


def test_networks_of_independent_sets_are_for_covers_too():
    assert {name: each.learned_from for name, each in PROBLEMS.items() if len(each.learned_from) > 1} == {
        "vertex_cover": ("vertex_cover", "mis")
    }


def test_a_problem_that_is_not_the_complement_of_another_breaks_its_contract():
    wrong = replace(PROBLEMS["mds"], name="own_mds", complement_of=PROBLEMS["mis"])
    with pytest.raises(InputError, match="own_mds: the energy is not that of mis turned round"):
        annealco.check_problem(wrong)
    with pytest.raises(InputError, match="cut: complement_of must be a problem, and neither may take options"):
        replace(PROBLEMS["cut"], complement_of=PROBLEMS["mis"])
    with pytest.raises(InputError, match="mis: complement_of must be a problem, and neither may take options"):
        replace(PROBLEMS["mis"], complement_of="vertex_cover")


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


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"volume": "abc"}, "volume must be two numbers D0, D1 with D0 at most D1, it is 'abc'"),
        ({"volume": (5, 1)}, r"volume must be two numbers D0, D1 with D0 at most D1, it is \(5, 1\)"),
        ({"volume": (math.nan, 4)}, r"volume must be two numbers .*, it is \(nan, 4\)"),
        ({"seed_node": True}, "seed_node must be the label of a node, it is True"),
        ({"seed_node": 2.5}, "seed_node 2.5 is not a node of the graph"),
        ({"price": math.inf}, "price must be a number, it is inf"),
    ],
)
def test_values_of_options_are_checked_in_python(options, rule):
    with pytest.raises(InputError, match=rule):
        annealco.solve(EDGE, "cut", **options)
    with pytest.raises(InputError, match=rule):
        annealco.declare("cut", EDGE, **options)
    if "seed_node" not in options:
        with pytest.raises(InputError, match=rule):
            PROBLEMS["cut"].with_options(**options)


def test_a_name_of_the_package_means_one_problem():
    """Rows, references and networks go by names; to solve, another problem of that name does no harm."""
    other = replace(PROBLEMS["mis"], score=score_own)
    assert annealco.solve(EDGE, other, time_limit=60.0).value == 1.0
    assert find_problem(other) is other
    rule = "this problem is named 'mis' as a problem of annealco is: give it another name"
    for refused in (
        lambda: find_problem(other, unmistakable=True),
        lambda: annealco.check_problem(other),
        lambda: annealco.train(other, [EDGE] * 3),
        lambda: annealco.solve(EDGE, other, model="auto"),
        lambda: Bench("ba-small", other, ()),
    ):
        with pytest.raises(InputError, match=rule):
            refused()


def test_options_do_not_make_another_problem():
    posed = PROBLEMS["cut"].with_options(volume=(0, 2)).with_options(price=0.5)
    assert find_problem(posed, unmistakable=True) is posed
    assert not posed.is_posed_from(PROBLEMS["conductance"])
    assert not replace(posed, sense="max").is_posed_from(PROBLEMS["cut"])
    assert Bench("ba-small", posed, ()).chosen is posed


def declare_own(graph, *, radius=1):
    return PROBLEMS["mis"].declare(graph)


def score_own(graph, nodes, *, radius=1):
    return PROBLEMS["mis"].score(graph, nodes)


RADIUS = Option("radius", kind="integer", default=1)


def own(**changes):
    parts = {"declare": declare_own, "score": score_own, "options": (RADIUS,)}
    return Problem("own", "sets", "max", **{**parts, **changes})


def fail(*given, **options):
    raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"declare": fail}, "the problem own failed in declare: ZeroDivisionError: on purpose"),
        ({"score": fail}, "the problem own failed in score: ZeroDivisionError: on purpose"),
        ({"at_price": fail}, "the problem own failed in at_price: ZeroDivisionError: on purpose"),
        (
            {"declare": lambda graph, **_: None},
            "own: declare must return an annealco.energy.Instance, it returned a NoneType",
        ),
        (
            {"declare": lambda graph, **_: PROBLEMS["mis"].declare(Graph.batch([graph, graph]))},
            "own: declare must return an instance of . nodes in 1 graphs, it returned one of . in 2",
        ),
        (
            {"score": lambda graph, nodes, **_: math.nan},
            "own: score must return a finite number, or None .* returned nan",
        ),
        ({"score": lambda graph, nodes, **_: "3"}, "own: score must return a finite number, or None .* returned '3'"),
        ({"at_price": lambda price, **_: 3}, "own: at_price must return an annealco.Problem, it returned a int"),
    ],
)
def test_what_a_problem_of_one_s_own_does_wrong_is_told_by_solve_and_check(changes, rule):
    with pytest.raises(InputError, match=rule):
        annealco.solve(EDGE, own(**changes), time_limit=60.0)
    with pytest.raises(module.ProblemError, match=rf"own: .*{rule}") as caught:
        annealco.check_problem(own(**changes))
    assert "on purpose" not in rule or isinstance(caught.value.__cause__, ZeroDivisionError)


def test_errors_of_the_problem_on_many_graphs_and_of_its_draws_are_told():
    mis = PROBLEMS["mis"]
    alone = own(declare=lambda graph, **_: mis.declare(graph) if graph.num_graphs == 1 else fail())
    with pytest.raises(InputError, match="declared on many graphs at once: the problem own failed in declare: Zero"):
        annealco.check_problem(alone)
    options = {"epochs": 1, "settings": {"width": 4, "num_steps": 2}, "progress": False, "picture": False}
    for wrong, rule in (
        (alone, "the problem own failed in declare: ZeroDivisionError"),
        (own(draw=fail), "the problem own failed in draw: ZeroDivisionError"),
        (own(draw=lambda graphs, seed: 3), "own: draw must return a dictionary of options, it returned 3"),
    ):
        with pytest.raises(InputError, match=rule):
            annealco.train(wrong, [Graph.from_edges([[0, 1], [1, 2]])] * 6, **options)


def test_what_the_readers_and_examples_of_a_problem_do_wrong_is_told(tmp_path):
    for wrong, rule in (
        (own(read=fail), "the problem own failed in read: ZeroDivisionError: on purpose"),
        (own(read=lambda source: 3), "the problem own: read must return an annealco.Graph, or None .* returned a int"),
    ):
        for solve in (annealco.solve, lambda *given: list(annealco.solve_many(*given))):
            with pytest.raises(InputError, match=rule):
                solve(EDGE, wrong)
    for wrong, rule in (
        (own(examples=fail), "the problem own failed in examples: ZeroDivisionError: on purpose"),
        (own(examples=lambda rng: []), r"own: examples must return a list of graphs, at least one, it returned \[\]"),
        (own(examples=lambda rng: [3]), r"own: examples must return a list of graphs, at least one, it returned \[3\]"),
    ):
        with pytest.raises(InputError, match=rule):
            annealco.check_problem(wrong)
    place = tmp_path / "a.mine"
    place.write_text("x")
    for read, rule in (
        (fail, "a.mine: the format mine failed: ZeroDivisionError: on purpose"),
        (lambda path: 3, "a.mine: the reader of the format mine must return an annealco.Graph, it returned a int"),
    ):
        with pytest.raises(InputError, match=rule):
            annealco.solve(place, own(formats=(Format("mine", (".mine",), read),)))


def test_functions_of_a_problem_keep_their_signature_and_name():
    annealco.check_problem(own().with_options(radius=2))
    assert own().with_options(radius=2).option_values == {"radius": 2}
    with pytest.raises(InputError, match="the problem other failed in score"):
        replace(own(score=fail), name="other").score(EDGE, [])


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"sense": "maximum"}, "own: the sense must be min or max, it is 'maximum'"),
        ({"title": 3}, "own: the title must be text, it is 3"),
        ({"declare": None}, "own: declare must be a function, it is None"),
        ({"score": 3}, "own: score must be a function, it is 3"),
        ({"draw": {}}, "own: draw must be a function"),
        ({"options": [Option("x")]}, "own: options must be a tuple of annealco.Option"),
        ({"options": ("x",)}, "own: options must be a tuple of annealco.Option"),
        ({"read": 3}, "own: read must be a function, it is 3"),
        ({"examples": []}, "own: examples must be a function"),
        ({"formats": ("x",)}, "own: formats must be a tuple of annealco.graph.formats.Format"),
    ],
)
def test_declarations_of_problems_are_checked(changes, rule):
    with pytest.raises(InputError, match=rule):
        replace(own(), **changes)


def test_problems_are_checked_by_name_place_and_on_graphs_of_any_container(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    few = [[[0, 1], [1, 2]]]
    for given in ("mis", f"{tmp_path}/mine.py:OWN", PROBLEMS["mis"]):
        annealco.check_problem(given, few)
    with pytest.raises(InputError, match="unknown problem 'mos'; did you mean mis"):
        annealco.check_problem("mos")
    with pytest.raises(InputError, match=r"this int is no problem: it is of type int, not annealco\.Problem"):
        annealco.check_problem(3)
