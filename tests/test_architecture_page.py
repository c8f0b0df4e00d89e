"""The page on the architecture names what exists."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "annealco"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_HOPS = 20


def find(name: str) -> Any:
    """Return what a dotted name means: the longest module that it begins with, then attributes."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"there is no {name}")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(annealco(?:\.\w+)+)`", PAGE))))
def test_every_name_exists(name: str) -> None:
    assert find(name) is not None


@pytest.mark.parametrize("command", ["solve", "train", "bench"])
def test_paths_are_short_and_each_hop_is_a_function_or_class(command: str) -> None:
    section = PAGE.partition(f"## The path of `{command}`\n")[2].partition("\n## ")[0]
    hops = re.findall(r"^(\d+)\. `(annealco(?:\.\w+)+)`", section, flags=re.MULTILINE)
    assert [int(number) for number, _ in hops] == list(range(1, len(hops) + 1))
    assert 10 <= len(hops) <= MOST_HOPS
    assert len(hops) == len(re.findall(r"^\d+\. ", section, flags=re.MULTILINE))
    assert all(callable(find(name)) for _, name in hops)


def test_every_folder_of_the_source_has_its_paragraph_and_stands_in_the_tree() -> None:
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py")} - {"."}
    assert set(re.findall(r"^\*\*`([\w/]+)`\*\* ", PAGE, flags=re.MULTILINE)) == folders
    tree = PAGE.partition("```text\n")[2].partition("```")[0]
    assert set(re.findall(r"(\w+)/", tree)) - {"src", "annealco", "native"} == {each.split("/")[-1] for each in folders}


def test_the_layers_are_those_that_are_checked() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = settings.partition("layers = [")[2].partition("]")[0]
    checked = [re.findall(r"annealco\.([\w.]+)", line) for line in listed.splitlines() if "annealco." in line]
    table = PAGE.partition("| layer | depends on |\n|---|---|\n")[2].partition("\n\n")[0]
    assert [re.findall(r"`([\w.]+)`", row.split("|")[1]) for row in table.splitlines()] == checked
