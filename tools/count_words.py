"""Count the words of prose in README and the pages, of this tree or of a commit.

python tools/count_words.py [COMMIT]

Blocks of code, tables, comments and generated parts (between ``<!-- name -->`` and ``<!-- /name -->``) do not count.
"""

from __future__ import annotations

import re
import subprocess
import sys

from documents import ROOT

_LEFT_OUT = (
    re.compile(r"^<!-- (?P<name>[\w -]+) -->$.*?^<!-- /(?P=name) -->$", re.MULTILINE | re.DOTALL),
    re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL),
    re.compile(r"^ *\|.*$", re.MULTILINE),
    re.compile(r"<!--.*?-->", re.DOTALL),
)


def prose_words(text: str) -> int:
    r"""Return the number of words of prose in a page.

    Example:
        >>> prose_words("# Two words\n\n| a | table |\n|---|---|\n\n```sh\na block\n```\n\nand three more\n")
        5
    """
    for pattern in _LEFT_OUT:
        text = pattern.sub("", text)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def pages_of(commit: str | None) -> dict[str, str]:
    """Return the text of README and of every page, by path."""
    if commit is None:
        paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    listed = _git("ls-tree", "-r", "--name-only", commit, "README.md", "docs").splitlines()
    return {path: _git("show", f"{commit}:{path}") for path in listed if path.endswith(".md")}


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Print the words of each page and of all."""
    counts = {path: prose_words(text) for path, text in pages_of(sys.argv[1] if sys.argv[1:] else None).items()}
    for path, count in counts.items():
        print(f"{count:7,}  {path}")
    print(f"{sum(counts.values()):7,}  {len(counts)} pages")


if __name__ == "__main__":
    main()
