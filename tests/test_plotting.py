from __future__ import annotations

import errno
import os
import sys
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph
from annealco.plotting import NEEDED, plot_training
from annealco.plotting.solutions import (
    CHOSEN,
    CROSSING,
    REST,
    SMALL,
    Points,
    check_picture,
    draw_solution,
    picture,
    place_nodes,
)
from annealco.plotting.style import COLOURS, MARKS, check_drawing, label_axes, new_figure, write_picture
from annealco.problems.small_graphs import SHAPES
from annealco.solving.solution import Solution
from tests.graph.strategies import graphs


def test_one_figure_makes_one_file(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        figure = new_figure(3, 2)
        axes = figure.add_subplot()
        axes.plot([1, 2], color=COLOURS[0], marker=MARKS[0])
        label_axes(axes, title="title", x="across", y="up")
        assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("title", "across", "up")
        write_picture(figure, tmp_path / name)
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert content == (tmp_path / "b.png").read_bytes()
    with pytest.raises(InputError, match="no such file or folder"):
        write_picture(figure, tmp_path / "none" / "a.png")


HISTORY = {
    "loss": [-3.0, -2.5, -2.2],
    "energy": [-1.0, -1.5, -2.0],
    "entropy": [4.0, 3.0, 1.0],
    "temperature": [0.5, 0.1, 0.02],
    "ratio": [0.8, None, 0.9],
    "greedy": [0.85, None, 0.84],
}


def test_a_training_is_drawn_over_whole_epochs_from_1() -> None:
    losses, temperatures, _, ratios = plot_training(HISTORY, title="a run").axes
    assert [line.get_xdata().tolist() for line in losses.get_lines()] == [[1, 2, 3], [1, 2, 3]]
    assert temperatures.get_yscale() == "log"
    assert ratios.get_xticks().tolist() == losses.get_xticks().tolist() == [1, 2, 3]
    lines = {line.get_label(): line for line in ratios.get_lines()}
    [best] = {name for name in lines if name.startswith("best known")}
    assert set(lines) == {"the network", "greedy", best}
    assert lines["the network"].get_xydata().tolist() == [[1, 0.8], [3, 0.9]]
    assert lines["greedy"].get_xydata().tolist() == [[1, 0.85], [3, 0.84]]
    assert set(lines[best].get_ydata()) == {1}
    assert "loss may rise while the energy falls" in losses.get_xlabel()
    # Histories of others may have no greedy rule.
    [own, other] = plot_training({name: HISTORY[name] for name in NEEDED}).axes[3].get_lines()
    assert (own.get_label(), other.get_label()) == ("the network", best)


def test_without_annealing_the_loss_has_no_reason_to_rise_and_what_was_not_measured_is_not_drawn() -> None:
    # τ is 0, which a logarithm does not have.
    bare = HISTORY | {"temperature": [0.0] * 3, "ratio": [None] * 3, "greedy": [None] * 3}
    losses, temperatures, _, ratios = plot_training(bare).axes
    assert temperatures.get_yscale() == "linear"
    assert "rise" not in losses.get_xlabel()
    assert not ratios.get_lines()
    assert [text.get_text() for text in ratios.texts] == ["not measured yet"]


def test_an_epoch_alone_is_at_1() -> None:
    for axes in plot_training({name: column[:1] for name, column in HISTORY.items()}).axes:
        assert axes.get_xticks().tolist() == [1]


@pytest.mark.parametrize(
    "history",
    [{}, {name: [] for name in HISTORY}, {"loss": [1.0]}, HISTORY | {"energy": [1.0]}, HISTORY | {"greedy": []}],
)
def test_a_history_needs_its_columns(history: dict[str, list[float]]) -> None:
    with pytest.raises(InputError, match="a history needs the columns loss, energy"):
        plot_training(history)


def test_without_matplotlib_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    check_drawing()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"a picture needs matplotlib: pip install 'annealco\[report\]'"):
        check_drawing()


SOLUTION = Solution(
    problem="mis",
    nodes=[0, 2],
    value=2.0,
    feasible=True,
    bound=2.5,
    gap=0.2,
    optimal=False,
    method="covering search",
    seconds=0.25,
    seed=0,
    graph="path",
    trace=[(0.0, 1.0), (0.1, 2.0)],
)
PATH = Graph.from_edges([[0, 1, 2], [1, 2, 3]], num_nodes=5)
LARGE = as_graph(nx.path_graph(SMALL + 1))


def test_set_and_edges_are_drawn_in_their_colours() -> None:
    [axes] = picture(PATH, replace(SOLUTION, nodes=[0, 1, 4])).axes
    nodes = {each.get_label(): each for each in axes.collections if isinstance(each, PathCollection)}
    edges = {each.get_label(): each for each in axes.collections if isinstance(each, LineCollection)}
    assert set(nodes) == {"set (3)", "rest (2)"}
    assert [to_hex(colour).upper() for colour in nodes["set (3)"].get_facecolor()] == [CHOSEN]
    assert len(nodes["set (3)"].get_offsets()) == 3
    colours = {label: to_hex(each.get_edgecolor()[0]).upper() for label, each in edges.items()}
    assert colours == {"edges inside (1)": CHOSEN, "edges between (1)": CROSSING, "edges outside (1)": REST}
    inside = edges["edges inside (1)"].get_segments()[0]
    places = {text.get_text(): text.xy for text in axes.texts}
    assert np.allclose(inside, [places["0"], places["1"]])


