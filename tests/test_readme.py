"""What a newcomer does first works: commands of README and Start as pasted, tables as the rows have them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from first_contact import as_pasted  # noqa: E402

NEEDED = ("README.md", "Makefile", "pyproject.toml", "constraints.txt", "CMakeLists.txt", "docs", "examples")


def copy_of_the_repository(folder: Path) -> None:
    """Make a copy that is set up already: what set-up does is CI's own first step."""
    for name in NEEDED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.prefix, "bin"))
    (folder / ".venv" / ".ready").touch()


@pytest.mark.processes
@pytest.mark.skipif(not Path(sys.prefix, "bin", "activate").exists(), reason="needs the environment of make setup")
@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_commands_work_as_pasted_in_a_shell_with_nothing_activated(name: str, tmp_path: Path) -> None:
    copy_of_the_repository(tmp_path)
    # No environment is active, and the path has what a system has.
    clean = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    clean |= {key: value for key, value in os.environ.items() if key in {"ANNEALCO_DATA", "LANG"}}
    # A pasted line goes to whatever shell there is: nothing of bash is used.
    done = subprocess.run(
        ["sh"], input=as_pasted(ROOT / name), cwd=tmp_path, env=clean, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "proven" in done.stdout


def test_the_readme_fits_on_a_screen_and_a_half() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 110
    assert max(len(line) for line in lines if not line.startswith("|")) <= 120


def test_tables_of_the_readme_are_those_of_the_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import first_page

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert first_page.filled(readme) == readme
    first_page.draw_queens(tmp_path / "queens.png")
    first_page.draw_results(tmp_path / "ratio-time.png")
    assert {path.name for path in first_page.PICTURES.iterdir()} >= {path.name for path in tmp_path.iterdir()}


def test_greedy_misses_what_annealing_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture of the README is true: eight queens is the most, one for each row."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from first_page import SHARES, SIDE, SWEEPS, decode, mean_field_annealing, queens, updated

    from annealco.problems import PROBLEMS

    instance = PROBLEMS["mis"].declare(queens(SIDE).graph)
    assert SHARES[-1] == 1
    assert updated(instance).sum() == SIDE - 1
    assert decode(instance, mean_field_annealing(instance, num_sweeps=SWEEPS)).sum() == SIDE
