import json

import numpy as np
import pytest
import torch
from field_variants import FieldVariant
from json_lines import append, read_lines
from quality_rows import BASE, OURS, ROWS, TRIALS
from train_quality import evaluate, freezing, table, train_way

from annealco.graph.generators import generate
from annealco.models import MODELS, Field, build_model
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS
from annealco.training import TrainedModel
from annealco.training.settings import TrainSettings


def line(seed, best, **more):
    numbers = {"one": 0.5, "best": best, "cpu": 0.1}
    return {"row": "field τ=0", "seed": seed, "epochs": 3, "train_cpu": 100.0 + seed, "steps 16": numbers, **more}


def test_lines_are_appended_and_one_that_was_cut_short_is_not_counted(tmp_path):
    file = tmp_path / "results" / "lines.jsonl"
    assert read_lines(file) == []
    append(file, {"row": "a", "epoch_cpu": 1.0})
    with file.open("a") as written:
        written.write('{"row": "b", "seed"')
    append(file, line(0, 0.9))
    assert read_lines(file) == [{"row": "a", "epoch_cpu": 1.0}, line(0, 0.9)]
    assert [json.loads(each)["row"] for each in file.read_text().splitlines()[::2]] == ["a", "field τ=0"]


def test_the_table_has_means_and_the_spread_over_seeds():
    lines = [{"row": "field τ=0", "epoch_cpu": 1.0}, line(0, 0.9), line(2, 0.96), line(4, 0.93)]
    shown = table(lines, list(ROWS)).splitlines()
    assert len(shown) == 3
    assert shown[2] == "| field τ=0 | 3 | 3 | 102 | 16 | 0.5000 | 0.9300 | 0.9000–0.9600 | 0.100 |"


def test_sets_are_scored_against_the_planted_ones():
    class Oracle(TrainedModel):
        def __call__(self, graph, instance):
            # The first of the restarts knows the answer; decoding the others from nothing is worse.
            known = np.where(graph.node_data["planted"], 9.0, -9.0)
            return np.stack([known] + [np.zeros(graph.num_nodes)] * (self.num_restarts - 1)).astype(np.float32)

    found = evaluate(Oracle(build_model("field", width=2), "mis"), 0, 2, seed=0)
    assert found["best"] == 1.0
    assert 0.2 < found["one"] < 1.0


def test_a_network_that_changes_its_mind_moves_and_one_that_does_not_is_frozen():
    class Counting(TrainedModel):
        def __call__(self, graph, instance):
            steps = self.model.settings["num_steps"]
            later = 3.0 if steps == 64 else -3.0
            return np.full((2, graph.num_nodes), later if self.seed else 3.0, dtype=np.float32)

    network = build_model("field", width=2)
    moved, conflicts, size = freezing(Counting(network, "mis", seed=1), 2)
    assert (moved, size) == (1.0, 3.0)
    assert conflicts > 1000
    assert freezing(Counting(network, "mis", seed=0), 2)[0] == 0.0


@pytest.mark.parametrize(("ways"), [ROWS, TRIALS])
def test_every_way_is_one_that_can_be_trained(ways, monkeypatch):
    monkeypatch.setitem(MODELS, FieldVariant.name, FieldVariant)
    for way in ways.values():
        model = build_model(way.model, **way.settings)
        assert model.settings is not None
        TrainSettings(**way.options)
        assert 0 not in way.steps or "num_steps" not in model.settings


def test_a_trial_trains(tmp_path, monkeypatch):
    monkeypatch.setitem(MODELS, FieldVariant.name, FieldVariant)
    trained = train_way(TRIALS["loss at the last step"], tmp_path / "run", epochs=1, seed=0, num_graphs=2)
    assert trained.model.judged == "last"
    assert (tmp_path / "run" / "model.json").exists()


def test_the_rows_of_field_are_its_defaults():
    assert (OURS["batch_size"], OURS["learning_rate"]) == (Field.batch_size, Field.learning_rate)
    assert BASE["batch_size"] != OURS["batch_size"]


def test_a_variant_that_leaves_nothing_out_is_the_network_and_others_are_not():
    graph = generate("rb-small", count=1, seed=0)
    instance = PROBLEMS["mis"].declare(graph)
    torch.manual_seed(0)
    field = Field(width=4, num_steps=3)
    features = field.draw_features(graph, 2)

    def run(**settings):
        variant = FieldVariant(width=4, num_steps=3, **settings)
        variant.load_state_dict(field.state_dict())
        assert FieldVariant(**variant.settings).settings == variant.settings
        return variant, variant(ModelInput(graph, instance, features))

    expected = field(ModelInput(graph, instance, features))
    # The core runs the network, and PyTorch what is derived from it.
    assert torch.allclose(run()[1], expected, atol=1e-5)
    for settings in ({"signals": "probability"}, {"messages": "mean"}, {"messages": "sum"}):
        assert not torch.allclose(run(**settings)[1], expected)
    assert run(features=1)[0].draw_features(graph, 2).count_nonzero() == 2 * graph.num_nodes
    assert [weight for weight, _ in run(judged="last")[0].outputs(ModelInput(graph, instance, features))] == [1.0]
    assert {run(spread=1)[0].draw_steps() for _ in range(50)} == {2, 3, 4}
