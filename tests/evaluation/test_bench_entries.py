from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.learned import LEARNED
from annealco.errors import InputError
from annealco.evaluation.bench.entries import MAX_STEPS, Entry, digest, parse_entries, parse_entry
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.models import build_model, pretrained
from annealco.models.build import LARGEST_SETTING
from annealco.problems import PROBLEMS
from annealco.training import TrainedModel
from tests.budgets import FAR

PATH = Graph.from_edges([[0, 1], [1, 2]])


def test_names_are_read() -> None:
    assert parse_entries("greedy, search,greedy") == [Entry("greedy", "greedy"), Entry("search", "search")]
    assert parse_entry("annealed=a/b=c") == Entry("annealed=a/b=c", "annealed", "a/b=c")
    assert parse_entry("annealed+search", model="runs/x") == Entry(
        "annealed+search=runs/x", "annealed+search", "runs/x"
    )
    assert parse_entry("greedy").method is METHODS["greedy"]
    assert parse_entry("erdos=x").method is None


def test_other_weights_are_another_label(tmp_path: Path) -> None:
    labels = set()
    for content in ("a", "b", "a"):
        (tmp_path / "model.json").write_text(content, encoding="utf-8")
        labels.add(parse_entry(f"annealed={tmp_path}").label)
    assert len(labels) == 2
    assert all(label.startswith(f"annealed={tmp_path}#") for label in labels)
    assert digest(str(tmp_path / "nothing")) == ""


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("nothing", "unknown method 'nothing'; choose from greedy_fixed, "),
        ("greedy=x", "unknown method 'greedy=x'"),
        ("annealed", "annealed needs a trained network: annealed=DIR, or a model"),
        (" , ", "name at least one method"),
    ],
)
def test_what_makes_no_sense_is_told(text: str, rule: str) -> None:
    with pytest.raises(InputError, match=rule.replace("+", r"\+")):
        parse_entries(text)


def test_refusals_are_those_of_the_method() -> None:
    assert parse_entry("mqi").refusal(PROBLEMS["mis"], PATH) == "it is for cuts within volume bounds"
    assert parse_entry("greedy").refusal(PROBLEMS["mis"], PATH) is None
    assert parse_entry("anneal").refusal(PROBLEMS["conductance"], PATH) == "it minimises sums, not quotients"


def test_a_quotient_takes_the_network_of_its_numerator() -> None:
    entry = parse_entry("annealed", problem="conductance")
    assert entry.folder == str(pretrained.shipped_folder("cut"))
    assert entry.refusal(PROBLEMS["conductance"], PATH) is None
    assert "was trained for cut" in str(entry.refusal(PROBLEMS["mis"], PATH))


def test_networks_are_used_the_way_that_is_named(tmp_path: Path) -> None:
    model = build_model("run_csp", width=4, num_steps=2)
    TrainedModel(model, "mis", record={"recipe": {"loss": "run_csp"}}).save(tmp_path)
    assert parse_entry(f"run_csp={tmp_path}").refusal(PROBLEMS["mis"], PATH) is None
    refused = parse_entry(f"l1={tmp_path}").refusal(PROBLEMS["mis"], PATH)
    assert refused == f"{tmp_path} was trained with the loss 'run_csp', not 'l1'"
    found = parse_entry(f"run_csp={tmp_path}").run(PROBLEMS["mis"], PATH, budget=FAR, seed=0, threads=1)
    assert found.assignment is not None
    assert PROBLEMS["mis"].score(PATH, np.flatnonzero(found.assignment).tolist()) is not None


@pytest.mark.parametrize("name", [each.name for each in METHODS.values() if each.counts_moves])
def test_moves_make_runs_repeatable(name: str) -> None:
    graph, entry = generate("rb-small", count=1, seed=1), parse_entry(name)
    found = [
        entry.run(PROBLEMS["mis"], graph, budget=FAR, seed=seed, threads=1, moves=40).assignment for seed in (4, 4)
    ]
    assert found[0] is not None
    np.testing.assert_array_equal(found[0], found[1])


