from __future__ import annotations

import numpy as np
import pytest

from annealco.datasets import DATASETS, load_dataset
from annealco.datasets.cut_instances import cut_instances
from annealco.errors import InputError
from annealco.evaluation.references.cases import Case, Cases, count_cases, load_cases, planted_reference
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from tests.datasets.samples import needs_data


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path_factory.mktemp("cache")))


def test_a_case_is_a_graph_with_what_was_planted_in_it() -> None:
    graphs = load_dataset("rb-small", "test", count=2)
    cases = Cases(PROBLEMS["mis"], graphs)
    assert len(cases) == 2
    assert (cases[1].number, cases[1].problem, cases[1].has_volume) == (1, PROBLEMS["mis"], False)
    assert np.array_equal(cases[1].graph.edges, graphs[1].edges)
    assert PROBLEMS["mis"].score(cases[1].graph, cases[1].planted) == graphs.graph_data["planted_size"][1]


@needs_data
def test_cases_of_cuts_are_the_stored_instances() -> None:
    cases = load_cases(DATASETS["twitter"], PROBLEMS["cut"])
    stored = cut_instances("twitter")
    assert len(cases) == len(stored) == 5880
    case = cases[31]
    assert np.array_equal(case.graph.edges, load_dataset("twitter", "test")[int(stored.graph[31])].edges)
    assert case.has_volume
    seed, (low, high) = int(stored.seed_node[31]), stored.volume[31]
    instance = case.problem.declare(case.graph)
    assert instance.violations(np.zeros(case.graph.num_nodes))[0] > 0
    # The set's volume must be in the box, and the seed node in the set.
    rng = np.random.default_rng(0)
    for _ in range(200):
        bits = rng.random(case.graph.num_nodes) < rng.random()
        fits = bits[seed] and low <= case.graph.degree[bits].sum() <= high
        assert (case.problem.score(case.graph, np.flatnonzero(bits).tolist()) is not None) == fits


def test_cases_are_counted_without_graphs() -> None:
    counts = {("ba-small", "mds"): 500, ("imdb", "mis"): 200, ("twitter", "cut"): 5880, ("facebook", "cut"): 1400}
    for (name, problem), count in counts.items():
        assert count_cases(DATASETS[name], PROBLEMS[problem]) == count
    with pytest.raises(InputError, match="collab has no instances of cut"):
        count_cases(DATASETS["collab"], PROBLEMS["cut"])


def test_a_planted_set_is_the_optimum_of_packings_without_weights_only() -> None:
    graph = generate("rb-small", count=1, seed=1)
    planted = tuple(np.flatnonzero(graph.node_data["planted"]).tolist())
    assert planted_reference(Case(0, PROBLEMS["mis"], graph, planted)) == (len(planted), "planted optimum")
    for name in ("mds", "max_cut", "vertex_cover", "clique"):
        assert planted_reference(Case(0, PROBLEMS[name], graph, planted)) is None
    heavy = graph.with_weights(node_weight=np.full(graph.num_nodes, 2.0))
    assert planted_reference(Case(0, PROBLEMS["mis"], heavy, planted)) is None
    assert planted_reference(Case(0, PROBLEMS["mis"], graph)) is None
