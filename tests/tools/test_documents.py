"""Blocks and commands are found in a document."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from documents import blocks, inline_commands

TEXT = """Some `annealco list problems` and `make test`.

```sh
annealco data list   # a comment
# another

torchrun one \\
  two
```

<!-- docs-test: needs data -->
```console
$ annealco solve mis a#b.col
graph  nodes
```

```python
x = 1  # `make tea`
```
"""


def test_blocks_have_lines_markers_and_commands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT, encoding="utf-8")
    shell, console, python = blocks(page)
    assert (shell.language, shell.line, shell.marker) == ("sh", 3, "")
    assert shell.commands() == ["annealco data list", "torchrun one    two"]
    assert (console.line, console.marker) == (12, "needs data")
    assert console.commands() == ["annealco solve mis a#b.col"]
    assert (python.code, python.commands()) == ("x = 1  # `make tea`\n", [])
    assert inline_commands(page) == ["annealco list problems", "make test"]
