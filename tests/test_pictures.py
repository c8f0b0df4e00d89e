from __future__ import annotations

import sys
from pathlib import Path

import pytest

from annealco.graph.errors import InputError
from annealco.pictures import COLOURS, MARKS, check_drawing, dress, new_figure, write_picture


def test_one_figure_makes_one_file(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        figure = new_figure(3, 2)
        axes = figure.add_subplot()
        axes.plot([1, 2], color=COLOURS[0], marker=MARKS[0])
        dress(axes, title="title", x="across", y="up")
        assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("title", "across", "up")
        write_picture(figure, tmp_path / name)
    content = (tmp_path / "a.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert content == (tmp_path / "b.png").read_bytes()
    with pytest.raises(InputError, match="no such file or folder"):
        write_picture(figure, tmp_path / "none" / "a.png")


def test_without_matplotlib_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    check_drawing()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"a picture needs matplotlib: pip install 'annealco\[report\]'"):
        check_drawing()
