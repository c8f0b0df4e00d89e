"""Options that a problem draws: one a graph, decided by the seed, and none where the user has set some."""

import numpy as np
import pytest

from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.training.batches import Share, make_batch
from annealco.training.drawn import draw
from annealco.training.validation import reference_values
from tests.training.small_runs import small_graphs

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
