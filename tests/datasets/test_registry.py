from __future__ import annotations

import numpy as np
import pytest

from annealco.datasets.registry import (
    DATASETS,
    MEASURED,
    REAL,
    SYNTHETIC,
    DrawnOrigin,
    check_statistics,
    draw,
    find_dataset,
)
from annealco.datasets.splits import first_number
from annealco.errors import InputError
from annealco.graph.generators import GENERATORS, generate
from annealco.problems import PROBLEMS
from tests.datasets.samples import paths, small_set


def test_the_right_size_passes() -> None:
    check_statistics(small_set(), paths(), "here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graphs": 11}, "here: paths has 11 graphs, this has 10"),
        ({"mean_nodes": 6.51}, "here: paths has 6.51 nodes on average, this has 6.50"),
        ({"mean_edges": 5.49}, "here: paths has 5.49 edges on average, this has 5.50"),
    ],
)
def test_another_size_is_named(changes: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_statistics(small_set(**changes), paths(), "here")
    assert str(caught.value) == message


def test_how_a_set_is_had_is_asked_of_the_right_kind() -> None:
    assert (DATASETS["collab"].kind, DATASETS["rb-small"].kind) == ("real", "synthetic")
    assert DATASETS["collab"].stored.file == "COLLAB.npz"
    assert DATASETS["rb-small"].drawn.generator == "rb-small"
    with pytest.raises(InputError, match="collab is read from a file"):
        _ = DATASETS["collab"].drawn
    with pytest.raises(InputError, match="rb-small is drawn"):
        _ = DATASETS["rb-small"].stored


def test_training_graphs_are_the_first_of_the_generator() -> None:
    plain = draw(DrawnOrigin("rb-small"), "train", seed=3, start=2, count=3)
    assert plain.equals(generate("rb-small", count=3, seed=3, start=2))
    assert plain.node_data["planted"].any()


def test_splits_and_seeds_differ() -> None:
    sets = [
        draw(DrawnOrigin("ba-small"), split, seed=seed, start=0, count=2)
        for split in ("train", "test")
        for seed in (0, 1)
    ]
    assert len({each.edges.tobytes() for each in sets}) == 4
    assert sets[2].equals(generate("ba-small", count=2, seed=0, start=first_number("test")))


def test_weights_are_integers_of_their_own_stream_on_the_same_graphs() -> None:
    whole = draw(DrawnOrigin("rb-small", weighted=True), "train", seed=0, start=0, count=40)
    assert np.array_equal(whole.edges, generate("rb-small", count=40, seed=0).edges)
    assert set(whole.node_weight.tolist()) == set(range(1, 101))
    assert abs(whole.node_weight.mean() - 50.5) < 5 * np.sqrt((100**2 - 1) / 12 / whole.num_nodes)
    assert np.all(whole.edge_weight == 1)
    part = draw(DrawnOrigin("rb-small", weighted=True), "train", seed=0, start=7, count=2)
    assert part.equals(whole[7:9])
    other = draw(DrawnOrigin("rb-small", weighted=True), "train", seed=1, start=0, count=1)
    assert not np.array_equal(other.node_weight[:100], whole.node_weight[:100])


def test_what_was_planted_is_no_optimum_of_weights() -> None:
    weighted = draw(DrawnOrigin("rb-small", weighted=True), "train", seed=0, start=0, count=1)
    assert set(weighted.node_data) == {"group"}
    assert set(weighted.graph_data) == {"num_groups"}


def test_no_graphs_can_be_drawn() -> None:
    assert draw(DrawnOrigin("rb-small", weighted=True), "train", seed=0, start=0, count=0).num_graphs == 0


SMALL = [each for each in SYNTHETIC if "small" in each.name and "weighted" not in each.name]


def test_every_generator_has_a_set_and_a_weighted_one() -> None:
    assert [each.name for each in SYNTHETIC] == [name + end for name in GENERATORS for end in ("", "-weighted")]
    assert [each.name for each in SYNTHETIC if each.drawn.weighted] == [f"{name}-weighted" for name in GENERATORS]
    assert all(each.graphs == 3000 for each in SYNTHETIC)


@pytest.mark.parametrize("dataset", SMALL, ids=lambda each: each.name)
def test_listed_sizes_are_measured(dataset) -> None:
    graph = generate(dataset.drawn.generator, count=MEASURED, seed=0)
    assert graph.num_nodes / MEASURED == pytest.approx(dataset.mean_nodes, abs=0.0051)
    assert graph.num_edges / MEASURED == pytest.approx(dataset.mean_edges, abs=0.0051)


def test_sets_without_an_archive_are_the_two_that_stand_in_for_sf295() -> None:
    assert [each.name for each in REAL if each.stored.url is None] == ["sf295-subset", "nci60"]
    assert all((each.stored.url is None) == (each.stored.convert is None) for each in REAL)


def test_parts_and_stand_ins_say_so() -> None:
    subset, stand_in = DATASETS["sf295-subset"], DATASETS["nci60"]
    assert "a part only" in subset.title
    assert "A part only" in subset.note
    assert "stand-in" in stand_in.title
    assert "stand-in" in stand_in.note
    assert subset.published is None
    assert stand_in.published is None


@pytest.mark.parametrize("dataset", [each for each in REAL if each.published], ids=lambda each: each.name)
def test_sizes_agree_with_the_published_ones_up_to_loops(dataset) -> None:
    graphs, nodes, edges = dataset.published
    assert (graphs, nodes) == (dataset.graphs, dataset.mean_nodes)
    loops = {"collab": 2837, "twitter": 22}.get(dataset.name, 0)
    # The published mean of Twitter is smaller than that with all its loops by 0.01.
    assert edges == pytest.approx(dataset.mean_edges + loops / graphs, abs=0.015)


def test_the_cut_protocol_has_its_numbers_of_seeds() -> None:
    seeds = {each.name: each.cut_seeds for each in REAL if each.cut_seeds}
    assert seeds == {"twitter": 30, "facebook": 100, "sf295": 10, "sf295-subset": 10, "nci60": 10}


WANTED = [
    *(
        f"rb-{size}{forced}{side}"
        for size in ("small", "large")
        for forced in ("", "-unforced")
        for side in ("", "-complement")
    ),
    *("ba-small", "ba-large", "er-small", "er-large"),
]
REAL_NAMES = ["collab", "twitter", "facebook", "imdb", "reddit", "sf295", "sf295-subset", "nci60"]


def test_the_sets_of_the_paper_are_there() -> None:
    assert set(DATASETS) >= {*WANTED, *(f"{name}-weighted" for name in WANTED), *REAL_NAMES}
    assert [name for name, dataset in DATASETS.items() if dataset.kind == "real"] == REAL_NAMES


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_is_described(name: str) -> None:
    dataset = DATASETS[name]
    assert dataset.name == name
    assert dataset.problems
    assert set(dataset.problems) <= set(PROBLEMS)
    assert all("\n" not in text and text for text in (dataset.title, dataset.source, dataset.licence))
    assert dataset.graphs > 0
    assert dataset.mean_nodes > 1
    assert (dataset.cut_seeds is not None) == ("cut" in dataset.problems)


def test_other_names_are_refused() -> None:
    with pytest.raises(InputError, match="unknown data set 'rb'; choose one of rb-small, "):
        find_dataset("rb")
