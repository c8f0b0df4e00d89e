from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.training import validation
from annealco.training.data import Drawn, Share
from annealco.training.validation import Validation, decoded_values, greedy_values, reference_values
from tests.problems.sums import SUMS
from tests.training.small_runs import new_model, new_recipe, small_graphs
from tests.training.tiny_model import TinyModel


def best_value(name: str, graph: Graph) -> float:
    """Try all sets."""
    problem = SUMS[name]
    nodes = range(graph.num_nodes)
    sets = (chosen for size in range(graph.num_nodes + 1) for chosen in itertools.combinations(nodes, size))
    values = [value for value in (problem.score(graph, chosen) for chosen in sets) if value is not None]
    return max(values) if problem.sense == "max" else min(values)


@pytest.mark.parametrize("name", SUMS)
def test_references_of_small_graphs_are_the_optima(name: str) -> None:
    graphs = small_graphs(3, seed=2, weighted=True)
    expected = [best_value(name, graph) for graph in graphs]
    assert reference_values(Drawn(SUMS[name]), graphs) == pytest.approx(expected)


def test_processes_share_the_references_out() -> None:
    graphs = small_graphs(5)
    whole = reference_values(Drawn(PROBLEMS["mis"]), graphs)
    parts = [reference_values(Drawn(PROBLEMS["mis"]), graphs, share=Share(rank, 2)) for rank in range(2)]
    assert parts[0] + parts[1] == pytest.approx(whole)
    assert np.count_nonzero(parts[0]) == 3


def test_nothing_is_searched_for_where_an_optimum_is_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_searched", lambda *_: pytest.fail("it searched"))
    for problem, data in (("mis", "rb-small"), ("clique", "rb-small-complement")):
        graph = generate(data, count=1, seed=3)
        assert reference_values(Drawn(SUMS[problem]), graph)[0] == graph.graph_data["planted_size"][0]
    graph = generate("rb-small", count=1, seed=3)
    weighted = graph.with_weights(node_weight=np.arange(graph.num_nodes) + 1.0)
    for problem, other in (("mds", graph), ("clique", graph), ("max_cut", graph), ("mis", weighted)):
        with pytest.raises(pytest.fail.Exception, match="it searched"):
            reference_values(Drawn(SUMS[problem]), other)


def test_a_planted_set_counts_where_it_is_better_and_only_there() -> None:
    graph = generate("rb-small", count=1, seed=1)
    assert reference_values(Drawn(PROBLEMS["mis"]), graph)[0] == graph.graph_data["planted_size"][0]
    # A maximal independent set dominates, but is far from a smallest dominating set.
    assert reference_values(Drawn(PROBLEMS["mds"]), graph)[0] < graph.graph_data["planted_size"][0]


def queens(side: int) -> Graph:
    """Squares of a board, joined where a queen on one attacks the other."""
    squares = list(itertools.product(range(side), repeat=2))
    pairs = itertools.combinations(range(side * side), 2)
    lines = {(i, j): (squares[i][0] - squares[j][0], squares[i][1] - squares[j][1]) for i, j in pairs}
    attacks = [pair for pair, (down, across) in lines.items() if 0 in {down, across} or abs(down) == abs(across)]
    return Graph.from_edges(np.array(attacks).T, side * side)


def test_the_greedy_rule_is_measured_by_the_same_references() -> None:
    """By hand: a star is solved by any rule, on a board of 8 × 8 least degrees leave room for 7 queens of 8."""
    graphs = Graph.batch([queens(8), Graph.from_edges([[0, 0, 0], [1, 2, 3]])])
    drawn = Drawn(PROBLEMS["mis"])
    assert greedy_values(drawn, graphs).tolist() == [7.0, 3.0]
    parts = [greedy_values(drawn, graphs, share=Share(rank, 2)).tolist() for rank in range(2)]
    assert parts == [[7.0, 0.0], [0.0, 3.0]]
    validation = Validation(PROBLEMS["mis"], graphs, new_recipe())
    assert validation.greedy_ratio() is None
    validation.known, validation.greedy = np.array([8.0, 3.0]), np.array([7.0, 3.0])
    assert validation.greedy_ratio() == pytest.approx((7 / 8 + 1) / 2)


