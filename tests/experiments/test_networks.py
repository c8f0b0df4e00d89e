from __future__ import annotations

import inspect
import json
from dataclasses import replace
from pathlib import Path

import pytest

from annealco.baselines.learned import LEARNED
from annealco.errors import InputError
from annealco.experiments import networks
from annealco.experiments import scale as scales
from annealco.experiments.networks import (
    ERDOS_COLD,
    ERDOS_KL,
    FIELD,
    L1,
    PAPER,
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
from annealco.experiments.scale import LAPTOP, SCALES, Amount, Reading, Scale
from annealco.models import build_model
from annealco.training.loss import LOSSES
from annealco.training.train import train
from tests.experiments.tiny import TINY


def field(**options: object) -> Network:
    return Network("field-1", "mis", "regular-small", FIELD, TINY.table["field"], options=options)


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


def test_later_ones_count_reading_scale_learner_and_what_an_experiment_is_about(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="cut", scale=LAPTOP)
    amount, reading = LAPTOP.table["erdos"], LAPTOP.reading("erdos", "cut")
    plain = Network("a", "cut", "twitter", ERDOS_KL, amount, reading).arguments(folder)
    assert plain["settings"] == {"variant": "deep", "head": "min-max", "width": 64}
    assert reading.options == {"rate": "cosine", "learning_rate": 1e-3, "batch_size": 8}
    assert (plain["rate"], plain["learning_rate"], plain["batch_size"]) == ("cosine", 1e-3, 8)
    assert (plain["loss"], plain["seed"], plain["num_validation"]) == ("kl", 0, LAPTOP.validation)
    about = {"learning_rate": 0.5, "loss": "l1"}
    own = Network("a", "cut", "twitter", ERDOS_KL, amount, reading, about, seed=7).arguments(folder)
    assert (own["learning_rate"], own["loss"], own["seed"]) == (0.5, "l1", 7)


@pytest.mark.parametrize("scale", SCALES.values(), ids=list(SCALES))
def test_learners_of_one_network_differ_in_what_they_are_compared_for_only(scale: Scale, tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="mis", scale=scale)
    for problem in ("mis", "clique", "mds", "cut"):
        amount, reading = scale.amount("erdos", "twitter"), scale.reading("erdos", problem)
        kl, cold, annealed = (
            Network("a", problem, "twitter", learner, amount, reading).arguments(folder)
            for learner in (ERDOS_KL, ERDOS_COLD, PAPER)
        )
        assert kl["settings"] == {**cold["settings"], "head": "min-max"}
        # The KL loss has no temperature.
        shared = {name: value for name, value in cold.items() if name not in {"settings", "tau0"}}
        assert {name: kl[name] for name in kl if name not in {"settings", "loss"}} == shared
        assert annealed == {**cold, **scale.annealing}
        assert cold["tau0"] == 0.0
        assert scale.annealing["tau0"] == "auto"


def test_the_width_of_a_reading_counts_for_the_guess() -> None:
    narrow, wide = (
        Network("a", "mis", "rb-small", PAPER, Amount(10, 1), Reading({"width": width})) for width in (64, 512)
    )
    assert narrow.guess < wide.guess
    assert narrow.settings == {"width": 64}


def test_guesses_grow_with_the_work() -> None:
    def guess(data: str, learner=PAPER, graphs: int = 10, epochs: int = 1, **settings: int) -> float:
        return Network("a", "mis", data, learner, Amount(graphs, epochs, settings)).guess

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
        assert LEARNED[way].annealed or not LOSSES[loss].annealed or learner.options["tau0"] == 0


def test_the_paper_s_is_the_network_of_its_baseline_with_its_own_schedule() -> None:
    assert PAPER.model == ERDOS_KL.model == L1.model == "erdos"
    assert [each.name for each in ALL if each.is_cooled] == ["erdos"]
    assert scales.PAPER.annealing == scales.PAPERS_SCHEDULE
    assert scales.PAPERS_SCHEDULE == {"schedule": "linear", "tau0": "auto", "anneal_by": "epoch"}
    assert [each.name for each in ALL if not each.is_published] == ["erdos-cold", "field", "field-cold", "field-kl"]


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
