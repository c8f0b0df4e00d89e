from __future__ import annotations

import os
import threading
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from annealco.datasets import DATASETS, load_dataset
from annealco.errors import InputError
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.graph.interop import to_networkx
from annealco.problems import PROBLEMS
from annealco.training.data import (
    SPLITS,
    Share,
    ahead,
    as_source,
    batches_of_epoch,
    draw,
    epoch_order,
    fingerprint,
    load_graphs,
    make_batch,
    trainable_problem,
)
from annealco.training.validation import reference_values
from tests.search.quotients import DENSEST
from tests.training.small_runs import small_graphs
from tests.waiting import PATIENCE


def test_parts_of_a_family_are_different_graphs_and_the_same_again() -> None:
    parts = [load_graphs("ba-small", split, 3, 7) for split in SPLITS]
    assert [part.num_graphs for part in parts] == [3, 3, 3]
    assert len({fingerprint(part) for part in parts}) == 3
    assert load_graphs("ba-small", "train", 3, 7).equals(parts[0])
    assert load_graphs("ba-small", "train", 2, 7).equals(parts[0][:2])
    assert not load_graphs("ba-small", "train", 3, 8).equals(parts[0])
    assert parts[0].equals(load_dataset("ba-small", "train", count=3, seed=7))


def test_weights_of_containers_and_files_are_read_from_what_is_named(tmp_path: Path) -> None:
    graphs = [nx.path_graph(3 + number) for number in range(5)]
    for number, graph in enumerate(graphs):
        nx.set_node_attributes(graph, 2 + number, "price")
        nx.write_graphml(graph, tmp_path / f"{number}.graphml")
    for source in (graphs, tmp_path):
        assert {float(each) for each in load_graphs(source, "train").node_weight} == {1}
        named = load_graphs(source, "train", node_weight="price")
        assert [each.node_weight[0] for each in named] == [each.num_nodes - 1 for each in named]
        with pytest.raises(InputError, match=r"'prise'; did you mean 'price'\?"):
            load_graphs(source, "train", node_weight="prise")
    with pytest.raises(InputError, match="the set ba-small: node_weight cannot be used here"):
        load_graphs("ba-small", "train", 3, node_weight="price")
    with pytest.raises(InputError, match="Graph: node_weight cannot be used here"):
        as_source(Graph.from_edges([[0], [1]]), node_weight="price")


def test_every_graph_of_a_mixture_has_a_cut_of_its_own() -> None:
    """Training reads no instances of the cut protocol: the box is each graph's own, whatever set it comes from."""
    mixed = load_graphs("ba-small+rb-small", "train", 6, 7)
    [box] = [each.term for each in PROBLEMS["cut"].declare(mixed).constraints]
    whole = np.array([2 * graph.num_edges for graph in mixed])
    assert box.lower.tolist() == np.ceil(whole / 4).tolist()
    assert box.upper.tolist() == np.floor(whole / 2).tolist()


def test_a_mixture_has_equal_shares_of_its_sets() -> None:
    mixed = load_graphs("ba-small+rb-small", "validation", 5, 7)
    assert mixed.num_graphs == 5
    assert mixed[:2].equals(load_graphs("ba-small", "validation", 2, 7))
    alone = load_graphs("rb-small", "validation", 3, 7)
    assert np.array_equal(mixed[2:].edges, alone.edges)
    with pytest.raises(InputError, match="1 graphs for train are too few for the shares of ba-small\\+rb-small"):
        load_graphs("ba-small+rb-small", "train", 1)
    with pytest.raises(InputError, match="no set 'nothing' to mix"):
        load_graphs("ba-small+nothing", "train", 4)


def test_a_mixture_may_say_its_shares() -> None:
    mixed = load_graphs("ba-small:3+rb-small", "validation", 8, 7)
    assert mixed[:6].equals(load_graphs("ba-small", "validation", 6, 7))
    assert np.array_equal(mixed[6:].edges, load_graphs("rb-small", "validation", 2, 7).edges)
    for share in ("0", "-1", "1.5", "", "two", "9" * 5000):
        with pytest.raises(InputError, match="the share of ba-small in a mixture must be a whole number"):
            load_graphs(f"ba-small:{share}+rb-small", "train", 8)


