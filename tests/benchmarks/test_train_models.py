from __future__ import annotations

import shutil

import pytest
import torch
import train_models
from train_models import PLANS, STEPS, complemented, joined, pack, renew_figures, schedule, set_rounds, weighted

import annealco
from annealco.datasets import DATASETS
from annealco.graph.operations import complement
from annealco.models import pretrained
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS
from tests.training.small_runs import small_graphs

MOST_BYTES = 2**20


def test_plans_are_for_problems_and_sets_that_are_there() -> None:
    assert set(PLANS) == {"mis", "clique", "mds", "cut", "max_cut"} <= set(PROBLEMS)
    assert {name for plan in PLANS.values() for part in plan.data.split("+") for name in [part.split(":")[0]]} <= set(
        DATASETS
    )


def test_a_packed_network_is_small_has_a_card_and_is_found(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_models, "WEIGHTS", tmp_path / "weights")
    monkeypatch.setattr(pretrained, "WEIGHTS", tmp_path / "weights")
    pretrained.shipped.cache_clear()
    annealco.train("mis", small_graphs(6), epochs=1, out=tmp_path / "run", progress=False, picture=False)
    pack("mis", tmp_path / "run")
    folder = pretrained.shipped_folder("mis")
    pretrained.shipped.cache_clear()
    assert sum(file.stat().st_size for file in folder.iterdir()) < MOST_BYTES
    card = (folder / "README.md").read_text()
    assert "`field` for `mis`" in card
    assert "it is not measured yet" in card
    monkeypatch.setattr(train_models, "shipped_folder", lambda _: folder)
    monkeypatch.setattr(train_models, "figures", lambda _: "On test graphs it is good.")
    renew_figures("mis")
    assert (folder / "README.md").read_text() == card.replace(
        "On test graphs it is not measured yet (`python benchmarks/model_quality.py`).", "On test graphs it is good."
    )
    assert annealco.load(folder).model.settings == {"width": 32, "num_steps": STEPS, "round_steps": 32}
    assert "in rounds of 32, between which 30 % of the nodes start anew |" in card


def test_rounds_are_set_without_another_weight_or_word(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "field-mds"
    shutil.copytree(pretrained.shipped_folder("mds"), folder)
    before, card = annealco.load(folder), (folder / "README.md").read_text()
    monkeypatch.setattr(train_models, "shipped_folder", lambda _: folder)
    monkeypatch.setitem(train_models.ROUNDS, "mds", {"round_steps": 8, "fresh": 0.5})
    set_rounds("mds")
    after = annealco.load(folder)
    assert (before.settings["round_steps"], after.settings["round_steps"], after.settings["fresh"]) == (16, 8, 0.5)
    assert after.record == before.record
    assert all(torch.equal(a, b) for a, b in zip(before.model.parameters(), after.model.parameters(), strict=True))
    lines = zip(card.splitlines(), (folder / "README.md").read_text().splitlines(), strict=True)
    assert [old.split(" | ")[0] for old, new in lines if old != new] == ["| run for"]


def test_a_network_turned_to_the_complement_proposes_the_same_there() -> None:
    trained = annealco.load(pretrained.shipped_folder("mis"))
    graph = annealco.generate("rb-small", count=1, seed=4)
    other = complement(graph)
    features = trained.model.draw_features(graph, 2, torch.Generator().manual_seed(0))
    with torch.no_grad():
        here = trained.with_settings(num_steps=4).model(ModelInput(graph, PROBLEMS["mis"].declare(graph), features))
        there = complemented(trained).steps(4)(ModelInput(other, PROBLEMS["clique"].declare(other), features))
        plain = trained.with_settings(num_steps=4).model(ModelInput(other, PROBLEMS["clique"].declare(other), features))
    torch.testing.assert_close(here, there, rtol=1e-3, atol=1e-3)
    assert not torch.allclose(here, plain, rtol=1e-3, atol=1e-3)


def test_cliques_of_dense_graphs_are_proposed_by_the_network_for_independent_sets() -> None:
    shipped = annealco.load(pretrained.shipped_folder("clique")).with_settings(num_steps=4, num_restarts=2)
    graph = annealco.generate("rb-small", count=1, seed=4)
    other = complement(graph)
    independent = annealco.load(pretrained.shipped_folder("mis")).with_settings(num_steps=4, num_restarts=2)
    logits = independent(graph, PROBLEMS["mis"].declare(graph))
    assert shipped(other, PROBLEMS["clique"].declare(other)) == pytest.approx(logits, rel=1e-3, abs=1e-3)


def test_what_a_network_went_on_from_is_kept_for_dense_graphs() -> None:
    begun = annealco.load(pretrained.shipped_folder("mis")).with_settings(num_steps=4)
    both = joined(begun, PLANS["clique"])
    assert both.name == "two_sided"
    assert joined(begun, PLANS["mds"]) is begun
    for network, weights in ((both.model.sparse, begun.model), (both.model.dense, complemented(begun))):
        assert all(torch.equal(a, b) for a, b in zip(network.parameters(), weights.parameters(), strict=True))


def test_a_card_tells_the_schedule_and_a_penalty_that_is_not_the_critical_one() -> None:
    recipe = {"schedule": "geometric", "anneal_by": "step", "tau0": 0.5, "tau_last": 0.02, "penalty_scale": 1.0}
    recipe |= {"batch_size": 8, "learning_rate": 0.004, "rate": "cosine"}
    shown = "geometric, by step, from τ = 0.5 to 0.02; batches of 8, learning rate 0.004, cosine"
    assert schedule(recipe) == shown
    assert schedule(recipe | {"penalty_scale": 0.1}) == shown.replace("; ", "; 0.1 of the critical penalty; ")


def test_edges_of_about_a_share_of_the_graphs_have_weights_the_same_ones_each_time() -> None:
    plan = PLANS["max_cut"]._replace(data="ba-small", graphs=12)
    graphs = weighted(plan)
    ends = zip(graphs.edge_ptr[:-1], graphs.edge_ptr[1:], strict=True)
    plain = [bool((graphs.edge_weight[first:last] == 1).all()) for first, last in ends]
    assert len(plain) == 20
    assert 4 < sum(plain) < 16
    assert (graphs.edge_weight == weighted(plan).edge_weight).all()
