"""Files of solutions: what they hold, and that they can be continued from any state that a kill leaves."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph
from annealco.solving import result_files
from annealco.solving.result_files import COLUMNS, key_of, open_results
from annealco.solving.solution import Solution

SETTINGS = {"problem": "mis", "moves": 9}
ENDINGS = ["jsonl", "csv", "parquet"]


def solution(name: str, *nodes: Any, **fields: Any) -> Solution:
    given = {"bound": None, "gap": None, "optimal": False, "method": "search", "seconds": 0.5, "seed": 0}
    return Solution("mis", list(nodes), float(len(nodes)), True, graph=name, **{**given, **fields})


def write(path: Path | str, solutions: dict[str, Solution], *, finish: bool = True) -> list[str]:
    """Write those solutions that are missing, and return their keys."""
    with open_results(path, SETTINGS) as results:
        keys = list(solutions)
        missing = [keys[number] for number in results.missing(None, keys)]
        for key in missing:
            results.write(None, key, solutions[key])
        if finish:
            results.finish()
    return missing


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_csv(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts = {"graph", "problem", "method", "key"}
    return [{name: cell if name in texts else json.loads(cell or "null") for name, cell in row.items()} for row in rows]


def read_parquet(path: Path) -> list[dict[str, Any]]:
    pandas = pytest.importorskip("pyarrow.parquet")
    rows = pandas.read_table(path).to_pylist()
    return [row | {"settings": json.loads(row["settings"]), "seed": int(row["seed"])} for row in rows]


READERS: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
    "jsonl": read_jsonl,
    "csv": read_csv,
    "parquet": read_parquet,
}


@pytest.fixture(params=ENDINGS)
def out(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    return tmp_path / f"sets.{request.param}"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return READERS[path.suffix[1:]](path)


def test_rows_hold_what_a_solution_is(out: Path) -> None:
    given = {
        "k1": solution("a,b", 1, 5, bound=2.0, gap=0.0, optimal=True),
        "k2": solution('say "x"', seed=2**70),
    }
    write(out, given)
    expected = [each.to_dict() | {"key": key, "settings": SETTINGS} for key, each in given.items()]
    assert rows_of(out) == expected
    assert list(rows_of(out)[0]) == list(COLUMNS)
    visible = [path.name for path in out.parent.iterdir() if not path.name.startswith(".")]
    assert visible == [out.name]


def test_labels_of_all_kinds_are_kept(out: Path) -> None:
    write(out, {"k": solution("two\nlines", "a", 'b,"c"', 3, (1, 2), "é\n")})
    [row] = rows_of(out)
    if out.suffix == ".parquet":
        assert row["nodes"] == ["a", 'b,"c"', "3", "[1, 2]", "é\n"]
    else:
        assert row["nodes"] == ["a", 'b,"c"', 3, [1, 2], "é\n"]
    assert row["graph"] == ("two\\nlines" if out.suffix == ".csv" else "two\nlines")


def test_names_that_are_no_unicode_are_kept_or_escaped(out: Path) -> None:
    # Python reads names of files so that are not UTF-8, and labels of JSON such as "\\ud800".
    graph = as_graph(nx.path_graph(["\ud800", "b"]))
    key = key_of(graph, "x\udcff")
    assert key != key_of(graph, "x")
    write(out, {key: solution("x\udcff", "\ud800")})
    [row] = rows_of(out)
    assert row["graph"] == ("x\udcff" if out.suffix == ".jsonl" else "x\\udcff")
    assert row["nodes"] == (["\\ud800"] if out.suffix == ".parquet" else ["\ud800"])
    assert write(out, {key: solution("x\udcff", "\ud800")}) == []


def test_what_is_there_is_not_wanted_again(out: Path) -> None:
    first = {key: solution(key, 1) for key in ("a", "b")}
    assert write(out, first) == ["a", "b"]
    assert write(out, first) == []
    more = {key: solution(key, 2) for key in ("c", "b", "d")}
    assert write(out, more) == ["c", "d"]
    assert [(row["key"], row["nodes"]) for row in rows_of(out)] == [("a", [1]), ("b", [1]), ("c", [2]), ("d", [2])]


def test_a_row_of_any_length_can_be_continued(out: Path) -> None:
    given = {"a": solution("a", *range(30_000)), "b": solution("b", *map(str, range(30_000)))}
    write(out, given)
    assert write(out, given) == []


def test_equal_graphs_are_counted(tmp_path: Path) -> None:
    with open_results(tmp_path / "a.jsonl", SETTINGS) as results:
        assert results.missing(None, ["a", "a", "b"]) == [0, 1, 2]
        results.write(None, "a", solution("x"))
    with open_results(tmp_path / "a.jsonl", SETTINGS) as results:
        assert results.missing(None, ["a", "a", "b"]) == [1, 2]


def test_any_beginning_of_a_file_can_be_continued(tmp_path: Path) -> None:
    given = {key: solution(key, "ä", 2) for key in ("a", "b")}
    for ending in ("jsonl", "csv"):
        write(tmp_path / f"whole.{ending}", given)
        content = (tmp_path / f"whole.{ending}").read_bytes()
        for length in range(len(content)):
            path = tmp_path / f"part.{ending}"
            path.write_bytes(content[:length])
            write(path, given)
            assert path.read_bytes() == content


def test_a_kill_while_parquet_is_written_neither_loses_nor_doubles_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    out, lines = tmp_path / "a.parquet", tmp_path / "a.parquet.jsonl"
    monkeypatch.setattr(result_files, "ROWS_AT_ONCE", 2)
    given = {str(key): solution(str(key), key) for key in range(5)}
    write(out, given, finish=False)
    assert not out.exists()
    content = lines.read_bytes()
    write(out, given)
    assert not lines.exists()
    complete = rows_of(out)
    assert [row["nodes"] for row in complete] == [[0], [1], [2], [3], [4]]
    # The new file is there, and the kill came before its lines were removed.
    lines.write_bytes(content)
    assert write(out, given) == []
    assert rows_of(out) == complete
    # Labels that are no integers make text of those that are there.
    write(out, given | {"5": solution("5", "x")})
    assert [row["nodes"] for row in rows_of(out)] == [["0"], ["1"], ["2"], ["3"], ["4"], ["x"]]


def test_other_settings_are_refused_by_name(out: Path) -> None:
    write(out, {"a": solution("a")})
    before = out.read_bytes()
    for settings, rule in (
        ({"problem": "mis", "moves": 8}, "it was written with moves 9, now moves is 8"),
        ({"problem": "mds", "moves": 9}, 'it was written with problem "mis", now problem is "mds"'),
        ({"problem": "mis"}, "it was written with moves 9, now it is the default"),
        ({**SETTINGS, "seed": 3}, "it was written with the default seed, now seed is 3"),
    ):
        with pytest.raises(InputError) as error, open_results(out, settings):
            pass
        assert str(error.value) == f"{out}: {rule}; give another --out, or the same settings"
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("a.jsonl", "{}\n", "a.jsonl:1: this is no row of solutions"),
        ("a.jsonl", "[[[\n", "a.jsonl:1: this is no row of solutions"),
        ("a.jsonl", '{"key": 3, "settings": {}}\n', "a.jsonl:1: this is no row of solutions"),
        ("a.jsonl", "\xff\n", "a.jsonl:1: this is no row of solutions"),
        ("a.csv", "x,y\n1,2\n", "a.csv:1: this is no table of solutions"),
        ("a.csv", ",".join(COLUMNS) + "\n1,2\n", "a.csv:2: this is no row of solutions"),
        ("a.parquet", "PAR1", "a.parquet: this is no Parquet file of solutions"),
        # A last line without an end may be a row that a kill cut off, but not any text is one.
        ("a.jsonl", '{"precious": 1}', "a.jsonl:1: this is no row of solutions"),
        ("a.jsonl", "\xff", "a.jsonl:1: this is no row of solutions"),
        ("a.csv", "0,1", "a.csv:1: this is no row of solutions"),
    ],
)
def test_other_files_are_left_alone(name: str, content: str, rule: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match=rule), open_results(tmp_path / name, SETTINGS):
        pass
    assert (tmp_path / name).read_text(encoding="latin-1") == content


def test_a_table_of_something_else_is_no_parquet_file_of_solutions(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table({"x": [1]}), tmp_path / "a.parquet")
    with (
        pytest.raises(InputError, match=r"a.parquet: this is no table of solutions"),
        open_results(tmp_path / "a.parquet", SETTINGS),
    ):
        pass


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        *(("settings", cell) for cell in (None, "{", "[]", 5)),
        *(("key", cell) for cell in (None, 5)),
        *(("nodes", cell) for cell in (None, 5, [None], [0.5])),
    ],
)
def test_a_row_of_something_else_is_told_with_its_place(column: str, cell: Any, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    write(path, {"a": solution("a", 1)})
    rows = parquet.read_table(path)
    place = rows.schema.names.index(column)
    parquet.write_table(rows.set_column(place, column, arrow.array([cell])), path)
    before = path.read_bytes()
    with pytest.raises(InputError) as error:
        write(path, {"b": solution("b", 2)})
    assert str(error.value) == f"{path}: row 0 is no row of solutions; give another file"
    assert path.read_bytes() == before


def test_a_column_of_other_types_is_told_and_costs_no_row(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    write(path, {"a": solution("a", 1)})
    rows = parquet.read_table(path)
    parquet.write_table(rows.set_column(rows.schema.names.index("method"), "method", arrow.array([5])), path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"a.parquet: this is no Parquet file of solutions: "):
        write(path, {"b": solution("b", 2)})
    assert path.read_bytes() == before
    assert [row["key"] for row in read_jsonl(tmp_path / "a.parquet.jsonl")] == ["b"]


def test_places_that_cannot_be_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InputError, match=r"unknown extension '.xlsx' of a file of solutions; choose one of .jsonl, .csv"
    ):
        open_results(tmp_path / "a.xlsx", SETTINGS)
    with (
        pytest.raises(InputError, match="cannot be written: no such folder"),
        open_results(tmp_path / "x/a.csv", SETTINGS),
    ):
        pass
    (tmp_path / "plain").write_text("")
    with pytest.raises(InputError, match="it is a file without one of the extensions"):
        open_results(tmp_path / "plain", SETTINGS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"a Parquet file needs pyarrow: pip install 'annealco\[parquet\]'"):
        open_results(tmp_path / "a.parquet", SETTINGS)


@pytest.mark.parametrize("name", ["a.jsonl", "folder/"])
def test_two_runs_do_not_write_to_one_place(name: str, tmp_path: Path) -> None:
    place = f"{tmp_path}/{name}"
    with (
        open_results(place, SETTINGS),
        pytest.raises(InputError, match="another run is writing to this"),
        open_results(place, SETTINGS),
    ):
        pass
    with open_results(place, SETTINGS):
        pass


def test_keys_tell_graphs_apart_by_all_that_counts() -> None:
    path = as_graph(nx.path_graph(3))
    others = [
        key_of(path, "p"),
        key_of(path, "q"),
        key_of(as_graph(nx.path_graph(4)), "p"),
        key_of(path.with_weights(node_weight=[1, 2, 1]), "p"),
        key_of(path.with_weights(edge_weight=[1, 2]), "p"),
        key_of(as_graph(nx.path_graph(["a", "b", "c"])), "p"),
    ]
    assert len({*others}) == len(others)
    assert key_of(Graph.from_edges([[1, 0], [2, 1]]), "p") == key_of(Graph.from_edges([[0, 1], [1, 2]]), "p")


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    path = tmp_path / "shard.npz"
    path.write_bytes(b"1234")
    return path


def fill(folder: Path, shard: Path, keys: str, *, most: int = 9) -> str:
    """Write at most so many of the rows that are missing, and return the keys that were."""
    with open_results(f"{folder}/", SETTINGS) as results:
        if results.is_done(shard):
            return "done"
        missing = [keys[number] for number in results.missing(shard, keys)]
        for key in missing[:most]:
            results.write(shard, key, solution(key))
        results.finish()
    return "".join(missing)


def test_a_folder_has_a_file_for_each_file_and_reads_what_is_done_no_more(tmp_path: Path, shard: Path) -> None:
    folder = tmp_path / "out"
    assert fill(folder, shard, "abc", most=1) == "abc"
    assert [row["key"] for row in read_jsonl(folder / "shard.npz.part")] == ["a"]
    assert not (folder / "shard.npz.jsonl").exists()
    assert fill(folder, shard, "abc") == "bc"
    assert [row["key"] for row in read_jsonl(folder / "shard.npz.jsonl")] == ["a", "b", "c"]
    assert not (folder / "shard.npz.part").exists()
    assert fill(folder, shard, "never read") == "done"
    assert json.loads((folder / "settings.json").read_text()) == SETTINGS


def test_a_file_that_has_changed_keeps_the_rows_of_graphs_that_it_still_has(tmp_path: Path, shard: Path) -> None:
    folder = tmp_path / "out"
    fill(folder, shard, "abc")
    shard.write_bytes(b"12345")
    assert fill(folder, shard, "cxa") == "x"
    assert [row["key"] for row in read_jsonl(folder / "shard.npz.jsonl")] == ["a", "c", "x"]
    shard.write_bytes(b"1")
    assert fill(folder, shard, "") == ""
    assert read_jsonl(folder / "shard.npz.jsonl") == []
    assert fill(folder, shard, "") == "done"


def test_a_kill_between_the_last_row_and_the_mark_of_a_file_costs_nothing(tmp_path: Path, shard: Path) -> None:
    folder = tmp_path / "out"
    fill(folder, shard, "ab")
    complete = (folder / "shard.npz.jsonl").read_bytes()
    (folder / "shards.jsonl").write_text('{"file": "sha')
    assert fill(folder, shard, "ab") == ""
    assert (folder / "shard.npz.jsonl").read_bytes() == complete
    assert fill(folder, shard, "ab") == "done"
    (folder / "shard.npz.jsonl").unlink()
    assert fill(folder, shard, "ab") == "ab"


@pytest.mark.parametrize("most", [1, 9])
def test_without_the_file_of_settings_the_rows_of_a_folder_tell_them(most: int, tmp_path: Path, shard: Path) -> None:
    folder = tmp_path / "out"
    fill(folder, shard, "ab", most=most)
    (folder / "settings.json").unlink()
    (folder / "notes.jsonl").write_text("none of ours\n")
    (folder / "more.jsonl").write_text('{"key": 3, "settings": {}}\n')
    (folder / "folder.part").mkdir()
    before = {each.name: each.read_bytes() for each in folder.glob("*") if each.is_file()}
    with (
        pytest.raises(InputError, match=r"shard\.npz\.\w+: it was written with moves 9, now moves is 1; give another"),
        open_results(f"{folder}/", SETTINGS | {"moves": 1}),
    ):
        pass
    assert {each.name: each.read_bytes() for each in folder.glob("*") if each.is_file()} == before
    assert fill(folder, shard, "ab") == ("b" if most == 1 else "done")
    assert json.loads((folder / "settings.json").read_text()) == SETTINGS


def test_a_folder_refuses_what_it_cannot_tell_apart_or_read(tmp_path: Path, shard: Path) -> None:
    folder = tmp_path / "out"
    fill(folder, shard, "ab")
    with (
        pytest.raises(InputError, match="it was written with moves 9, now moves is 1"),
        open_results(f"{folder}/", {"problem": "mis", "moves": 1}),
    ):
        pass
    other = tmp_path / "other" / "shard.npz"
    other.parent.mkdir()
    other.write_bytes(b"1")
    with open_results(folder, SETTINGS) as results:
        assert results.is_done(shard)
        with pytest.raises(InputError, match=f"the solutions of {shard} and {other} would be one file"):
            results.is_done(other)
        with pytest.raises(InputError, match=r"would be shards\.jsonl, which says what is done"):
            results.is_done(tmp_path / "shards")
        with pytest.raises(InputError, match="a folder takes the graphs of files"):
            results.missing(None, ["a"])
    (folder / "shards.jsonl").write_text("{}\n")
    with (
        pytest.raises(InputError, match=r"shards.jsonl:1: this is no line about a file that is done"),
        open_results(folder, SETTINGS),
    ):
        pass
    (folder / "settings.json").write_text("[]")
    with (
        pytest.raises(InputError, match=r"settings.json: these are no settings of solutions"),
        open_results(folder, SETTINGS),
    ):
        pass