def test_title_and_legend_tell_what_is_seen() -> None:
    figure = picture(PATH, SOLUTION)
    assert figure.get_suptitle() == (
        "maximum independent set: path (5 nodes, 3 edges)\nvalue 2, bound 2.5, gap 20 %, 0.25 s"
    )
    shown = [text.get_text() for text in figure.legends[0].get_texts()]
    assert shown == ["set (2)", "rest (3)", "edges between (3)"]
    proven = picture(PATH, replace(SOLUTION, bound=2.0, gap=0.0, optimal=True)).get_suptitle()
    assert proven.endswith("value 2, bound 2, proven optimal, 0.25 s")
    unproven = picture(PATH, replace(SOLUTION, bound=None, gap=None, problem="of mine")).get_suptitle()
    assert unproven == "of mine: path (5 nodes, 3 edges)\nvalue 2, no bound, 0.25 s"


def test_heavier_nodes_are_larger() -> None:
    [axes] = picture(PATH.with_weights(node_weight=[1, 2, 3, 4, 5]), replace(SOLUTION, nodes=[])).axes
    [nodes] = [each for each in axes.collections if isinstance(each, PathCollection)]
    assert (np.diff(nodes.get_sizes()) > 0).all()


def test_edges_of_negative_weight_are_dashed() -> None:
    [axes] = picture(PATH.with_weights(edge_weight=[1, -1, -2]), replace(SOLUTION, nodes=[0, 1])).axes
    lines = {each.get_label(): each for each in axes.collections if isinstance(each, LineCollection)}
    assert set(lines) == {"edges inside (1)", "edges between, negative (1)", "edges outside, negative (1)"}
    # matplotlib has (offset, None) for solid lines.
    dashed = {label: each.get_linestyle()[0][1] is not None for label, each in lines.items()}
    assert dashed == {label: "negative" in label for label in lines}


def test_a_dense_graph_is_drawn_as_a_matrix_with_the_set_first() -> None:
    turan = as_graph(nx.turan_graph(15, 5))  # Five parts of three, all pairs between parts: 90 edges.
    [axes] = picture(turan, replace(SOLUTION, nodes=[3, 4, 5])).axes
    [between, outside] = [each for each in axes.collections if isinstance(each, PathCollection)]
    assert (between.get_label(), outside.get_label()) == ("edges between (36)", "edges outside (54)")
    # An independent set is an empty square in the corner, inside the line around the set.
    assert not any(min(place) < 3 and max(place) < 3 for place in between.get_offsets().tolist())
    [border] = axes.get_lines()
    assert border.get_xydata().tolist() == [[-0.5, 2.5], [2.5, 2.5], [2.5, -0.5]]
    assert [text.get_text() for text in axes.get_yticklabels()][:4] == ["3", "4", "5", "0"]
    assert not picture(as_graph(nx.complete_graph(12)), replace(SOLUTION, nodes=[0])).axes[0].get_lines()


