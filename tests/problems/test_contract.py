"""The contract accepts every problem of the registry, and refuses mutants of them."""

from dataclasses import replace

import numpy as np
import pytest

from annealco.energy import Constraint, Cover, Instance, Linear, Pairs, Range
from annealco.energy.expectation import RANGE_METHODS
from annealco.energy.terms import with_coefficient
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Option, Problem, ProblemError, check_problem
from annealco.problems.contract import PRICES, sums_of
from annealco.problems.small_graphs import small_graphs


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_problem_keeps_the_contract(name, seed):
    check_problem(PROBLEMS[name], seed=seed)


def mutant(name, change):
    """Return a problem whose instances are changed after their declaration."""
    original = PROBLEMS[name]
    return replace(original, name="mutant", declare=lambda graph, **_: change(original.declare(graph), graph))


def scaled_penalty(scale):
    return lambda instance, graph: replace(
        instance, constraints=tuple(Constraint(each.term, scale * each.penalty) for each in instance.constraints)
    )


def negated_cost(instance, graph):
    return replace(instance, objective=tuple(with_coefficient(t, -t.coefficient) for t in instance.objective))


def half_of_the_cut(instance, graph):
    """Σ_(u,v) w x_u (1 − x_v) over edges stored once: only edges that leave by their first end."""
    leaving = np.bincount(graph.edges[0], graph.edge_weight, minlength=graph.num_nodes).astype(float)
    return replace(
        instance, objective=(Linear(graph.node_ptr, leaving), Pairs(graph.node_ptr, graph.edges, -graph.edge_weight))
    )


def open_neighbourhoods(instance, graph):
    """Isolated nodes keep themselves, since an empty set is refused."""
    keep = graph.degree == 0
    members = np.insert(graph.indices, graph.indptr[:-1][keep], np.flatnonzero(keep))
    set_ptr = np.concatenate([[0], np.cumsum(np.maximum(graph.degree, 1))])
    penalty = instance.constraints[0].penalty
    return replace(
        instance, constraints=(Constraint(Cover(graph.node_ptr, set_ptr, members, np.ones(graph.num_nodes)), penalty),)
    )


def other_in_a_batch(instance, graph):
    return scaled_penalty(2.0)(instance, graph) if graph.num_graphs > 1 else instance


def too_wide_box(instance, graph):
    box = instance.constraints[0].term
    return replace(
        instance, constraints=(Constraint(replace(box, upper=box.upper + 1), instance.constraints[0].penalty),)
    )


