from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from json_lines import packed, unpacked
from results_page import ORDER, PAGE, RESULTS, collect, main, part, rounded, versions, written

from annealco.errors import InputError
from annealco.experiments import EXPERIMENTS
from annealco.experiments.beta import BETA
from annealco.experiments.reproduce import reproduce
from annealco.experiments.run_folder import RunFolder
from annealco.experiments.scale import SCALES
from tests.experiments.tiny import TINY, TINY_FIGURE, TINY_TABLE

TEXT = PAGE.read_text(encoding="utf-8")
EMPTY = "# Results\n\nWords.\n\n<!-- versions -->\n<!-- /versions -->\n"


def know_tiny(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(SCALES, "tiny", TINY)
    patch.setitem(EXPERIMENTS, "mis", TINY_TABLE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run of a figure and one of a table."""
    runs = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        know_tiny(patch)
        for name in ("toy", "mis"):
            reproduce(name, TINY, runs / name)
    return runs


@pytest.fixture
def runs(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the runs, to be changed."""
    know_tiny(monkeypatch)
    return Path(shutil.copytree(made, tmp_path / "runs"))


def test_every_experiment_has_its_place() -> None:
    assert sorted(ORDER) == sorted(EXPERIMENTS)


def test_the_page_has_what_the_committed_rows_say() -> None:
    assert written(TEXT, RESULTS) == TEXT
    collected = sorted(path.name for path in RESULTS.iterdir())
    assert sorted(re.findall(r"<!-- ((?!versions|claims|ratios)[a-z-]+) -->", TEXT)) == collected
    assert {name.partition("-")[0] for name in collected} <= set(ORDER)


def cells(line: str) -> list[str]:
    return [each.strip() for each in line.strip("|\n").split("|")]


def test_committed_pictures_are_small_and_nothing_tells_of_the_machine() -> None:
    for path in RESULTS.rglob("*.*"):
        content = path.read_bytes()
        assert len(content) < 150_000 or path.suffix != ".png", path
        assert not re.search(rb"/(home|work|tmp|root|Users)/", content), path


def test_another_figure_in_the_page_or_in_a_row_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / "toy", tmp_path / "toy")
    text = written(EMPTY, tmp_path)
    assert written(text, tmp_path) == text
    assert "| 0 | 4 | 4 | 6 |" in text
    wrong = text.replace("| 0 | 4 | 4 | 6 |", "| 0 | 4 | 5 | 6 |")
    assert written(wrong, tmp_path) == text != wrong
    cells = tmp_path / "toy" / "cells.jsonl"
    cells.write_text(cells.read_text(encoding="utf-8").replace('"plain":4.0', '"plain":5.0', 1), encoding="utf-8")
    assert "| 0 | 4 | 5 | 6 |" in written(text, tmp_path) != text


@pytest.mark.parametrize("name", ["toy", "mis"])
def test_a_collected_run_has_the_tables_of_its_result(name: str, runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "results" / name
    collect(runs / name, out.parent)
    _heading, _, result = (runs / name / "result.md").read_text(encoding="utf-8").partition("\n\n")
    result = result.removeprefix(f"{TINY.caution}\n\n")
    told = result.replace(f"({name}.png)", f"(results/{name}/{name}.png)").rstrip("\n")
    # Which weights a network has is for the rows.
    assert part(out) == re.sub("#[0-9a-f]{8}", "", re.sub("(?m)^## ", "### ", told))
    assert name == "toy" or re.search("#[0-9a-f]{8}", told)
    assert "| search | 2 |" in part(out) or name == "toy"


def test_what_is_collected_is_little_and_tells_nothing_of_the_machine(runs: Path, tmp_path: Path) -> None:
    for name in ("toy", "mis"):
        collect(runs / name, tmp_path / "out")
    files = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*.*")}
    shared = {"mis/config.json", "toy/config.json", "toy/toy.png", "toy/cells.jsonl"}
    assert set(files) == {*shared, "mis/rows.jsonl", "mis/networks.jsonl"}
    assert not any(str(tmp_path.parent).encode() in path.read_bytes() for path in files.values())
    assert "probability" not in files["toy/cells.jsonl"].read_text(encoding="utf-8")
    text = files["mis/rows.jsonl"].read_text(encoding="utf-8")
    # Five methods on two sets.
    assert text.count("\n") == 10
    assert not re.search("trace|bound|budget", text)
    assert len(text) < (runs / "mis" / "rows.jsonl").stat().st_size * 2 / 3
    assert files["toy/toy.png"].stat().st_size < (runs / "toy" / "toy.png").stat().st_size / 2


def cut_last(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("toy", lambda run: cut_last(run / "cells.jsonl")),
        ("toy", lambda run: (run / "result.md").unlink()),
        ("mis", lambda run: cut_last(run / "rows.jsonl")),
        ("mis", lambda run: cut_last(run / "result.md")),
        ("mis", lambda run: (run / "networks" / "field-regular-large" / "state.json").unlink()),
    ],
)
def test_an_unfinished_run_is_refused(name: str, change, runs: Path, tmp_path: Path) -> None:
    change(runs / name)
    command = f"go on with annealco reproduce {name} --scale tiny --out {runs / name}"
    with pytest.raises(InputError) as caught:
        collect(runs / name, tmp_path / "out")
    assert str(caught.value) == f"{runs / name}: this run is not finished; {command}"
    assert not (tmp_path / "out").exists()


def test_an_unfinished_table_is_collected_with_the_reason(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runs / "mis" / "networks" / "field-regular-large" / "state.json").unlink()
    results = tmp_path / "results"
    with pytest.raises(InputError, match="this run is not finished"):
        # Its result says that everything is there.
        collect(runs / "mis", results, "it takes days")
    reproduce("mis", TINY, runs / "mis", only=["greedy_fixed"])
    collect(runs / "mis", results, "it takes days")
    assert [path.name for path in results.iterdir()] == ["mis-tiny"]
    finished = tmp_path / "finished"
    shutil.copytree(runs / "toy", finished / "toy")
    collect(finished / "toy", results, "it takes days")
    text = written(EMPTY, results)
    told = "**Not finished**: it takes days. What is not there:\n\n* regular-large: field-regular-large\n\n### "
    assert f"\n## A tiny table, scale tiny\n\n<!-- mis-tiny -->\n\n{told}" in text
    assert text.count("Not finished") == 1
    assert "`mis`: scale `tiny`" in text or "`toy`, `mis`: scale `tiny`" in text
    assert written(text, results) == text


def test_parts_of_a_table_that_were_run_apart_join(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    know_tiny(monkeypatch)
    results, whole = tmp_path / "results", tmp_path / "whole"
    parts = [["regular-small"], ["regular-large", "field"], ["regular-large", "greedy_fixed", "mean_field", "search"]]
    missing = []
    for number, only in enumerate(parts):
        reproduce("mis", TINY, tmp_path / str(number) / "mis", only=only)
        collect(tmp_path / str(number) / "mis", results, "it takes days")
        found = json.loads(next(results.glob("mis*/config.json")).read_text(encoding="utf-8"))
        missing.append(found.get("missing"))
    assert missing == [["regular-large: everything"], ["regular-large: greedy_fixed, mean_field, search"], None]
    assert [path.name for path in results.iterdir()] == ["mis"]
    collect(runs / "mis", whole)

    def told(folder: Path) -> list[str]:
        # Wall and CPU seconds are others.
        return [" ".join(cells(line)[:5]) for line in part(folder / "mis").splitlines() if line.startswith("| ")]

    assert told(results) == told(whole)


def test_a_part_takes_the_place_of_its_like_and_of_nothing_made_otherwise(runs: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    for _ in range(2):
        reproduce("mis", TINY, tmp_path / "mis", only=["regular-small"])
        collect(tmp_path / "mis", results, "it takes days")
    assert part(results / "mis-tiny").count("| search |") == 1
    config = results / "mis-tiny" / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace('"toy_seeds": 2', '"toy_seeds": 3'), encoding="utf-8")
    with pytest.raises(InputError, match="these rows were made with other settings; delete them first"):
        collect(runs / "mis", results)


def test_a_figure_in_parts_goes_on_from_its_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCALES, "tiny", TINY)
    monkeypatch.setitem(EXPERIMENTS, "toy", TINY_FIGURE)
    run, results = tmp_path / "toy", tmp_path / "results"
    folder = RunFolder(run, name="toy", scale=TINY)
    for number, step in enumerate(TINY_FIGURE.plan(folder)[:2]):
        step.work()
        folder.write_result(TINY_FIGURE.finish(folder))
        if number == 0:
            shutil.copytree(run, tmp_path / "first" / "toy")
    collect(run, results, "it takes days")
    assert json.loads((results / "toy-tiny" / "config.json").read_text(encoding="utf-8"))["missing"] == [
        "field: 1 networks"
    ]
    with pytest.raises(InputError, match=r"the run lacks cells of it; begin with its config\.json and cells\.jsonl"):
        collect(tmp_path / "first" / "toy", results, "it takes days")
    again = tmp_path / "again" / "toy"
    again.mkdir(parents=True)
    for name in ("config.json", "cells.jsonl"):
        shutil.copy(results / "toy-tiny" / name, again)
    assert len(TINY_FIGURE.plan(RunFolder(again, name="toy", scale=TINY))) == 1


def test_what_is_no_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    with pytest.raises(InputError, match=r"there is no config\.json in it"):
        collect(tmp_path / "toy", tmp_path / "out")
    assert not list((tmp_path / "toy").iterdir())


def test_the_program_collects_what_is_finished_and_says_what_is_not(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runs / "mis" / "result.md").unlink()
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "results.md").write_text(EMPTY, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["results_page.py", "--docs", str(docs), "--collect", str(runs)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert re.fullmatch(r"refused: .*/mis: this run is not finished; .*", str(ended.value.code))
    text = (docs / "results.md").read_text(encoding="utf-8")
    assert text.count("<!-- toy -->") == 1
    assert "<!-- mis -->" not in text
    monkeypatch.setattr(sys, "argv", ["results_page.py", "--docs", str(docs)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code is None
    assert (docs / "results.md").read_text(encoding="utf-8") == text


def test_sections_come_in_their_order_and_prose_stays(runs: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    collect(runs / "mis", results)
    text = written(EMPTY, results).replace("<!-- mis -->", "What it shows.\n\n<!-- mis -->") + "\nAnd more.\n"
    collect(runs / "toy", results)
    text = written(text, results)
    places = [text.index(each) for each in ("Words.", "## A toy", "<!-- /toy -->", "## A tiny table", "What it", "And")]
    assert places == sorted(places)
    assert written(text, results) == text
    assert text.count("* `toy`, `mis`: scale `tiny`, annealco ") == 1
    with pytest.raises(InputError, match="the page has no <!-- mis --> with a <!-- /mis --> behind it"):
        written(text.replace("<!-- /mis -->", ""), results)


def test_results_made_with_the_same_share_a_line() -> None:
    made = {"scale": "laptop", "version": "1.0.0", "versions": {"python": "3.11.7"}}
    configs = [{**made, "name": "a"}, {**made, "name": "b", "version": "2.0.0"}, {**made, "name": "c"}]
    assert versions(configs).splitlines() == [
        "* `a`, `c`: scale `laptop`, annealco 1.0.0, python 3.11.7",
        "* `b`: scale `laptop`, annealco 2.0.0, python 3.11.7",
    ]


def test_packed_rows_come_out_as_they_were() -> None:
    key = {"data": "d", "limit": 0.5}
    rows = [
        *({**key, "method": "a", "case": case, "value": None, "note": "same"} for case in range(3)),
        {**key, "method": "b", "case": 0, "value": 7.0, "note": ""},
        {**key, "limit": 1.0, "method": "b", "case": 0, "value": 7.0, "note": ""},
    ]
    lines = packed(rows)
    assert lines[0] == {**key, "method": "a", "case": [0, 1, 2], "value": None, "note": "same"}
    assert len(lines) == 3
    assert unpacked(json.loads(json.dumps(lines))) == rows


def test_rows_keep_as_many_digits_as_the_tables_need() -> None:
    cell = {"learner": "erdos", "beta": 1.0, "seed": 0}
    few = rounded("beta", {"cells.jsonl": [{**cell, "ratio": 0.81234111222}]})
    assert few["cells.jsonl"][0]["ratio"] == 0.812341
    # With 6 digits it would be half a unit of the last one that is shown, and rounded up.
    exact = {"cells.jsonl": [{**cell, "ratio": 0.1234499999}]}
    assert rounded("beta", exact) == exact
    assert BETA.as_markdown(rounded("beta", exact)) == BETA.as_markdown(exact)
