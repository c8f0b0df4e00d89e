from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.program import Output, assert_one_line, call, run
from tests.evaluation.comparison_rows import row, several_comparisons, write_rows

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def test_a_page_is_written_beside_the_rows_or_elsewhere(tmp_path: Path, capsys: Output) -> None:
    count = several_comparisons(tmp_path)
    assert call("report", tmp_path) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{tmp_path / 'report.html'}: {count} rows of 2 files, " in err
    assert_one_line(err)
    assert call("report", tmp_path, "--out", tmp_path / "page.html") == 0
    for name in ("report.html", "page.html"):
        assert (tmp_path / name).read_text(encoding="ascii").startswith("<!DOCTYPE html>")


def test_bad_input_ends_with_one_line(tmp_path: Path, capsys: Output) -> None:
    def says(rule: str, *arguments: str | Path) -> None:
        assert call("report", *arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert_one_line(err)
        assert rule in err

    says("there is no such folder", tmp_path / "none")
    says("there is no row in it", tmp_path)
    path = write_rows(tmp_path, row("greedy", 0, 15.0))
    says("no such file or folder", tmp_path, "--out", tmp_path / "none" / "page.html")
    says("it is a folder", tmp_path, "--out", tmp_path)
    path.write_text("[]\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    says("rows.jsonl:1: this row of a comparison is damaged: it is no object", tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_a_report_needs_no_heavy_package(tmp_path: Path) -> None:
    write_rows(tmp_path, row("greedy", 0, 15.0))
    program = (
        "import sys; from annealco.cli import main; status = main(sys.argv[1:]); "
        "print({'torch', 'matplotlib', 'plotly', 'lightning'} & set(sys.modules)); sys.exit(status)"
    )
    done = run("report", tmp_path, program=program)
    assert (done.returncode, done.stdout) == (0, "set()\n")


def test_the_commands_of_the_documentation_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"```sh\n(annealco .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines():
        # One graph says whether a command runs.
        assert call(*shlex.split(re.sub(r"--limit \d+", "--limit 1", line))[1:]) == 0
    assert (tmp_path / "runs" / "report.html").stat().st_size > 10_000