@pytest.mark.parametrize("name", SUMS)
def test_greedy_sets_of_every_problem_are_feasible_and_never_above_the_optimum(name: str) -> None:
    problem, graphs = SUMS[name], small_graphs(3, seed=2, weighted=True)
    sign = 1 if problem.sense == "max" else -1
    for value, graph in zip(greedy_values(Drawn(problem), graphs), graphs, strict=True):
        assert sign * value <= sign * best_value(name, graph) + 1e-9


def test_terms_that_no_greedy_rule_is_for_have_no_greedy_line() -> None:
    def declare(graph: Graph) -> Instance:
        either = Constraint(Cover(graph.node_ptr, np.array([0, 2]), np.array([0, 1]), np.ones(1)), np.ones(1))
        return Instance(graph.node_ptr, (Linear(graph.node_ptr, np.array([1.0, -1.0])),), (either,))

    problem = replace(PROBLEMS["mis"], name="own", declare=declare)
    assert np.isnan(greedy_values(Drawn(problem), Graph.from_edges([[0], [1]]))).all()


class Oracle(TinyModel):
    """Knows the planted set in its first restart, and its opposite in the others."""

    def forward(self, batch):  # type: ignore[no-untyped-def]
        sign = torch.full((batch.features.shape[1],), -1.0)
        sign[0] = 1.0
        return torch.tensor(batch.graph.node_data["planted"] * 20.0 - 10.0)[:, None] * sign


def test_the_best_restart_of_each_graph_counts() -> None:
    graphs = generate("rb-small", count=3, seed=0)
    found = decoded_values(Oracle().eval(), Drawn(PROBLEMS["mis"]), graphs, num_restarts=4, seed=0)
    assert found.tolist() == graphs.graph_data["planted_size"].tolist()


def test_processes_measure_what_one_measures() -> None:
    graphs = small_graphs(7)
    recipe = new_recipe(batch_size=2, validation_restarts=2)
    validation = Validation(PROBLEMS["mis"], graphs, recipe)
    validation.known = reference_values(Drawn(PROBLEMS["mis"]), graphs)
    model = new_model()
    whole = validation.measure(model, Share())
    assert 3 / 7 < validation.ratio(whole) <= 1
    assert sum(validation.measure(model, Share(rank, 3)) for rank in range(3)).tolist() == whole.tolist()
    assert validation.measure(model, Share()).tolist() == whole.tolist()
    assert model.training


def test_losses_that_round_are_validated_by_rounding() -> None:
    graphs = small_graphs(4)
    model, mis = new_model().eval(), PROBLEMS["mis"]
    with torch.no_grad():
        # All probabilities are near 0: rounding finds nothing, conditional decoding finds sets all the same.
        model.update.weight.zero_()
        model.update.bias.fill_(-9.0)
    empty, full = (
        decoded_values(model, Drawn(mis), graphs, num_restarts=2, seed=0, by_rounding=each).tolist()
        for each in (True, False)
    )
    assert empty == [0.0] * 4
    assert min(full) > 0
    for loss, expected in (("run_csp", True), ("energy", False), ("kl", False)):
        recipe = new_recipe(tau0=0.0, loss=loss)
        assert Validation(mis, graphs, recipe).by_rounding is expected


@pytest.mark.parametrize(("name", "values"), [("mis", (5.0, 6.0)), ("mds", (3.0, 2.0))])
def test_a_reference_that_is_beaten_is_replaced(name: str, values: tuple[float, float]) -> None:
    """The second graph's reference is worse than what networks find; the first graph's is an optimum."""
    validation = Validation(PROBLEMS[name], small_graphs(2), new_recipe())
    reference, found = values
    validation.known = np.array([found, reference, np.nan][:2])
    # By fixed references the first network would have more than 1 on the second graph, and win with a worse first one.
    first, second = np.array([reference, found]), np.array([found, reference])
    validation.update(first)
    assert validation.known.tolist() == [found, found]
    assert validation.ratio(first) == pytest.approx(validation.ratio(second))
    assert validation.ratio(first) < 1
    assert validation.ratio(np.array([found, found])) == 1.0
    validation.known = np.array([np.nan, reference])
    validation.update(np.array([found, np.nan]))
    assert validation.known.tolist() == [found, reference]
