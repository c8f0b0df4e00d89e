from __future__ import annotations

import inspect
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import annealco
from annealco import generate, train
from annealco.baselines import METHODS
from annealco.baselines.learned import LEARNED
from annealco.cli.bench import compare_methods
from tests.cli.program import Output, call, run
from tests.waiting import wait_until

COMMAND = ["bench", "mis", "--data", "rb-small", "--limit", "3", "--moves", "200", "--time-limit", "60"]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path_factory.getbasetemp() / "bench-cache"))


def test_a_table_is_printed_and_rows_are_kept(tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "rows"
    assert call(*COMMAND, "--methods", "greedy_fixed,search", "--out", str(out)) == 0
    printed, err = capsys.readouterr()
    lines = printed.splitlines()
    assert lines[0].split()[:3] == ["method", "graphs", "ratio"]
    assert lines[2].split()[0] == "greedy_fixed"
    assert lines[2].rstrip().endswith("0.761 ± 0.058 in 0.002 s")
    assert "planted optimum (3)" in printed
    assert "200 moves where they are counted, else 60 CPU s per graph; threads: 1; seed: 0" in printed
    assert "6 rows run now" in err
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6
    assert call(*COMMAND, "--methods", "greedy_fixed,search", "--out", str(out)) == 0
    again, err = capsys.readouterr()
    assert again == printed
    assert "0 rows run now" in err


def test_json_has_a_line_a_method(tmp_path: Path, capsys: Output) -> None:
    assert call(*COMMAND, "--methods", "greedy,mean_field", "--out", str(tmp_path), "--json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["method"] for line in lines] == ["greedy", "mean_field"]
    assert lines[0]["ratio"] > 0.7
    assert lines[1]["paper"]["mean"] == 0.784


def test_of_all_graphs_every_so_manieth_may_be_taken(tmp_path: Path, capsys: Output) -> None:
    arguments = ("--data", "ba-small", "--methods", "greedy", "--limit", 2, "--every", 3, "--out", tmp_path, "--json")
    assert call("bench", "mds", *arguments) == 0
    assert json.loads(capsys.readouterr().out)["graphs"] == 2
    assert [json.loads(line)["case"] for line in (tmp_path / "rows.jsonl").read_text().splitlines()] == [0, 3]
    assert call("bench", "mds", *arguments, "--every", 0) == 2
    assert "every must be at least 1, it is 0" in capsys.readouterr().err


def test_networks_are_compared_by_their_folder(tmp_path: Path, capsys: Output) -> None:
    place = tmp_path / "net"
    graphs = generate("regular-small", count=4, seed=1)
    train("mis", graphs, epochs=1, settings={"width": 4, "num_steps": 3}, progress=False, out=place)
    methods = f"annealed={place},annealed+search"
    assert call(*COMMAND, "--methods", methods, "--model", str(place), "--out", str(tmp_path / "rows"), "--json") == 0
    alone, both = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert alone["method"].startswith(f"annealed={place}#")
    assert both["method"].startswith(f"annealed+search={place}#")
    assert alone["feasible"] == both["feasible"] == 1.0
    assert alone["ratio"] <= both["ratio"]
    assert alone["paper"]["mean"] == 0.898
    assert call("bench", "mds", "--data", "ba-small", "--methods", methods, "--model", str(place)) == 2
    assert "was trained for mis" in capsys.readouterr().err


def test_files_and_folders_of_the_user_are_compared_on(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("graphs").mkdir()
    for name, size in (("a", 3), ("b", 5)):
        edges = "".join(f"e {node} {node + 1}\n" for node in range(1, size))
        Path(f"graphs/{name}.col").write_text(f"p edge {size} {size - 1}\n{edges}")
    assert call("bench", "mis", "--data", "graphs", "--methods", "greedy", "--json") == 0
    [line] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (line["graphs"], line["ratio"], line["paper"]) == (2, 1.0, None)
    assert Path("bench/mis-graphs/rows.jsonl").exists()
    two = ["--data", "graphs/a.col", "--data", "graphs/b.col"]
    assert call("bench", "mis", *two, "--methods", "greedy", "--out", "bench/mis-graphs") == 0
    out, err = capsys.readouterr()
    assert "0 rows run now, all 2 are in" in err
    assert "references by graph: best of these methods (2)" in out
    cut = ["bench", "cut", "--data", "graphs", "--methods", "greedy", "--volume", "1:4", "--seed-node", "2", "--json"]
    assert call(*cut) == 0
    assert json.loads(capsys.readouterr().out)["feasible"] == 1.0


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (["nothing"], "unknown data set 'nothing'"),
        (["no/such.col"], "no/such.col: cannot be read: no such file or folder"),
        (["rb-small", "a.col"], "a comparison is on one set or on files: 'rb-small' is a set"),
    ],
)
def test_data_that_are_not_there_are_told(data: list[str], rule: str, capsys: Output) -> None:
    assert call("bench", "mis", *(word for each in data for word in ("--data", each)), "--methods", "greedy") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert rule in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("methods", "rule"),
    [
        ("greedy,mqi", "mqi cannot solve mis here: it is for cuts within volume bounds"),
        ("nobody", "unknown method 'nobody'; choose from "),
        ("annealed=/no/such/folder", "/no/such/folder: there is no trained model in it"),
    ],
)
def test_bad_methods_end_with_one_line(tmp_path: Path, capsys: Output, methods: str, rule: str) -> None:
    assert call(*COMMAND, "--methods", methods, "--out", str(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert rule in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_interrupt_says_that_the_rows_are_kept(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("annealco.evaluation.bench.comparison.run_safely", interrupt)
    assert call(*COMMAND, "--methods", "greedy", "--out", str(tmp_path)) == 130
    assert f"interrupted: the rows so far are in {tmp_path}; the same command goes on" in capsys.readouterr().err


DYING = """
import signal, sys
from annealco.cli import main
from tests.signalling import signal_after_lines

signal_after_lines(5, signal.SIGKILL)
main(sys.argv[1:])
"""


@pytest.mark.processes
def test_a_killed_process_and_its_successor_write_what_one_would_have(tmp_path: Path) -> None:
    given = ["bench", "mis", "--data", "rb-small", "--limit", 4, "--moves", 2000, "--methods", "greedy,search"]
    killed = run(*given, "--out", tmp_path / "killed", program=DYING)
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "killed" / "rows.jsonl").read_bytes().count(b"\n") == 5
    found = []
    for folder in ("killed", "whole"):
        assert call(*given, "--out", tmp_path / folder) == 0
        rows = [json.loads(line) for line in (tmp_path / folder / "rows.jsonl").read_text("utf-8").splitlines()]
        found.append(sorted((row["case"], row["method"], row["value"]) for row in rows))
    assert len(found[0]) == 8
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("written", range(1, 24, 4))
def test_a_process_that_is_killed_at_any_moment_keeps_its_rows(written: int, tmp_path: Path) -> None:
    given = ["bench", "mis", "--data", "rb-small", "--limit", 12, "--moves", 20000, "--methods", "greedy,search"]
    command = [sys.executable, "-m", "annealco", *map(str, given), "--out", str(tmp_path)]
    path = tmp_path / "rows.jsonl"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= written, lambda: process.poll() is None)
        process.kill()
    before = path.read_bytes()
    assert call(*given, "--out", tmp_path) == 0
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert path.read_bytes().count(b"\n") == 24


def test_the_page_names_every_method_and_option() -> None:
    page = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text(encoding="utf-8")
    methods = page.partition("| method | problems | needs |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in methods.splitlines()[2:]]
    named = {name.removesuffix("=DIR") for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert named == {*METHODS, *LEARNED}
    options = page.partition("| option | meaning | default |")[2].partition("\n\n")[0]
    flags = {re.findall(r"--[a-z-]+", line)[0] for line in options.splitlines()[2:]}
    names = set(inspect.signature(compare_methods).parameters) - {"context", "problem"}
    assert flags == {"--json" if name == "as_json" else f"--{name.replace('_', '-')}" for name in names}


def test_options_are_the_arguments_of_the_function_with_its_defaults():
    options = inspect.signature(compare_methods).parameters
    arguments = inspect.signature(annealco.bench).parameters
    other = {"context", "data", "as_json"}, {"graphs", "progress", "options"}
    assert {*options} - other[0] == {*arguments} - other[1]
    # What files call their parts has no default on the command line, where nothing is given as nothing.
    named = {"node_weight", "edge_weight"}
    for name in {*options} - other[0] - named:
        assert options[name].default == arguments[name].default, name
