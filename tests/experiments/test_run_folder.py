from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from annealco import __version__
from annealco.errors import InputError
from annealco.experiments import run_folder
from annealco.experiments.run_folder import STARTUP, RunFolder, Step, as_list, as_number, as_table, run_steps, time_left
from tests.experiments.tiny import TINY


def test_the_configuration_says_whose_folder_it_is(tmp_path: Path) -> None:
    RunFolder(tmp_path / "new" / "run", name="toy", scale=TINY)
    config = json.loads((tmp_path / "new" / "run" / "config.json").read_text(encoding="utf-8"))
    assert (config["name"], config["scale"], config["version"], config["seed"]) == ("toy", "tiny", __version__, 0)
    assert config["settings"]["table"]["field"]["epochs"] == TINY.table["field"].epochs
    assert {"python", "torch", "numpy"} <= set(config["versions"])
    assert config["versions"]["python"].count(".") == 2


def test_a_folder_of_another_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(rule: str, **changed: object) -> None:
        given = {"name": "toy", "scale": TINY, **changed}
        with pytest.raises(InputError, match=rule) as caught:
            RunFolder(tmp_path, **given)
        assert "\n" not in str(caught.value)

    RunFolder(tmp_path, name="toy", scale=TINY)
    RunFolder(tmp_path, name="toy", scale=TINY)
    refuses("its name is 'toy', not 'mis'", name="mis")
    refuses("its scale is 'tiny', not 'large'", scale=replace(TINY, name="large"))
    refuses("the numbers of scale 'tiny' were others", scale=replace(TINY, toy_seeds=9))
    monkeypatch.setattr(run_folder, "__version__", "9.9.9")
    refuses(f"its version is '{__version__}', not '9.9.9'")
    for damaged in ("{", "[]", '{"format": "another"}'):
        (tmp_path / "config.json").write_text(damaged, encoding="utf-8")
        refuses("config.json: this is no configuration of an experiment")


def test_what_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"there are files in it, but no config\.json"):
        RunFolder(tmp_path, name="toy", scale=TINY)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(InputError, match=r"notes\.txt"):
        RunFolder(tmp_path / "notes.txt", name="toy", scale=TINY)
    (tmp_path / "notes.txt").rename(tmp_path / ".0123456789abcdef.tmp")
    RunFolder(tmp_path, name="toy", scale=TINY)


def test_notes_stand_below_the_result_each_once(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="toy", scale=TINY)
    folder.write_result("# Result\n")
    assert (tmp_path / "result.md").read_text(encoding="utf-8") == "# Result\n"
    for text in ("one", "two", "one"):
        folder.note(text)
    folder.write_result("# Result")
    assert (tmp_path / "result.md").read_text(encoding="utf-8") == "# Result\n\n* one\n* two\n"
    assert folder.network("a") == tmp_path / "networks" / "a"


def test_every_line_tells_the_step_and_the_time_left() -> None:
    now: list[float] = [100.0]
    said: list[str] = []

    def work(seconds: float) -> None:
        now[0] += seconds

    # The guess is half of the truth, also for loading packages, which the first step does.
    seconds = [2 * (STARTUP + 10.0), 20.0, 20.0]
    steps = [Step(f"step {number}", 10.0, partial(work, each)) for number, each in enumerate(seconds)]
    run_steps(steps, tell=said.append, clock=lambda: now[0])
    assert said == [
        "1/3 step 0, about 40 s left",
        "2/3 step 1, about 40 s left",
        "3/3 step 2, about 20 s left",
    ]


def test_guesses_are_corrected_by_the_speed_so_far() -> None:
    assert time_left(spent=0.0, done=0.0, total=100.0) == 100.0
    assert time_left(spent=50.0, done=25.0, total=100.0) == 150.0
    assert time_left(spent=0.0, done=0.0, total=0.0) == 0.0


def test_an_error_ends_the_steps() -> None:
    done = []

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_steps([Step("a", 1, fail), Step("b", 1, lambda: done.append("b"))], tell=lambda _: None)
    assert not done


def test_tables_have_a_line_of_dashes_and_as_many_cells_everywhere() -> None:
    lines = as_table(["a", "b", "c"], [["1", "2", "x|y"], ["", "-", "3"]]).splitlines()
    assert lines[1] == "|---|---|---|"
    assert [line.replace(r"\|", "").count("|") for line in lines] == [4] * 4


def test_numbers_and_lists() -> None:
    assert as_number(1 / 3, 0.25, 2) == "0.33 ± 0.25"
    assert as_number(2) == "2.0000"
    assert as_list(["a * b", "* c"]) == "* a * b\n* \\* c"
    assert as_list([]) == ""
