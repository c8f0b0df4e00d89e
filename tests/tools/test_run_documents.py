"""Documents are run, and what fails in them is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from run_documents import main

PAGE = """```python
from pathlib import Path

Path("made").write_text("by a program")
```

```sh
cat made > copy
ls examples/graphs/queens.col
```

<!-- docs-test: skip, it would fail -->
```sh
false
```

```python
assert Path("copy").read_text() == "by a program"
```
"""


def run(page: Path, text: str, output: pytest.CaptureFixture[str]) -> tuple[int, str]:
    page.write_text(text, encoding="utf-8")
    return main([str(page)]), output.readouterr().out


def test_steps_see_what_those_before_them_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", "")
    status, told = run(tmp_path / "page.md", PAGE, capsys)
    assert status == 0
    assert told.endswith("4 run, 0 failed, 1 left out\n")
    assert "left out: it would fail" in told


@pytest.mark.parametrize("block", ["```sh\necho why; false\n```\n", "```python\nraise ValueError('why')\n```\n"])
def test_failures_are_told_and_the_rest_is_run(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", "")
    status, told = run(tmp_path / "page.md", block + PAGE, capsys)
    assert status == 1
    assert "why\n" in told
    assert "4 run, 1 failed, 1 left out\nfailed: page.md:1: " in told