MUTANTS = {
    "wrong sign of the MDS cost": (mutant("mds", negated_cost), "the objective of"),
    "edges counted twice in MIS": (mutant("mis", scaled_penalty(2.0)), "not critical"),
    "edges counted twice in max cut": (
        mutant(
            "max_cut",
            lambda i, g: replace(i, objective=tuple(with_coefficient(t, 2 * t.coefficient) for t in i.objective)),
        ),
        "the objective of",
    ),
    "half of the cut": (mutant("cut", half_of_the_cut), "the objective of"),
    "open neighbourhoods": (mutant("mds", open_neighbourhoods), "disagree on whether"),
    "0.9 of the critical penalty, mis": (mutant("mis", scaled_penalty(0.9)), "the penalty is too small"),
    "0.9 of the critical penalty, clique": (mutant("clique", scaled_penalty(0.9)), "the penalty is too small"),
    "0.9 of the critical penalty, mds": (mutant("mds", scaled_penalty(0.9)), "the penalty is too small"),
    "0.9 of the critical penalty, cut": (mutant("cut", scaled_penalty(0.9)), "the penalty is too small"),
    "0.9 of the critical penalty, vertex cover": (
        mutant("vertex_cover", scaled_penalty(0.9)),
        "the penalty is too small",
    ),
    "no penalty": (mutant("mis", scaled_penalty(0.0)), "the penalty is too small"),
    "a score that forgets weights": (
        replace(
            PROBLEMS["mis"],
            name="mutant",
            score=lambda graph, nodes: PROBLEMS["mis"].score(
                graph.with_weights(node_weight=np.ones(graph.num_nodes)), nodes
            ),
        ),
        "the objective of",
    ),
    "a score that forgets a constraint": (
        replace(PROBLEMS["mis"], name="mutant", score=lambda graph, nodes: float(len(nodes))),
        "disagree",
    ),
    "a score without limits": (
        replace(PROBLEMS["mis"], name="mutant", score=lambda graph, nodes: None),
        "disagree on whether",
    ),
    "a score that is not a number": (
        replace(PROBLEMS["max_cut"], name="mutant", score=lambda graph, nodes: float("nan")),
        "score must return a finite number, or None where a set is not feasible, it returned nan",
    ),
    "exact in a batch only": (
        mutant("mis", lambda i, g: replace(i, exact=np.zeros(g.num_graphs, bool) if g.num_graphs > 1 else None)),
        "changes in a batch",
    ),
    "the wrong sense": (replace(PROBLEMS["mds"], name="mutant", sense="max"), "disagree on the sense"),
    "another energy in a batch": (mutant("mis", other_in_a_batch), "changes in a batch"),
    "a box too wide": (mutant("cut", too_wide_box), "disagree on whether"),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refused(name):
    problem, rule = MUTANTS[name]
    with pytest.raises(ProblemError, match=rule):
        check_problem(problem)


def test_node_numbers_must_not_matter():
    # The score shares the mistake, so that only the relabelling can tell.
    def score(graph, nodes):
        plain = PROBLEMS["max_cut"].score(graph, nodes)
        return plain + (1.0 if 0 in nodes else 0.0)

    def declare(graph):
        instance = PROBLEMS["max_cut"].declare(graph)
        first = np.zeros(graph.num_nodes)
        first[graph.node_ptr[:-1][np.diff(graph.node_ptr) > 0]] = -1.0
        return replace(instance, objective=(*instance.objective, Linear(graph.node_ptr, first)))

    with pytest.raises(ProblemError, match="how the nodes are numbered"):
        check_problem(replace(PROBLEMS["max_cut"], name="mutant", declare=declare, score=score))


@pytest.mark.parametrize("pretender", ["plugin", "gaussian"])
def test_a_range_that_only_claims_to_be_exact_is_refused(pretender, monkeypatch):
    monkeypatch.setitem(RANGE_METHODS, "exact", RANGE_METHODS[pretender])
    with pytest.raises(ProblemError, match="not the mean over assignments"):
        check_problem(PROBLEMS["cut"])


def test_flip_bounds_that_are_too_small_are_refused(monkeypatch):
    monkeypatch.setattr(Pairs, "flip_interval", lambda self: (np.zeros(int(self.node_ptr[-1])),) * 2)
    with pytest.raises(ProblemError, match="above its bound"):
        check_problem(PROBLEMS["mis"])


def test_a_wrong_field_is_refused(monkeypatch):
    from annealco.energy.expectation import PairsTensors

    monkeypatch.setattr(PairsTensors, "field", lambda self, q: 2 * (self.matrix @ q.probability))
    with pytest.raises(ProblemError, match="the field is not"):
        check_problem(PROBLEMS["mis"])


def test_a_declaration_may_refuse_some_graphs_but_not_most():
    def picky(limit):
        def declare(graph):
            if graph.num_graphs == 1 and graph.num_nodes < limit:
                raise InputError("too small")
            return PROBLEMS["mis"].declare(graph)

        return replace(PROBLEMS["mis"], name="mutant", declare=declare)

    check_problem(picky(2))
    with pytest.raises(ProblemError, match=r"refuses \d+ of \d+ graphs"):
        check_problem(picky(8))


def test_own_graphs_can_be_given_but_not_large_or_many():
    edge = Graph.from_edges([[0], [1]])
    check_problem(PROBLEMS["mis"], [edge])
    for wrong in (Graph.batch([edge, edge]), Graph.from_edges([[0], [1]], num_nodes=13)):
        with pytest.raises(ProblemError, match="single graphs of at most 12 nodes"):
            check_problem(PROBLEMS["mis"], [wrong])


def test_the_error_names_the_graph():
    with pytest.raises(ProblemError, match=r"mutant: .*graph: 2 nodes, edges \[\[0, 1\]\], node weights \[1.0, 1.0\]"):
        check_problem(MUTANTS["0.9 of the critical penalty, mis"][0], [Graph.from_edges([[0], [1]])])


def test_ranges_as_declared_need_not_be_exact():
    instance = PROBLEMS["cut"].declare(Graph.from_edges([[0], [1]]))
    assert isinstance(instance, Instance)
    assert [term.method for term in instance.energy().terms if isinstance(term, Range)] == ["gaussian"]
    assert [t.method for t in instance.energy(range_method="exact").terms if isinstance(t, Range)] == ["exact"]


CONDUCTANCE = PROBLEMS["conductance"]
FEW = small_graphs(np.random.default_rng(0))[::3]
"""Graphs enough to see what is wrong with a mutant."""


def other_prices(change):
    """Return conductance with something else at a price."""
    return replace(CONDUCTANCE, name="mutant", at_price=lambda price, **_: change(price, CONDUCTANCE.at_price(price)))


def squared(graph, nodes, **_):
    value = CONDUCTANCE.score(graph, nodes)
    return None if value is None else value**2


def of_all_sets(price, problem):
    """Sets out of the box are feasible at a price, and worth having there."""
    return replace(problem.with_options(volume=(0, 1000)), name="boundless")


QUOTIENT_MUTANTS = {
    "another quotient": (replace(CONDUCTANCE, name="mutant", score=squared), "but the scores at prices say"),
    "sets without a quotient": (other_prices(of_all_sets), "has no quotient, but is better than 0 at a price"),
    "fewer sets at a price": (
        other_prices(lambda price, problem: problem.with_options(volume=(3, 4)) if price == 1 else problem),
        "has a quotient, but no score at a price",
    ),
    "the opposite price": (other_prices(lambda price, problem: CONDUCTANCE.at_price(-price)), "must be above 0"),
    "a price that does not grow": (
        other_prices(lambda price, problem: CONDUCTANCE.at_price(min(price, 0.5) * 2 if price < 1 else 1.0)),
        "is not a − price · b",
    ),
}


@pytest.mark.parametrize("name", QUOTIENT_MUTANTS)
def test_mutants_of_a_quotient_are_refused(name):
    problem, rule = QUOTIENT_MUTANTS[name]
    with pytest.raises(ProblemError, match=rule):
        check_problem(problem, FEW)


def test_a_sum_at_a_price_must_keep_its_own_contract():
    def too_cheap(price, problem):
        cheap = CONDUCTANCE.at_price(0.0).declare
        return replace(problem, declare=lambda graph, **options: cheap(graph))

    with pytest.raises(ProblemError, match="the objective of"):
        check_problem(other_prices(too_cheap), FEW)


def test_a_quotient_is_made_of_its_numerator_and_sums_at_prices():
    numerator, *priced = sums_of(CONDUCTANCE, CONDUCTANCE.at_price)
    assert numerator.at_price is None
    assert [each.option_values["price"] for each in priced] == list(PRICES)


def declare_three(graph, *, least=1, **_):
    """Between ``least`` and 3 nodes, of which one must be the first of each graph; no costs at all."""
    counts = np.diff(graph.node_ptr)
    lower, upper = np.minimum(least, counts).astype(float), np.minimum(3, counts).astype(float)
    some = Range(graph.node_ptr, np.ones(graph.num_nodes), lower, upper, np.ones(graph.num_graphs))
    first = graph.node_ptr[:-1][counts > 0]
    hit = Cover(graph.node_ptr, np.arange(len(first) + 1), first, np.ones(len(first)))
    cost = Constraint(some, np.ones(graph.num_graphs)), Constraint(hit, np.ones(len(first)))
    return Instance(graph.node_ptr, (), cost, sense="min")


def score_three(graph, nodes, *, least=1, **_):
    chosen = set(nodes)
    within = min(least, graph.num_nodes) <= len(chosen) <= 3
    return 0.0 if within and (graph.num_nodes == 0 or 0 in chosen) else None


LEAST = Option("least", kind="integer", default=1)
THREE = Problem("three", "few nodes", "min", declare_three, score_three, sharp=False, options=(LEAST,))


def test_terms_without_a_gradient_are_checked():
    """On a graph without nodes ranges and covers alone leave nothing that depends on a logit."""
    few = [Graph.from_edges([[], []], 0), *(Graph.from_edges([[], []], size) for size in (1, 2))]
    # Which node is the first depends on how nodes are numbered.
    check_problem(replace(THREE, set_options=("least",)), few)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"options": (LEAST, Option("most")), "score": lambda graph, nodes, *, least=1: 0.0}, "most is declared, but"),
        ({"options": (Option("other"),)}, "declare takes least, which is no declared option"),
        ({"options": (Option("least", kind="integer", default=2),)}, "takes least, whose default there is 1"),
        ({"options": (LEAST, LEAST)}, "two options have one name"),
        ({"options": (Option("least", kind="integer", required=True),)}, "the option least is required: set it by"),
        ({"declare": lambda graph, *, least: None}, "takes least, which has no default there and is not required"),
    ],
)
def test_options_must_be_those_of_the_functions(changes, rule):
    with pytest.raises(ProblemError, match=rule):
        check_problem(replace(THREE, **changes))


def test_arguments_of_the_check_are_checked():
    for given, rule in (
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"graphs": []}, r"graphs must be a list of graphs to check on, they are \[\]"),
        ({"graphs": 3}, "graphs must be a list of graphs to check on, they are 3"),
    ):
        with pytest.raises(InputError, match=rule):
            check_problem("mis", **given)
