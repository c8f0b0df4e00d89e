"""The page of `annealco app`: what it reads, what it refuses, what it shows."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from annealco.cli import browser_app as app
from annealco.errors import InputError
from annealco.graph.interop import as_graph, to_networkx
from annealco.problems import PROBLEMS
from annealco.search.mean_field import mean_field_annealing
from tests.budgets import FAR
from tests.cli.hostile_uploads import HOSTILE
from tests.cli.program import Output, call

MIS = PROBLEMS["mis"]
CSV = b"source,target\nAda,Ben\nBen,Cleo\nCleo,Dan\nDan,Ada\nDan,Eva\n"


def one_line(error: pytest.ExceptionInfo[InputError]) -> str:
    message = str(error.value)
    assert "\n" not in message
    return message


def test_a_csv_is_read_in_its_labels() -> None:
    given = app.read_upload("friends.csv", CSV, MIS)
    assert (given.name, given.graph.labels.tolist()) == ("friends.csv", ["Ada", "Ben", "Cleo", "Dan", "Eva"])
    assert app.read_typed("a b\nb c\n", MIS).graph.num_edges == 2


def test_fifty_hostile_files_are_refused_in_one_line_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(HOSTILE) >= 50
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, content in HOSTILE:
        with pytest.raises(InputError) as refused:
            app.read_upload(name, content, MIS)
        message = one_line(refused)
        # Named as the user knows it, without the folder it was read in.
        assert Path(name.replace("\\", "/")).name in message, name
        assert str(tmp_path) not in message
    assert not list(tmp_path.iterdir())


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(InputError, match=r"big.edges: at most 5 MB are read here, it has 5.0"):
        app.read_upload("big.edges", b"#" * (app.MOST_MEGABYTES * 2**20 + 1), MIS)
    path = "".join(f"{node} {node + 1}\n" for node in range(app.MOST_NODES + 1)).encode()
    with pytest.raises(InputError, match=r"long.edges: at most 5,000 nodes and 100,000 edges are solved here"):
        app.read_upload("long.edges", path, MIS)
    with pytest.raises(InputError, match="one graph is solved here, the file has 2"):
        app.read_upload("two.g6", b"A_\nA_\n", MIS)


def test_a_drawing_is_read_with_its_weights_and_places() -> None:
    """A path of three nodes by hand: its middle is worth more than both ends."""
    given = app.read_drawing({"nodes": [[10, 20, 1], [30, 20, 2.5], [50.5, 80, 1]], "edges": [[1, 0, 1], [1, 2, -0.5]]})
    assert given.graph.labels.tolist() == [1, 2, 3]
    assert given.graph.edges.T.tolist() == [[0, 1], [1, 2]]
    assert (given.graph.node_weight.tolist(), given.graph.edge_weight.tolist()) == ([1, 2.5, 1], [1, -0.5])
    # Canvases count downwards, pictures upwards.
    assert given.places is not None
    assert given.places.tolist() == [[10, -20], [30, -20], [50.5, -80]]
    *_, last = app.improved(given, MIS, {}, FAR, seed=0)
    assert (last.nodes, last.value, last.optimal) == ([2], 2.5, True)
    assert app.read_drawing({"nodes": [], "edges": []}).graph.num_nodes == 0


NODE = [1.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("drawing", "rule"),
    [
        (None, "must be lists of three numbers"),
        ("nodes", "must be lists of three numbers"),
        ({"nodes": [NODE]}, "must be lists of three numbers"),
        ({"nodes": [[1, 2]], "edges": []}, "must be lists of three numbers"),
        ({"nodes": [[1, 2, "3"]], "edges": []}, "must be lists of three numbers"),
        ({"nodes": [[1, 2, True]], "edges": []}, "must be lists of three numbers"),
        ({"nodes": [[1, 2, float("nan")]], "edges": []}, "must be lists of three numbers"),
        ({"nodes": [[1, 2, 10**400]], "edges": []}, "must be lists of three numbers"),
        ({"nodes": [NODE, NODE], "edges": [[0, 1, float("inf")]]}, "must be lists of three numbers"),
        ({"nodes": [NODE, NODE], "edges": [[0, 2, 1]]}, "an edge must join two of the nodes"),
        ({"nodes": [NODE, NODE], "edges": [[0, -1, 1]]}, "an edge must join two of the nodes"),
        ({"nodes": [NODE, NODE], "edges": [[0, 0.5, 1]]}, "an edge must join two of the nodes"),
        ({"nodes": [NODE, NODE], "edges": [[1, 1, 1]]}, "an edge must join two of the nodes"),
        ({"nodes": [NODE, NODE], "edges": [[0, 1, 1], [1, 0, 2]]}, "joined by one edge at most"),
        ({"nodes": [NODE] * (app.MOST_DRAWN + 1), "edges": []}, "at most 60 nodes can be drawn, it has 61"),
    ],
)
def test_what_is_no_drawing_is_refused_in_one_line(drawing: Any, rule: str) -> None:
    with pytest.raises(InputError, match=f"^drawing: .*{rule}") as refused:
        app.read_drawing(drawing)
    one_line(refused)


def test_value_and_bound_are_drawn_from_the_beginning() -> None:
    given = app.Input("petersen", as_graph(nx.petersen_graph()))
    found = next(app.improved(given, MIS, {}, FAR, seed=0))
    several = [replace(found, seconds=0.5, value=3.0, bound=None), replace(found, seconds=1.0)]
    bound, value = app.progress_figure(several).axes[0].get_lines()
    # The last value holds until the right edge, and a bound that came later begins where it came.
    assert value.get_xydata().tolist() == [[0.5, 3], [1, 4], [1.15, 4]]
    assert bound.get_xydata().tolist() == [[1, 4], [1.15, 4]]
    [axes] = app.progress_figure([found]).axes
    assert axes.get_xlim()[0] == 0
    assert all(float(tick).is_integer() for tick in axes.get_yticks())


@pytest.mark.parametrize("name", app.EXAMPLES)
def test_examples_are_within_the_limits(name: str) -> None:
    given = app.checked(app.EXAMPLES[name]())
    assert given.graph.equals(app.EXAMPLES[name]().graph)
    assert given.places is None or given.places.shape == (given.graph.num_nodes, 2)


def test_queens_attack_as_in_chess() -> None:
    joined = to_networkx(app.queens(5).graph)
    for (a, b), (c, d) in combinations(np.ndindex(5, 5), 2):
        attacks = a == c or b == d or a + b == c + d or a - b == c - d
        assert joined.has_edge(5 * a + b, 5 * c + d) == attacks


def test_frames_end_where_annealing_ends() -> None:
    instance = MIS.declare(app.queens().graph)
    frames = list(app.annealed_frames(instance, seed=0))
    assert len(frames) == app.NUM_FRAMES
    whole = mean_field_annealing(instance, num_sweeps=app.NUM_SWEEPS)
    assert np.array_equal(frames[-1][1], whole)
    temperatures = [float(title.rpartition("= ")[2]) for title, _ in frames]
    assert temperatures == sorted(temperatures, reverse=True)


def test_frames_of_the_network_are_probabilities() -> None:
    graph = as_graph(nx.petersen_graph())
    frames = list(app.network_frames(MIS, graph, MIS.declare(graph), seed=0))
    assert [title for title, _ in frames] == [f"network, step {steps}" for steps in app.NETWORK_STEPS]
    assert all(((found >= 0) & (found <= 1)).all() and found.shape == (10,) for _, found in frames)
    with pytest.raises(InputError):
        list(app.network_frames(PROBLEMS["ising"], graph, PROBLEMS["ising"].declare(graph), seed=0))


def test_a_search_improves_until_it_is_proven() -> None:
    given = app.Input("petersen", as_graph(nx.petersen_graph()))
    *_, last = app.improved(given, MIS, {}, FAR, seed=0)
    assert (last.value, last.optimal, last.graph) == (4, True, "petersen")


def test_without_streamlit_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr("annealco.optional.find_spec", lambda _: None)
    assert call("app") == 2
    assert "annealco app needs Streamlit: pip install 'annealco[app]'" in capsys.readouterr().err


@pytest.fixture
def page() -> Any:
    testing = pytest.importorskip("streamlit.testing.v1")
    return testing.AppTest.from_file(app.__file__, default_timeout=600)


def test_the_page_solves_an_example_and_keeps_the_answer(page: Any) -> None:
    page.run()
    assert not page.exception
    page.radio[0].set_value("type").run()
    page.button[0].click().run()
    assert not page.exception
    assert not page.error
    shown = {metric.label: metric.value for metric in page.metric}
    # By hand: a, c and e of the square a b c d with the tail e.
    assert shown == {"value": "3", "bound": "3", "optimal": "proven", "nodes in the set": "3"}
    assert page.code[0].value.split() == ["a", "c", "e"]
    page.run()
    assert {metric.label: metric.value for metric in page.metric} == shown
    # An answer to something else is not shown.
    page.selectbox[0].set_value("vertex_cover").run()
    assert not page.metric
    page.selectbox[0].set_value("mis").run()
    assert {metric.label: metric.value for metric in page.metric} == shown


def test_the_page_refuses_in_words(page: Any) -> None:
    page.run()
    page.radio[0].set_value("type").run()
    page.text_area[0].set_value("a b\n![x](http://example.com/a.png) c d e\n").run()
    assert not page.exception
    assert [each.value for each in page.error] == ["This cannot be solved:"]
    # As code, which shows Markdown instead of loading its pictures.
    assert "typed.edges:2: " in page.code[0].value
    page.text_area[0].set_value("a b").run()
    page.selectbox[0].set_value("cut").run()
    volume = next(each for each in page.text_input if each.label == "volume")
    volume.set_value("many").run()
    assert "volume" in page.code[0].value
    assert not page.exception
