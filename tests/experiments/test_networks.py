from __future__ import annotations

import inspect
import json
from dataclasses import replace
from pathlib import Path

import pytest

from annealco.baselines.learned import LEARNED
from annealco.errors import InputError
from annealco.experiments import networks
from annealco.experiments.networks import (
    ERDOS_KL,
    ERDOS_KL_CUT,
    FIELD,
    L1,
    PAPER,
    PAPERS_SCHEDULE,
    RUN_CSP,
    Learner,
    Network,
    available_sets,
    delete_state,
    entry_of,
    is_trained,
    record_of,
    train_network,
)
from annealco.experiments.run_folder import RunFolder
from annealco.experiments.scale import LAPTOP, Amount
from annealco.models import build_model
from annealco.training.loss import LOSSES
from annealco.training.train import train
from tests.experiments.tiny import TINY


def field(**options: object) -> Network:
    return Network("field-1", "mis", "regular-small", FIELD, TINY.table["field"], options)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "run", name="mis", scale=TINY)


def test_a_network_is_trained_once_and_can_be_named(folder: RunFolder, tmp_path: Path) -> None:
    network = field(tau0=0.25)
    assert not is_trained(folder, network)
    train_network(folder, network, picture=False)
    assert is_trained(folder, network)
    recipe = record_of(folder, network)["recipe"]
    assert (recipe["tau0"], recipe["epochs"], recipe["data"]["train"]) == (0.25, 2, 3)
    assert recipe["settings"] == {"width": 4, "num_steps": 4}
    place = folder.network("field-1")
    before = {file.name: file.stat().st_mtime_ns for file in place.iterdir()}
    train_network(folder, network, picture=False)
    assert {file.name: file.stat().st_mtime_ns for file in place.iterdir()} == before

    entry = entry_of(folder, network, "annealed")
    assert entry.label.startswith("annealed=field-1#")
    assert str(tmp_path) not in entry.label
    assert entry.folder == str(place)

    delete_state(place)
    assert not list(place.glob("state*"))
    assert not is_trained(folder, network)
    assert record_of(folder, network)["recipe"] == recipe


def test_an_unfinished_network_is_not_trained(folder: RunFolder) -> None:
    place = folder.network("field-1")
    place.mkdir(parents=True)
    (place / "state.json").write_text(json.dumps({"finished": False}))
    assert not is_trained(folder, field())
    for damaged in ("{", "[]", "\x00"):
        (place / "state.json").write_text(damaged)
        assert not is_trained(folder, field())
        with pytest.raises(InputError, match=r"state\.json"):
            train_network(folder, field(), picture=False)


def test_what_an_experiment_is_about_goes_before_the_scale_and_the_scale_before_the_learner(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="cut", scale=LAPTOP)
    amount = LAPTOP.table["erdos"]
    plain = Network("a", "cut", "twitter", ERDOS_KL_CUT, amount, {}).arguments(folder)
    assert plain["settings"] == {"variant": "deep", "head": "min-max", "width": 64}
    assert ERDOS_KL_CUT.options["learning_rate"] == 1e-4
    assert plain["learning_rate"] == 1e-3
    assert (plain["loss"], plain["seed"], plain["num_validation"]) == ("kl", 0, LAPTOP.validation)
    own = Network("a", "cut", "twitter", ERDOS_KL_CUT, amount, {"learning_rate": 0.5, "seed": 7}).arguments(folder)
    assert (own["learning_rate"], own["seed"]) == (0.5, 7)


def test_guesses_grow_with_the_work() -> None:
    def guess(data: str, learner=PAPER, graphs: int = 10, epochs: int = 1, **settings: int) -> float:
        return Network("a", "mis", data, learner, Amount(graphs, epochs, settings), {}).guess

    assert guess("rb-large") > guess("rb-small")
    assert guess("rb-small", epochs=5) > guess("rb-small")
    assert guess("rb-small", RUN_CSP) > guess("rb-small", FIELD) > guess("rb-small", width=64)
    assert guess("rb-small") > guess("rb-small", width=256)
    # Small graphs take their time too: half as long as much larger ones, not a tenth.
    assert guess("sf295-subset", graphs=500, epochs=40, width=64) > 0.4 * guess(
        "rb-small", graphs=500, epochs=40, width=64
    )
    # There are 42 to learn from.
    assert guess("facebook", graphs=42) == guess("facebook", graphs=2000)


ALL = [each for each in vars(networks).values() if isinstance(each, Learner)]


@pytest.mark.parametrize("learner", ALL, ids=lambda each: each.name)
def test_each_is_a_network_that_can_be_built_trained_and_used(learner: Learner) -> None:
    network = build_model(learner.model, **learner.settings)
    assert set(learner.options) <= set(inspect.signature(train).parameters)
    loss = learner.options.get("loss", network.loss)
    for way in learner.ways:
        assert not LEARNED[way].losses or loss in LEARNED[way].losses
        # What is used as without annealing must be trained so.
        assert LEARNED[way].annealed or not LOSSES[loss].annealed


def test_the_paper_s_is_the_network_of_its_baseline_with_its_own_schedule() -> None:
    assert PAPER.model == ERDOS_KL.model == L1.model == "erdos"
    assert PAPERS_SCHEDULE["schedule"] == "linear"
    assert PAPERS_SCHEDULE["tau0"] == "auto"
    assert PAPER.is_published
    assert not FIELD.is_published


@pytest.fixture
def _no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("_no_data")
def test_a_set_that_is_absent_is_left_out_with_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(tmp_path / "run", name="mis", scale=TINY)
    assert available_sets(folder, ["rb-small", "twitter", "ba-small"]) == ["rb-small", "ba-small"]
    [note] = folder.notes
    assert note == "twitter is left out: there is no TWITTER.npz in a folder that ANNEALCO_DATA names"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "TWITTER.npz").touch()
    monkeypatch.setenv("ANNEALCO_DATA", str(tmp_path / "data"))
    assert available_sets(folder, ["twitter"]) == ["twitter"]


@pytest.mark.usefixtures("_no_data")
def test_a_set_that_is_needed_is_downloaded_or_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder(tmp_path / "run", name="mis", scale=replace(TINY, skips_absent=False))
    # There is no public archive of this one.
    with pytest.raises(InputError, match=r"put SF-295-subset\.npz into a folder and name it by ANNEALCO_DATA"):
        available_sets(folder, ["rb-small", "sf295-subset"])
    asked = []
    monkeypatch.setattr("annealco.experiments.networks.download", asked.append)
    assert available_sets(folder, ["twitter"]) == ["twitter"]
    assert [each.name for each in asked] == ["twitter"]
    assert folder.notes == []
