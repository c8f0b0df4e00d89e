import csv
import json
import pickle
import sys
from dataclasses import replace
from html.parser import HTMLParser

import networkx as nx
import numpy as np
import pytest

import annealco
from annealco.errors import InputError
from annealco.solving.solution import MOST_NODES_SHOWN, Solution, gap_between, is_reached, plain_label
from tests.budgets import BRIEF


@pytest.mark.parametrize(
    ("value", "bound", "gap"),
    [
        (10, 10, 0.0),
        (9, 10, 0.1),
        (10, 9, 0.1),
        (0, 0, 0.0),
        (0, 5, 1.0),
        (-4, -5, 0.2),
        (3, None, None),
        (1e12, 1e12 + 1, 1e-12),
    ],
)
def test_gaps(value, bound, gap):
    assert gap_between(value, bound) == (None if gap is None else pytest.approx(gap, rel=1e-9, abs=0))


def test_json_has_exactly_the_promised_fields():
    solution = Solution("mis", [1, "a"], 2.0, True, 3.0, 1 / 3, False, "search", 0.1, 0, "g", [(0.0, 2.0)])
    fields = json.loads(json.dumps(solution.as_json()))
    assert list(fields) == [
        *("graph", "problem", "nodes", "value", "feasible", "bound"),
        *("gap", "optimal", "method", "seconds", "seed"),
    ]
    assert fields["nodes"] == [1, "a"]


@pytest.mark.parametrize("scale", [1e-300, 1e-11, 1.0, 1e11, 1e300])
def test_a_gap_does_not_depend_on_the_unit_of_weights(scale):
    assert gap_between(9 * scale, 10 * scale) == pytest.approx(0.1)
    assert gap_between(10 * scale, 10 * scale * (1 + 1e-15)) > 0.0
    assert gap_between(10 * scale, 10 * scale * (1 + 1e-15), excused=1e-13 * scale) == 0.0
    assert gap_between(10 * scale, 0.0) == 1.0


def test_whole_values_reach_a_reference_only_where_they_are_equal():
    assert is_reached(1e12, 1e12)
    assert not is_reached(1e12, 1e12 + 1)
    assert not is_reached(2.0**52, 2.0**52 + 1)
    assert is_reached(sum([0.1] * 10), 1.0)
    assert not is_reached(0.1, 0.1000001)
    assert is_reached(0, 0)


PLAIN = Solution("mis", [1, "a"], 2.0, True, 3.0, 1 / 3, False, "search", 0.1, 0, "g", [(0.0, 2.0)])


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        (np.int64(3), 3),
        (np.str_("a"), "a"),
        (np.bool_(True), True),
        (2**80, 2**80),
        (0.25, 0.25),
        (float("nan"), "nan"),
        ((0, (np.int32(1), "b")), [0, [1, "b"]]),
        (frozenset({1}), "frozenset({1})"),
        (None, None),
    ],
)
def test_labels_of_any_kind_have_a_place_in_json(label, plain):
    found = plain_label(label)
    assert found == plain
    assert type(found) is type(plain)
    assert json.loads(json.dumps(found, allow_nan=False)) == plain


def test_a_dictionary_is_plain_and_has_the_user_s_labels():
    grid = annealco.solve(nx.grid_2d_graph(2, 2), "mis", **BRIEF)
    assert grid.to_dict() == grid.as_json()
    assert grid.to_dict()["nodes"] in ([[0, 0], [1, 1]], [[0, 1], [1, 0]])
    assert json.loads(json.dumps(grid.to_dict(), allow_nan=False)) == grid.to_dict()


def test_saved_as_json_it_is_the_dictionary_and_as_csv_the_set(tmp_path):
    odd = replace(PLAIN, nodes=["a,b", 'say "x"', "two\nlines", 7, (1, 2), "é\udc80", ""])
    odd.save(tmp_path / "odd.json")
    assert json.loads((tmp_path / "odd.json").read_text(encoding="utf-8")) == odd.to_dict()
    odd.save(str(tmp_path / "ODD.CSV"))
    with (tmp_path / "ODD.CSV").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows == [["node"], ["a,b"], ['say "x"'], ["two\nlines"], ["7"], ["[1, 2]"], ["é\\udc80"], [""]]
    replace(PLAIN, nodes=[]).save(tmp_path / "none.csv")
    assert (tmp_path / "none.csv").read_text() == "node\n"


