"""Words of prose are counted, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from count_words import main, pages_of, prose_words

PAGE = """# One two

Three `four`, five – six.

<!-- table -->
A generated line.
<!-- /table -->

| a | b |
|---|---|

<!-- docs-test: in full -->
```sh
annealco list problems
```
"""


def test_code_tables_comments_and_generated_parts_do_not_count() -> None:
    assert prose_words(PAGE) == 6


def test_the_pages_of_this_tree_are_counted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(sys, "argv", ["count_words.py"])
    main()
    *lines, last = capsys.readouterr().out.splitlines()
    pages = pages_of(None)
    assert {"README.md", "docs/design-notes/models.md"} <= set(pages)
    assert [line.split()[1] for line in lines] == list(pages)
    assert last == f"{sum(map(prose_words, pages.values())):7,}  {len(pages)} pages"
