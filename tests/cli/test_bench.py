from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import Output, call

COMMAND = ["bench", "mis", "--data", "rb-small", "--limit", "3", "--moves", "200", "--time-limit", "0.1"]


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
    assert "limit: 200 moves where they are counted, else 0.1 CPU s a graph, 1 thread(s), seed 0" in printed
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


@pytest.mark.parametrize(
    ("methods", "rule"),
    [
        ("greedy,mqi", "mqi cannot solve mis here: it is for cuts within volume bounds"),
        ("nobody", "unknown method 'nobody'; choose from "),
        ("annealed=/no/such/folder", "unknown model '/no/such/folder'"),
    ],
)
def test_bad_methods_end_with_one_line(tmp_path: Path, capsys: Output, methods: str, rule: str) -> None:
    assert call(*COMMAND, "--methods", methods, "--out", str(tmp_path)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert rule in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