def test_several_names_are_a_mixture_too() -> None:
    assert load_graphs(["ba-small"], "train", 3, 7).equals(load_graphs("ba-small", "train", 3, 7))
    mixed = load_graphs("ba-small:3+rb-small", "validation", 8, 7)
    assert load_graphs(["ba-small:3", "rb-small"], "validation", 8, 7).equals(mixed)
    # A set that is named twice does not give the same graphs twice.
    assert load_graphs(["ba-small", "ba-small"], "train", 4, 7).equals(load_graphs("ba-small", "train", 4, 7))
    with pytest.raises(InputError, match="sets can be mixed with sets only: 'ba-small' is one, 'nothing' is none"):
        load_graphs(["nothing", "ba-small"], "train", 4)


def test_graphs_may_be_in_containers_of_others() -> None:
    graphs = small_graphs(5)
    for given in (list(graphs), [to_networkx(graph) for graph in graphs]):
        assert np.array_equal(load_graphs(given, "train", None, 3).edges, load_graphs(graphs, "train", None, 3).edges)
    with pytest.raises(InputError, match="at least 3 graphs are needed to split them, there are 1"):
        load_graphs(to_networkx(graphs[0]), "train")


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"])
def test_a_name_that_no_file_can_have_is_no_data(name: str) -> None:
    with pytest.raises(InputError, match="it is neither a file or folder nor one of"):
        load_graphs(name, "train")


REAL = pytest.mark.skipif("ANNEALCO_DATA" not in os.environ, reason="the real data sets are not here")


@REAL
def test_real_sets_have_splits_too() -> None:
    whole = load_graphs("imdb", "train")
    assert load_graphs("imdb", "train", 7).equals(whole[:7])
    assert load_graphs("imdb", "validation", 5000).num_graphs < 200
    assert load_graphs("imdb", "test").equals(load_dataset("imdb", "test"))


@pytest.mark.parametrize(
    "name",
    ["rb-small", "ba-small", "er-small", "regular-small"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("rb-small-complement", "rb-large-complement")]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("rb-large", "ba-large")]
    + [pytest.param(name, marks=REAL) for name in ("imdb", "twitter", "sf295-subset", "collab")],
)
def test_no_graph_stands_in_two_parts(name: str) -> None:
    drawn = {"count": 12 if "large" in name else 40} if DATASETS[name].kind == "synthetic" else {}
    parts = [{fingerprint(each) for each in load_graphs(name, split, **drawn)} for split in SPLITS]
    assert len(set.union(*parts)) == sum(map(len, parts))
    assert all(parts)


@REAL
@pytest.mark.parametrize("name", ["twitter", "imdb"])
def test_other_seeds_learn_from_no_graph_that_comparisons_test_on(name: str) -> None:
    tested = {fingerprint(each) for each in load_dataset(name, "test")}
    assert any(fingerprint(each) in tested for each in load_dataset(name, "train", seed=1))
    for split in ("train", "validation"):
        assert not any(fingerprint(each) in tested for each in load_graphs(name, split, None, 1))


@REAL
def test_without_care_many_test_graphs_of_collab_would_be_learned_from() -> None:
    known = {fingerprint(each) for each in load_dataset("collab", "train")}
    assert sum(fingerprint(each) in known for each in load_dataset("collab", "test")) == 182


@pytest.mark.parametrize("total", [3, 4, 5, 10, 33])
def test_given_graphs_are_split_without_overlap(total: int) -> None:
    graphs = small_graphs(total)
    parts = [load_graphs(graphs, split, None, 1) for split in SPLITS]
    assert sum(part.num_graphs for part in parts) == total
    assert all(part.num_graphs >= 1 for part in parts)
    if total >= 10:
        assert parts[0].num_graphs == round(0.6 * total)
    every = sorted(part[number].edges.tobytes() for part in parts for number in range(part.num_graphs))
    assert every == sorted(graph.edges.tobytes() for graph in graphs)


def test_files_and_folders_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    graphs = small_graphs(12)
    (tmp_path / "notes.md").write_text("no graph")
    (tmp_path / "some").mkdir()
    for number in range(11):
        write_graph(graphs[number], tmp_path / "some" / f"{number:02}.npz")
    write_graph(graphs[11], tmp_path / "last.npz")
    (tmp_path / "some" / "notes.md").write_text("no graph")
    found = load_graphs([tmp_path / "some", str(tmp_path / "last.npz")], "train", None, 3)
    assert found.equals(load_graphs(graphs, "train", None, 3))
    assert load_graphs(tmp_path / "some", "train", 2, 3).num_graphs == 2