def test_nodes_are_drawn_where_they_are_said_to_be(tmp_path: Path) -> None:
    board = [(place % 4, place // 4) for place in range(16)]
    [axes] = picture(as_graph(nx.complete_graph(16)), replace(SOLUTION, nodes=[5]), places=board).axes
    [chosen] = [each for each in axes.collections if each.get_label() == "set (1)"]
    assert chosen.get_offsets().tolist() == [[1, 1]]
    draw_solution(PATH, SOLUTION, tmp_path / "a.png", places=board[:5])


def test_a_large_graph_is_drawn_as_its_trace() -> None:
    [axes] = picture(LARGE, SOLUTION).axes
    assert axes.get_xscale() == "log"
    values, bound = axes.get_lines()
    assert np.allclose(values.get_xdata(), [1e-4, 0.1, 0.25])
    assert values.get_ydata().tolist() == [1, 2, 2]
    assert (set(bound.get_ydata()), bound.get_linestyle()) == ({2.5}, "--")
    [axes] = picture(LARGE, replace(SOLUTION, trace=[], bound=None, gap=None)).axes
    assert [line.get_ydata().tolist() for line in axes.get_lines()] == [[2]]


@pytest.mark.parametrize(
    ("extension", "start"), [("png", b"\x89PNG"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
@pytest.mark.parametrize("graph", [PATH, LARGE, Graph.from_edges([[], []], 0)], ids=["small", "large", "empty"])
def test_one_solution_makes_the_same_bytes(extension: str, start: bytes, graph: Graph, tmp_path: Path) -> None:
    path = tmp_path / f"picture.{extension}"
    written = []
    for _ in range(2):
        draw_solution(graph, SOLUTION, path)
        written.append(path.read_bytes())
    assert written[0].startswith(start)
    assert written[0] == written[1]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("label", ["$x^", "漢字", "a long name of a node", "<&>", ""])
def test_labels_may_be_any_text(label: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([[0], [1]], node_labels=[label, "b"])
    for nodes in ([label], ["b"]):
        draw_solution(graph, replace(SOLUTION, nodes=nodes, graph=label), tmp_path / "a.svg")
    [axes] = picture(graph, replace(SOLUTION, nodes=[label])).axes
    assert sum(each.get_label() == "set (1)" for each in axes.collections) == 1


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("a.jpg", "unknown extension '.jpg' of a picture; choose one of png, pdf, svg"),
        ("a", "unknown extension ''"),
        ("missing/a.png", "cannot be written: no such folder"),
        ("folder.png", "cannot be written: it is a folder"),
        ("fifo.png", "cannot be written: it is no regular file"),
        (f"{'x' * 300}.png", "cannot be written"),
        (f"{'x' * 300}/a.png", "cannot be written"),
    ],
)
def test_where_no_picture_can_be_written(path: str, rule: str, tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "fifo.png")
    with pytest.raises(InputError, match=rule):
        draw_solution(PATH, SOLUTION, tmp_path / path)
    assert {each.name for each in tmp_path.iterdir()} == {"folder.png", "fifo.png"}


def test_without_matplotlib_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install 'annealco\[report\]'"):
        check_picture(tmp_path / "a.png")


def test_a_folder_that_takes_no_files_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_picture(tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []

    def refuse(**place: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(place["dir"]))

    monkeypatch.setattr("annealco.plotting.solutions.TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"a\.png: cannot be written: read-only file system"):
        check_picture(tmp_path / "a.png")
    if os.name == "posix" and os.getuid() != 0:
        tmp_path.chmod(0o500)
        monkeypatch.undo()
        with pytest.raises(InputError, match="cannot be written: permission denied"):
            check_picture(tmp_path / "a.png")


def test_names_that_are_no_text_are_drawn_with_question_marks(tmp_path: Path) -> None:
    draw_solution(PATH, replace(SOLUTION, graph="bad\udcff"), tmp_path / "some.png")
    assert (tmp_path / "some.png").stat().st_size > 1000


def lengths(places: Points) -> Points:
    return np.linalg.norm(places[:, None] - places, axis=2)


def stress(graph: Graph, places: Points) -> float:
    """Sum over pairs, by networkx and plain loops."""
    same = nx.Graph(graph.edges.T.tolist())
    same.add_nodes_from(range(graph.num_nodes))
    total = 0.0
    for u, reached in nx.all_pairs_shortest_path_length(same):
        for v, distance in reached.items():
            if u < v:
                total += (float(np.hypot(*(places[u] - places[v]))) - distance) ** 2 / distance**2
    return total


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_has_places(shape: str) -> None:
    size, edges = SHAPES[shape]
    places = place_nodes(Graph.from_edges(np.array(edges).T, size))
    assert places.shape == (size, 2)
    assert np.isfinite(places).all()
    if size > 1:
        assert (lengths(places) + np.eye(size)).min() > 0.4


def test_a_path_is_a_line_and_a_cycle_is_round() -> None:
    path = place_nodes(as_graph(nx.path_graph(10)))
    assert lengths(path)[0, 9] == pytest.approx(9, abs=0.05)
    assert np.ptp(path, axis=0)[1] < 0.2
    cycle = place_nodes(as_graph(nx.cycle_graph(12)))
    radius = np.linalg.norm(cycle - cycle.mean(axis=0), axis=1)
    assert radius.min() > 0.97 * radius.max()


@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.grid_2d_graph(6, 6), nx.petersen_graph()])
def test_stress_is_as_low_as_networkx_finds(graph: nx.Graph) -> None:
    graph = nx.Graph(nx.convert_node_labels_to_integers(graph).edges())
    theirs = nx.kamada_kawai_layout(graph)
    places = np.array([theirs[node] for node in sorted(graph)])
    given = as_graph(nx.convert_node_labels_to_integers(graph, ordering="sorted"))
    best = min(stress(given, scale * places) for scale in np.linspace(0.5, 8, 76))
    assert stress(given, place_nodes(given)) < 1.15 * best


def test_components_stand_apart() -> None:
    parts = [nx.cycle_graph(9), nx.complete_graph(6), nx.path_graph(4), nx.empty_graph(5)]
    graph = as_graph(nx.disjoint_union_all(parts))
    places = place_nodes(graph)
    component = np.repeat(np.arange(8), [9, 6, 4, 1, 1, 1, 1, 1])
    between = lengths(places)[component[:, None] != component]
    assert between.min() >= 0.99


@settings(max_examples=15)
@given(graphs())
def test_the_same_graph_gets_the_same_places(graph: Graph) -> None:
    assert np.array_equal(place_nodes(graph), place_nodes(graph))


def test_weights_and_labels_do_not_move_nodes() -> None:
    graph = as_graph(nx.petersen_graph())
    other = Graph.from_edges(graph.edges, 10, node_weight=range(10), node_labels=list("abcdefghij"))
    assert np.array_equal(place_nodes(graph), place_nodes(other))
