from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annealco import train
from annealco.baselines.learned import LEARNED, loss_of, own_decoding, refusal, run_checkpoint
from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi, generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.decode import drawn, rounded
from annealco.search.greedy import by_probability
from annealco.training import load
from tests.budgets import FAR, MOVES

MIN_MAX = {"variant": "deep", "width": 4, "head": "min-max"}
RUNS: dict[str, dict[str, Any]] = {
    "erdos mis": {"model": "erdos", "settings": {"width": 4, "head": "min-max"}, "loss": "kl"},
    "erdos clique": {"model": "erdos", "settings": {"width": 4, "head": "min-max"}, "loss": "kl"},
    "erdos mds": {"model": "erdos", "settings": {"width": 4, "head": "min-max"}, "loss": "kl"},
    "erdos cut": {"model": "erdos", "settings": MIN_MAX, "loss": "kl"},
    "erdos max_cut": {"model": "erdos", "settings": {"width": 4}, "tau0": 0.0},
    "run_csp mis": {"model": "run_csp", "settings": {"width": 4, "num_steps": 3}},
    "run_csp clique": {"model": "run_csp", "settings": {"width": 4, "num_steps": 3}},
    "l1 cut": {"model": "erdos", "settings": MIN_MAX, "loss": "l1"},
    "l2 cut": {"model": "erdos", "settings": MIN_MAX, "loss": "l2"},
}


def some_graphs(weighted: bool = False) -> Graph:
    rng = np.random.default_rng(4)
    graphs = Graph.batch([erdos_renyi(rng, num_nodes=12, edge_probability=0.35) for _ in range(6)])
    weights = {"node_weight": rng.integers(1, 9, graphs.num_nodes), "edge_weight": rng.integers(1, 5, graphs.num_edges)}
    return graphs.with_weights(**weights) if weighted else graphs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network that was hardly trained."""
    place = tmp_path_factory.mktemp("trained") / "mis"
    graphs = generate("regular-small", count=4, seed=1)
    train("mis", graphs, epochs=1, settings={"width": 4, "num_steps": 3}, progress=False, out=place)
    return str(place)


def test_a_checkpoint_proposes_and_the_search_goes_on(folder: str) -> None:
    graph, mis = generate("rb-small", count=1, seed=3), PROBLEMS["mis"]
    alone = run_checkpoint(folder, mis, graph, budget=FAR, seed=0)
    both = run_checkpoint(folder, mis, graph, budget=FAR, seed=0, way=LEARNED["annealed+search"], moves=MOVES)
    assert alone.assignment is not None
    assert both.assignment is not None
    values = [mis.score(graph, np.flatnonzero(each.assignment).tolist()) for each in (alone, both)]
    assert None not in values
    assert values[1] > values[0]
    again = run_checkpoint(folder, mis, graph, budget=FAR, seed=0)
    assert again.assignment is not None
    assert again.assignment.tolist() == alone.assignment.tolist()


@pytest.mark.parametrize("run", RUNS)
def test_networks_of_others_are_trained_and_run_on_each_of_their_problems(run: str, tmp_path: Path) -> None:
    name, chosen = run.split()
    problem = PROBLEMS[chosen]
    quick: dict[str, Any] = {"epochs": 1, "progress": False, "picture": False, "out": tmp_path}
    trained = train(problem, some_graphs(), **{**quick, **RUNS[run]})
    assert loss_of(trained) == RUNS[run].get("loss", trained.model.loss)
    assert problem.name in (LEARNED[name].problems or PROBLEMS)
    assert refusal(str(tmp_path), problem, LEARNED[name]) is None
    for graph in [*some_graphs()[:2], *some_graphs(weighted=True)[:2]]:
        found, again = (
            run_checkpoint(str(tmp_path), problem, graph, budget=FAR, seed=2, way=LEARNED[name]) for _ in range(2)
        )
        assert found.assignment is not None
        assert again.assignment is not None
        assert found.assignment.tolist() == again.assignment.tolist()
        assert problem.score(graph, np.flatnonzero(found.assignment).tolist()) is not None, found.note
        assert found.seconds > 0


def test_decoding_is_that_of_the_loss_s_authors(tmp_path: Path) -> None:
    expected = {"kl": by_probability, "run_csp": rounded, "l1": drawn, "l2": drawn, "energy": None}
    graphs = some_graphs()
    options: dict[str, Any] = {"epochs": 1, "progress": False, "picture": False, "model": "erdos"}
    for loss in ("kl", "l1", "energy"):
        trained = train("cut", graphs, loss=loss, settings=MIN_MAX, **options)
        assert own_decoding(trained) is expected[loss]
    sigmoid = train("mis", graphs, loss="kl", settings={"width": 4}, **options)
    assert own_decoding(sigmoid) is None
    csp = train("mis", graphs, **{**options, "model": "run_csp"}, settings={"width": 4, "num_steps": 3})
    assert own_decoding(csp) is rounded


def test_an_order_of_decoding_takes_the_place_of_the_authors_own(tmp_path: Path) -> None:
    options: dict[str, Any] = {"epochs": 1, "progress": False, "picture": False, "model": "erdos", "loss": "kl"}
    train("mis", some_graphs(), settings=MIN_MAX, out=tmp_path, **options)
    graph, mis, way = generate("rb-small", count=1, seed=5), PROBLEMS["mis"], LEARNED["erdos"]
    sizes = {}
    for order in (None, "probability", "steepest"):
        outcome = run_checkpoint(str(tmp_path), mis, graph, budget=FAR, seed=0, way=way._replace(order=order))
        assert outcome.assignment is not None
        assert mis.score(graph, np.flatnonzero(outcome.assignment).tolist()) is not None
        sizes[order] = int(outcome.assignment.sum())
    assert len(set(sizes.values())) > 1


def test_run_csp_is_evaluated_with_its_own_attempts_and_steps(tmp_path: Path) -> None:
    quick: dict[str, Any] = {"epochs": 1, "progress": False, "picture": False, "out": tmp_path}
    train("mis", some_graphs(), model="run_csp", settings={"width": 4, "num_steps": 3}, **quick)
    graph, mis, way = some_graphs()[0], PROBLEMS["mis"], LEARNED["run_csp"]
    assert (way.restarts, way.steps) == (64, 100)
    instance = mis.declare(graph)
    longer = load(tmp_path).with_settings(num_restarts=64, num_steps=100, seed=5)
    sets = rounded(instance, 1 / (1 + np.exp(-longer(graph, instance).astype(np.float64))))
    found = run_checkpoint(str(tmp_path), mis, graph, budget=FAR, seed=5, way=way)
    assert found.assignment is not None
    assert found.assignment.sum() == sets.sum(axis=1).max()


def test_other_problems_losses_and_missing_folders_are_told(folder: str, tmp_path: Path) -> None:
    assert refusal(folder, PROBLEMS["mis"]) is None
    assert refusal(folder, PROBLEMS["mds"]) == f"{folder} was trained for mis"
    wrong = f"{folder} was trained with the loss 'energy', not 'run_csp'"
    assert refusal(folder, PROBLEMS["mis"], LEARNED["run_csp"]) == wrong
    annealed = f"{folder} was trained with annealing: it is one for 'annealed'"
    assert load(folder).record["recipe"]["tau0"] > 0
    assert refusal(folder, PROBLEMS["mis"], LEARNED["erdos"]) == annealed
    with pytest.raises(InputError, match="there is no trained model in it"):
        refusal(str(tmp_path / "nothing"), PROBLEMS["mis"])
    assert [name for name, each in LEARNED.items() if each.polish] == ["annealed+search"]