def test_methods_without_moves_take_their_seconds() -> None:
    found = parse_entry("greedy").run(PROBLEMS["mis"], PATH, budget=FAR, seed=0, threads=1, moves=5)
    assert found.assignment is not None
    assert found.assignment.tolist() == [True, False, True]


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A package that comes with a tiny network for independent sets."""
    monkeypatch.setattr(pretrained, "WEIGHTS", tmp_path)
    TrainedModel(build_model("field", width=4, num_steps=2), "mis").save(tmp_path / "any")
    pretrained.shipped.cache_clear()
    yield tmp_path / "any"
    pretrained.shipped.cache_clear()


def test_without_a_folder_the_network_of_the_package_is_meant(shipped) -> None:
    entry = parse_entry("annealed", problem="mis")
    assert entry.folder == str(shipped)
    assert entry.label.startswith("annealed#")
    assert str(shipped) not in entry.label
    with pytest.raises(InputError, match="no network comes with annealco for mds"):
        parse_entry("annealed", problem="mds")
    with pytest.raises(InputError, match="erdos needs a trained network"):
        parse_entry("erdos", problem="mis")


def test_restarts_and_steps_are_part_of_what_is_compared(shipped) -> None:
    plain, more = (parse_entry("annealed", problem="mis", **use) for use in ({}, {"restarts": 3, "steps": 5}))
    assert more.label == f"{plain.label} x3 @5"
    assert (more.way.restarts, more.way.steps) == (3, 5)
    assert plain.way == LEARNED["annealed"]
    found = more.run(PROBLEMS["mis"], PATH, budget=FAR, seed=0, threads=1)
    assert found.assignment is not None
    assert PROBLEMS["mis"].score(PATH, np.flatnonzero(found.assignment).tolist()) is not None


@pytest.mark.parametrize("given", [0, -3, 65_537, 10**9])
@pytest.mark.parametrize(("what", "most"), [("restarts", "10,000"), ("steps", "65,536")])
def test_numbers_that_no_network_takes_are_refused_before_anything_runs(what, most, given) -> None:
    with pytest.raises(InputError, match=f"^{what} must be at least 1 and at most {most}, they are {given}$"):
        parse_entry("annealed", problem="mis", **{what: given})


def test_as_many_steps_as_a_network_takes_are_taken() -> None:
    assert MAX_STEPS == LARGEST_SETTING


@pytest.mark.parametrize("usage", [{"model": "runs/mis"}, {"restarts": 2}, {"steps": 3}])
def test_what_is_said_of_networks_where_there_is_none(usage) -> None:
    [what] = usage
    with pytest.raises(InputError, match=f"^{what} is for networks, and none of the methods is one: greedy,search$"):
        parse_entries("greedy,search", problem="mis", **usage)
    assert [entry.label for entry in parse_entries("greedy,search", problem="mis")] == ["greedy", "search"]


def test_a_class_of_one_s_own_is_not_passed_over_for_a_network_of_the_package() -> None:
    with pytest.raises(InputError, match=r"my\.nets:Net is a class of your own: name the folder of its network too"):
        parse_entries("annealed", problem="mis", model="my.nets:Net")
    shipped, own = parse_entries("annealed,annealed=runs/x", problem="mis", model="my.nets:Net")
    assert (shipped.place, own.place) == (None, "my.nets:Net")


def test_the_order_of_decoding_is_part_of_the_label_and_takes_the_place_of_the_authors_own() -> None:
    entry = parse_entry("erdos=a/b", restarts=32, decode_order="steepest")
    assert (entry.label, entry.order) == ("erdos=a/b x32 steepest", "steepest")
    assert (entry.way.order, entry.way.restarts) == ("steepest", 32)
    assert parse_entry("erdos=a/b").way.order is None
    with pytest.raises(InputError, match="unknown order 'deepest'; choose one of probability, confidence, steepest"):
        parse_entry("annealed=a", decode_order="deepest")
    with pytest.raises(InputError, match="decode_order is for networks"):
        parse_entries("greedy", decode_order="steepest")
