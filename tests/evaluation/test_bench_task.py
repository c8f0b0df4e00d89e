from __future__ import annotations

import time

import numpy as np
import pytest

from annealco.baselines import Outcome
from annealco.evaluation.bench_entry import parse_entry
from annealco.evaluation.bench_rows import Key
from annealco.evaluation.bench_task import Processor, Task, planted_reference, ratio, run_for_cpu, run_task
from annealco.evaluation.reference_cases import Case
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

PATH = Graph.from_edges([[0, 1], [1, 2]])


def test_a_row_has_the_plain_score_and_the_ratio() -> None:
    case = Case(7, PROBLEMS["mds"], PATH)
    key = Key("ba-small", "mds", 7, "greedy", 0, 1.0, None, 1)
    row = run_task(Task(key, parse_entry("greedy"), case, 7, (1.0, "optimum")))
    assert (row["case"], row["graph"], row["value"], row["feasible"]) == (7, 7, 1.0, True)
    assert (row["reference"], row["reference_kind"], row["ratio"]) == (1.0, "optimum", 1.0)
    assert "conductance" not in row
    cut = PROBLEMS["cut"].with_options(volume=(2, 3), seed_node=0)
    row = run_task(Task(key, parse_entry("greedy"), Case(7, cut, PATH, has_volume=True), 0, None))
    assert (row["reference"], row["ratio"], row["conductance"], row["volume"]) == (None, None, pytest.approx(1 / 3), 3)


def test_a_row_tells_when_a_search_improved() -> None:
    case = Case(0, PROBLEMS["mis"], PATH)
    key = Key("rb-small", "mis", 0, "search", 0, 0.1, None, 1)
    row = run_task(Task(key, parse_entry("search"), case, 0, (2.0, "optimum")))
    assert row["trace"][-1][1] == row["value"] == 2.0
    assert "trace" not in run_task(Task(key, parse_entry("greedy"), case, 0, (2.0, "optimum")))


class Slow:
    """An entry that uses half of the time that it is given."""

    label = name = "slow"

    def __init__(self, *, ends_by_itself: bool = False) -> None:
        self.given, self.ends_by_itself = [], ends_by_itself

    def run(self, problem, graph, *, budget, **_):
        self.given.append(budget)
        begun = time.process_time()
        while time.process_time() - begun < budget / 2:
            pass
        return Outcome(None, seconds=0.0 if self.ends_by_itself else budget)


def test_a_limit_is_stretched_until_the_cpu_seconds_are_what_it_says() -> None:
    case = Case(0, PROBLEMS["mis"], generate("rb-small", count=1, seed=1))
    key = Key("rb-small", "mis", 0, "slow", 0, 0.05, None, 1)
    slow, processor = Slow(), Processor()
    _, cpu, budget = run_for_cpu(Task(key, slow, case, 0, None), processor)
    assert slow.given[0] == 0.05
    assert len(slow.given) == 2
    assert budget == pytest.approx(0.1, rel=0.2)
    assert cpu == pytest.approx(0.05, rel=0.2)
    assert processor.share == pytest.approx(0.5, rel=0.2)
    quick = Slow(ends_by_itself=True)
    run_for_cpu(Task(key, quick, case, 0, None), Processor())
    assert quick.given == [0.05]
    counted = Slow()
    run_for_cpu(Task(key._replace(moves=5), counted, case, 0, None), Processor())
    assert counted.given == [0.05]


def test_a_planted_set_is_the_optimum_of_packings_without_weights_only() -> None:
    graph = generate("rb-small", count=1, seed=1)
    planted = tuple(np.flatnonzero(graph.node_data["planted"]).tolist())
    assert planted_reference(Case(0, PROBLEMS["mis"], graph, planted)) == (len(planted), "planted optimum")
    for name in ("mds", "max_cut", "vertex_cover", "clique"):
        assert planted_reference(Case(0, PROBLEMS[name], graph, planted)) is None
    heavy = graph.with_weights(node_weight=np.full(graph.num_nodes, 2.0))
    assert planted_reference(Case(0, PROBLEMS["mis"], heavy, planted)) is None
    assert planted_reference(Case(0, PROBLEMS["mis"], graph)) is None


def test_ratios() -> None:
    assert ratio(PROBLEMS["mds"], 0.0, 0.0) == 1.0
    assert ratio(PROBLEMS["cut"], 4.0, 0.0) == 0.0
    assert ratio(PROBLEMS["mis"], 0.0, 4.0) == 0.0