def test_planted_sets_and_weights_come_along(tmp_path: Path) -> None:
    graphs = generate("rb-small", count=5, seed=0)
    graphs = graphs.with_weights(node_weight=np.arange(graphs.num_nodes) + 1.0)
    write_graph(graphs, tmp_path / "all.npz")
    found = load_graphs(tmp_path / "all.npz", "train")
    assert "planted" in found.node_data
    assert found.node_weight.max() > 1
    assert fingerprint(found) == fingerprint(load_graphs(graphs, "train"))


@pytest.mark.parametrize(
    ("source", "split", "count", "message"),
    [
        ("rb-tiny", "train", 1, "no data 'rb-tiny': it is neither a file or folder nor one of "),
        ("rb-small", "training", 1, "unknown split 'training'; choose one of train, validation, test"),
        ("rb-small", "train", 0, "at least 1 graph for train"),
        ([], "train", None, "no data is given"),
        ("", "train", None, "the name of data must not be empty"),
        (["rb-small", ""], "train", None, "the name of data must not be empty"),
        (None, "train", None, "cannot read a graph from NoneType; accepted: Graph, networkx"),
        (5, "train", None, "cannot read a graph from int"),
        (b"rb-small", "train", None, "cannot read a graph from bytes"),
        ([None], "train", None, "cannot read a graph from NoneType"),
        (Graph.from_edges([[0], [1]]), "train", None, "at least 3 graphs are needed to split them, there are 1"),
    ],
)
def test_bad_sources_are_refused(source: object, split: str, count: int | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_graphs(source, split, count)  # type: ignore[arg-type]


def test_a_folder_without_graphs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this folder has no graph files"):
        load_graphs(tmp_path, "train")


CUT = PROBLEMS["cut"]


def test_every_graph_has_a_seed_node_of_its_own_and_a_box_that_a_set_with_it_meets() -> None:
    graphs = small_graphs(6)
    drawn = draw(CUT, graphs, 3)
    assert drawn.options["volume"].shape == (6, 2)
    for number, graph in enumerate(graphs):
        problem = drawn[number : number + 1].posed
        bits = [
            np.flatnonzero([code >> node & 1 for node in range(graph.num_nodes)]) for code in range(2**graph.num_nodes)
        ]
        scores = [problem.score(graph, nodes.tolist()) for nodes in bits]
        [seed_node] = drawn.options["seed_node"][number : number + 1]
        assert any(score is not None for score in scores)
        assert all(score is None for score, nodes in zip(scores, bits, strict=True) if seed_node not in nodes)


def test_seeds_decide_what_is_drawn() -> None:
    graphs = small_graphs(6)
    first, again, other = (draw(CUT, graphs, *seed).options for seed in ((1, 2), (1, 2), (1, 3)))
    assert first["volume"].tolist() == again["volume"].tolist()
    assert first["volume"].tolist() != other["volume"].tolist()


@pytest.mark.parametrize("problem", [PROBLEMS["mis"], CUT.with_options(volume=(1, 4))], ids=["mis", "set by the user"])
def test_nothing_is_drawn_where_nothing_is_open(problem) -> None:  # type: ignore[no-untyped-def]
    drawn = draw(problem, small_graphs(3), 0)
    assert not drawn.options
    assert drawn[1:2].posed.option_values == problem.option_values


def test_nothing_is_drawn_where_a_graph_has_no_volume() -> None:
    graphs = Graph.batch([Graph.from_edges([[0], [1]]), Graph.from_edges([[], []], 3)])
    assert draw(CUT, graphs, 0).options == {}


def test_batches_differ_from_epoch_to_epoch_and_not_by_the_number_of_processes() -> None:
    graphs, positions = small_graphs(5), np.arange(5)

    def boxes(epoch: int, share: Share) -> list[float]:
        batch = make_batch(graphs, CUT, positions, share, seed=1, epoch=epoch)
        return [float(each) for term in batch.instance.constraints[:1] for each in term.term.lower]

    whole = boxes(0, Share())
    assert boxes(0, Share(0, 2)) + boxes(0, Share(1, 2)) == whole
    assert boxes(1, Share()) != whole


def test_references_are_of_what_was_drawn() -> None:
    graphs = small_graphs(4)
    drawn = draw(CUT, graphs, 5)
    for number, value in enumerate(reference_values(drawn, graphs)):
        graph, problem = graphs[number], drawn[number : number + 1].posed
        sets = (
            np.flatnonzero([code >> node & 1 for node in range(graph.num_nodes)]) for code in range(2**graph.num_nodes)
        )
        scores = [score for nodes in sets if (score := problem.score(graph, nodes.tolist())) is not None]
        assert value == pytest.approx(min(scores))


def test_an_epoch_has_every_graph_once_in_an_order_of_its_own() -> None:
    first, again, next_one = (epoch_order(11, 4, 5, epoch) for epoch in (0, 0, 1))
    assert [each.tolist() for each in first] == [each.tolist() for each in again]
    assert sorted(np.concatenate(first)) == list(range(11))
    assert np.concatenate(first).tolist() != np.concatenate(next_one).tolist()


@pytest.mark.parametrize("world_size", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [1, 2, 4, 7])
def test_shares_make_up_the_batch(size: int, world_size: int) -> None:
    positions = np.arange(size) + 3
    parts = [positions[Share(rank, world_size).of(positions)] for rank in range(world_size)]
    assert np.concatenate(parts).tolist() == positions.tolist()
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_batch_knows_its_part_of_the_whole() -> None:
    graphs = small_graphs(6)
    positions = np.array([4, 0, 2])
    found = [make_batch(graphs, PROBLEMS["mis"], positions, Share(rank, 2)) for rank in range(2)]
    assert all(batch.whole.equals(graphs[positions]) for batch in found)
    for batch in found:
        labels = np.arange(batch.whole.num_nodes)[batch.nodes]
        assert len(labels) == batch.graph.num_nodes == batch.instance.num_nodes
        assert np.array_equal(batch.whole.degree[batch.nodes], batch.graph.degree)
    assert sum(batch.graph.num_nodes for batch in found) == graphs[positions].num_nodes
    assert sum(batch.weight.sum() for batch in found) == 3


def test_a_process_without_a_graph_takes_one_that_does_not_count() -> None:
    batches = [make_batch(small_graphs(3), PROBLEMS["mis"], np.array([1]), Share(rank, 2)) for rank in range(2)]
    assert sorted(batch.weight.tolist() for batch in batches) == [[0.0], [1.0]]
    assert all(batch.graph.num_graphs == 1 for batch in batches)


def test_batches_begin_where_they_are_told() -> None:
    def batches(**where: int) -> list[tuple[int, int, list[list[int]]]]:
        given = {"batch_size": 4, "seed": 2, "epoch": 0, **where}
        made = batches_of_epoch(small_graphs(11), PROBLEMS["mis"], Share(), **given)
        return [(batch.epoch, batch.number, batch.graph.edges.tolist()) for batch in made]

    whole = batches()
    assert len(whole) == 3
    assert batches(start=1) == whole[1:]
    assert [batch[:2] for batch in batches(epoch=1)] == [(1, 0), (1, 1), (1, 2)]


def test_the_next_item_is_made_while_one_is_used() -> None:
    made, begun = [], threading.Event()

    def make(item: int) -> int:
        made.append(item)
        if item == 1:
            begun.set()
        return item * item

    found = ahead(make, [0, 1, 2])
    assert next(found) == 0
    assert begun.wait(PATIENCE)
    assert list(found) == [1, 4]
    assert list(ahead(make, [])) == []


def test_an_error_while_making_reaches_the_user() -> None:
    def make(item: int) -> int:
        return 1 // item

    found = ahead(make, [1, 0, 2])
    assert next(found) == 1
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_problems_are_found_by_name_or_given():
    assert trainable_problem("mis") is PROBLEMS["mis"] is trainable_problem(PROBLEMS["mis"])
    for unknown, rule in (
        ("tsp", "unknown problem 'tsp'; .*choose one of mis, "),
        (None, "this NoneType is no problem"),
    ):
        with pytest.raises(InputError, match=rule):
            trainable_problem(unknown)


def test_a_quotient_is_refused_with_what_to_train_instead():
    with pytest.raises(InputError, match=r"^conductance is a quotient, which no network learns: train cut, whose"):
        trainable_problem("conductance")
    with pytest.raises(InputError, match=r"train edges at a price, whose"):
        trainable_problem(DENSEST)