def test_what_cannot_be_saved_is_told_and_leaves_nothing(tmp_path):
    with pytest.raises(InputError, match=r"a.xlsx: unknown extension '.xlsx' of a solution; choose one of .json, .csv"):
        PLAIN.save(tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="cannot be written: no such file or folder"):
        PLAIN.save(tmp_path / "no" / "a.csv")
    assert list(tmp_path.iterdir()) == []
    for place in (5, None, b"a.csv"):
        with pytest.raises(InputError, match=f"the file of a solution must be a path, it is {place}"):
            PLAIN.save(place)


def test_what_are_no_axes_is_told():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    star = annealco.solve(nx.star_graph(4), "mis", **BRIEF)
    for wrong in (5, "ax", pyplot.subplots(1, 2)[1], pyplot.figure()):
        with pytest.raises(InputError, match=f"ax must be axes of matplotlib, it is {type(wrong).__name__}$"):
            star.plot(ax=wrong)
    pyplot.close("all")


def test_a_plot_is_on_the_axes_that_are_given():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    star, ring = annealco.solve([nx.star_graph(4), nx.cycle_graph(300)], "mis", **BRIEF)
    figure, (left, right) = pyplot.subplots(1, 2)
    assert star.plot(ax=left) is left
    assert ring.plot(right) is right
    assert "(5 nodes, 4 edges)" in left.get_title()
    assert "(300 nodes, 300 edges)" in right.get_title()
    assert right.get_xlabel() == "seconds"
    own = star.plot()
    assert own.figure is not figure
    texts = own.get_legend_handles_labels()[1]
    assert texts == ["set (4)", "rest (1)", "edges between (4)"]
    pyplot.close("all")


def test_a_solution_without_its_graph_can_be_given_one(monkeypatch):
    with pytest.raises(InputError, match="this solution does not have its graph"):
        PLAIN.plot()
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    axes = PLAIN.plot(graph=nx.Graph([("a", "b"), ("b", 1)]))
    assert axes.get_legend_handles_labels()[1] == ["set (2)", "rest (1)", "edges between (2)"]
    pyplot.close("all")
    with pytest.raises(InputError, match="the solution is not of this graph"):
        PLAIN.plot(graph=nx.path_graph(3))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"a picture needs matplotlib: pip install 'annealco\[report\]'"):
        PLAIN.plot(graph=nx.Graph([("a", "b"), ("b", 1)]))


def test_only_its_own_graph_goes_with_a_copy():
    many = annealco.solve([nx.path_graph(3), nx.path_graph(4)], "mis", **BRIEF)
    batch, number = many[1].source
    assert (batch.num_graphs, number) == (2, 1)
    copy = pickle.loads(pickle.dumps(many[1]))
    assert copy == many[1]
    graph, number = copy.source
    assert (graph.num_graphs, graph.num_nodes, number) == (1, 4, 0)
    assert pickle.loads(pickle.dumps(PLAIN)).source is None


class Cells(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, _attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_notebooks_show_a_table_in_which_labels_are_text():
    hostile = replace(PLAIN, nodes=["<b>", *range(MOST_NODES_SHOWN)], graph="<script>")
    shown = Cells(hostile._repr_html_())
    assert set(shown.tags) == {"table", "caption", "tr", "th", "td"}
    cells = dict(zip(shown.texts[1::2], shown.texts[2::2], strict=True))
    assert shown.texts[0] == "mis"
    assert (cells["graph"], cells["value"], cells["bound"], cells["gap"]) == ("<script>", "2", "3", "33.3 %")
    assert cells["set (21)"].startswith("<b>, 0, 1, ")
    assert cells["set (21)"].endswith("18 and 1 more")
    proven, blank = replace(PLAIN, gap=0.0, optimal=True), replace(PLAIN, bound=None, gap=None)
    assert "0, proven optimal" in proven._repr_html_()
    assert {"none", "unknown"} <= {*Cells(blank._repr_html_()).texts}
