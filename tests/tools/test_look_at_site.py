"""What is wrong with a page in a browser is said, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.browser import needs_browser

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from look_at_site import main, problems_of

HEAD = '<!DOCTYPE html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body>'
WIDE = '<table style="width: 1500px"><tr><td>1</td></tr></table>'
PAGES = {
    "broken.html": '<article><p>See <img src="none.png"></p></article>',
    "escaped.html": r"<article><table><tr><td><code>A\|B</code></td></tr></table></article>",
    "good.html": f'<article>φ is 1/2, <code>$x_i$</code>, rb_graph<div style="overflow-x: auto">{WIDE}</div></article>',
    "noisy.html": "<article>Fine</article><script>throw new Error('no')</script>",
    "tex.html": r"<article><p>Let $x$ be \(y\), and Σ_{i} d_i.</p></article>",
    "wide.html": f"<article>{WIDE}</article>",
}


@pytest.mark.processes
@needs_browser
def test_each_fault_is_found_on_its_page(tmp_path: Path) -> None:
    for name, body in PAGES.items():
        (tmp_path / name).write_text(f"{HEAD}{body}</body></html>", encoding="utf-8")
    found = list(problems_of(tmp_path, sorted(PAGES), tmp_path / "pictures"))

    def told(name: str) -> list[str]:
        return [line.partition(": ")[2] for line in found if line.startswith(f"{name}, phone: ")]

    assert not told("good.html")
    assert told("escaped.html") == [r'an escape: code "A\|B"']
    assert any(each.startswith("no picture: ") for each in told("broken.html"))
    assert [each for each in told("noisy.html") if "Error: no" in each]
    assert told("tex.html") == [f"a formula in TeX: {tex}" for tex in ("$x$", r"\(", "_{", "d_i")]
    assert any(each.endswith(" wide") for each in told("wide.html"))
    assert len(list((tmp_path / "pictures").iterdir())) == 2 * len(PAGES)


@needs_browser
def test_a_folder_without_a_site_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(sys, "argv", ["look_at_site.py", "--site", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "there is no index.html; run `make docs` first" in capsys.readouterr().err
