"""The references on the site are those of the program."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from reference_pages import command_reference, on_page_markdown


def test_every_command_has_a_section_with_its_options() -> None:
    text = command_reference()
    for name in (
        "",
        " solve",
        " train",
        " bench",
        " report",
        " reproduce",
        " data make",
        " data verify",
        " list problems",
    ):
        assert f"## annealco{name}\n" in text
    train = text.partition("## annealco train\n")[2].partition("\n## ")[0]
    assert "Train a network without labels" in train
    assert "| `--epochs " in train
    assert r"NAME\|PATH" in train
    assert "* [`annealco data make`](#annealco-data-make)" in text


def test_pages_are_filled_where_they_ask_for_it() -> None:
    assert on_page_markdown("as it is") == "as it is"
    assert on_page_markdown("a\n\n<!-- names: annealco.solve annealco.train -->\n") == (
        "a\n\n::: annealco.solve\n\n::: annealco.train\n"
    )
    assert "## annealco solve" in on_page_markdown("<!-- commands -->")
