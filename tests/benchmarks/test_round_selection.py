from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import round_selection
from json_lines import read_lines
from round_selection import (
    ANEW,
    ANEW_SETS,
    RESULTS,
    SCREENED,
    SCREENED_SETS,
    SCREENED_STEPS,
    SETS,
    WAYS,
    Rounds,
    Way,
    in_conflict,
    neighbourhoods,
    rounds_of,
    table,
)

import annealco
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.models.compiled_field import load_compiled
from annealco.models.pretrained import shipped_folder
from annealco.problems import PROBLEMS
from annealco.search.decode import decode

DOCUMENT = Path(__file__).parents[2] / "docs" / "design-notes" / "models.md"


def after(cost: list[float], kept: list[float], number: int = 0, idle: int = 0) -> Rounds:
    return Rounds(number, np.array(cost), np.array(kept), np.full(len(cost), idle), np.random.default_rng(0))


def test_latest_states_are_how_the_package_runs_a_network() -> None:
    graph, steps = generate("er-small", count=1, seed=3), 20
    instance = PROBLEMS["mis"].declare(graph)
    model = load_compiled(shipped_folder("mis"))
    assert model is not None
    logits = model.with_settings(num_restarts=8, seed=5, num_steps=steps, round_steps=8, fresh=0.3)(graph, instance)
    expected = instance.energy().value(decode(instance, 1 / (1 + np.exp(-logits.astype(np.float64)))))
    found = list(rounds_of(Way("latest", round_steps=8), graph, "mis", steps, seed=5))
    assert [done for done, _ in found] == [8, 16, 20]
    assert np.array_equal(np.concatenate([cost for _, cost in found]), expected[:, 0])


@pytest.mark.parametrize("way", dict.fromkeys([*SCREENED, *ANEW]), ids=lambda way: way.title)
def test_every_way_runs_and_keeps_the_best_state_in_mind(way: Way) -> None:
    graph = generate("er-small", count=1, seed=3)
    costs = [cost for _, cost in rounds_of(way, graph, "mis", 6 * way.round_steps, seed=0)]
    assert len(costs) == 6
    assert all(np.isfinite(cost).all() for cost in costs)


def test_rules_go_on_as_they_say() -> None:
    back = round_selection.going_back()(after([3, 2, 2], [2, 2, np.inf]))
    assert (back.keeps.tolist(), back.parent.tolist()) == ([False, True, True], [0, -1, -1])
    assert round_selection.going_back(1)(after([3, 4], [2, 2])).parent.tolist() == [-1, 1]
    record = round_selection.to_record(1)(after([3, 4, 1], [2, 2, 2]))
    assert (record.keeps.tolist(), record.parent.tolist()) == ([False, False, True], [-1, 1, -1])
    assert round_selection.after_idle(4)(after([3], [2], idle=3)).parent.tolist() == [-1]
    assert round_selection.after_idle(4)(after([3], [2], idle=4)).parent.tolist() == [0]
    assert round_selection.worst_from_best()(after([3, 1, 2], [9, 9, 9])).parent.tolist() == [1, -1, -1]
    assert round_selection.worst_from_record(after([3, 1, 2], [9, 9, 0])).parent.tolist() == [2, -1, -1]
    assert round_selection.better_half(1)(after([3, 1, 2, 4], [9] * 4)).parent.tolist() == [1, -1, -1, 2]
    assert sorted(round_selection.tournaments()(after([3, 1], [9, 9])).parent.tolist()) == [-1, 1]
    assert round_selection.tournaments(4)(after([3, 1], [9, 9], number=3)).parent.tolist() == [-1, -1]


def test_neighbourhoods_are_whole_until_they_are_the_share() -> None:
    path = Graph.from_edges([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
    assert np.flatnonzero(neighbourhoods(path, np.array([4, 1, 0, 2, 3, 5]), 0.5)).tolist() == [3, 4, 5]
    assert neighbourhoods(path, np.array([4, 1, 0, 2, 3, 5]), 0.6).all()
    assert not neighbourhoods(path, np.arange(6), 0.0).any()


def test_nodes_are_in_conflict_where_both_ends_of_an_edge_are_likely() -> None:
    path = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
    likely = np.array([[0.9, 0.9], [0.8, 0.1], [0.2, 0.9], [0.9, 0.1]])
    assert in_conflict(path, likely).T.tolist() == [[True, True, False, False], [False] * 4]


def test_rows_of_other_networks_and_counts_do_not_count() -> None:
    row = {"set": "mis rb-small", "network": round_selection.weights_of("mis"), "way": WAYS[0].title, "steps": 2048}
    told = {**row, "graphs": SETS["mis rb-small"], "ratio": {"128": 0.9, "512": 0.95, "2048": 1.0}, "cpu": 0.5}
    shown = table([{**told, "network": "0000"}, {**told, "graphs": 1}, told], WAYS, SETS, 2048)
    assert shown.splitlines()[2] == f"| {WAYS[0].title} | 0.9000 / 0.9500 / 1.0000 (0.5 s) |"


def test_the_document_has_the_tables_of_the_rows() -> None:
    text, rows = DOCUMENT.read_text(), read_lines(RESULTS)
    assert table(rows, WAYS, SETS, 2048) in text
    assert table(rows, SCREENED, SCREENED_SETS, SCREENED_STEPS) in text
    assert table(rows, ANEW, ANEW_SETS, SCREENED_STEPS) in text


def test_a_problem_without_a_network_is_left_out() -> None:
    assert round_selection.has_network("mis rb-small")
    with pytest.raises(annealco.InputError):
        shipped_folder("qubo")
    assert not round_selection.has_network("qubo rb-small")
