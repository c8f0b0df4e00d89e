"""What the documents say is true: their programs run, their figures are what the commands print."""

import re
import shlex
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

import annealco
from annealco.cli import app
from annealco.cli.problem_options import PROBLEM, ProblemCommand, named_problem
from annealco.errors import InputError

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from documents import LANGUAGES, blocks, documents, inline_commands, pages  # noqa: E402

PROGRAM = typer.main.get_command(app)
DOCUMENTS = [path.relative_to(ROOT).as_posix() for path in documents()]


def python_blocks(path):
    return [block.code for block in blocks(ROOT / path) if block.language == "python"]


@pytest.mark.parametrize(
    "path",
    # The programs of the tutorial need what its commands make; `make docs-test` runs both.
    [path for path in DOCUMENTS if python_blocks(path) and path != "docs/tutorial.md"],
)
def test_programs_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    blocks = python_blocks(path)
    assert blocks
    exec(compile("\n".join(blocks), path, "exec"), {"__name__": "document"})


@pytest.mark.parametrize(
    "table",
    [
        "penalty_rows",
        "heavier_rows",
        "reading_rows",
        "tie_rows",
        "range_rows",
        pytest.param("box_rows", marks=pytest.mark.slow),
    ],
)
def test_figures_of_the_mathematics_are_what_the_command_prints(table, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import errata

    text = (ROOT / "docs/mathematics.md").read_text(encoding="utf-8")
    rows = getattr(errata, table)()
    assert rows
    for row in rows:
        assert row in text, row


def test_links_between_documents_lead_somewhere():
    for path in documents():
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


@pytest.mark.parametrize("path", DOCUMENTS)
def test_blocks_say_what_they_are_and_how_they_are_run(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    found = list(blocks(ROOT / path))
    assert text.count("\n```") == 2 * len(found)
    assert text.count("<!-- docs-test") == sum(bool(block.marker) for block in found)
    for block in found:
        assert block.language in LANGUAGES, f"{path}:{block.line}"
        assert re.fullmatch(r"|skip, \w.+|needs [\w ]+|with [a-z ]+ -.+|in full", block.marker), block.marker
        if block.language in {"text", "xml"}:
            assert not re.search(r"^(\$ |annealco )", block.code, re.MULTILINE), f"{path}:{block.line}"


def wrong(command):
    """Return what a command line of annealco, make or python has that there is not."""
    words = shlex.split(command)
    if words[0] in {"git", "."}:
        return []
    if "annealco" not in words:
        return wrong_program(words)
    here, words = PROGRAM, words[words.index("annealco") + 1 :]
    while words and hasattr(here, "commands") and not words[0].startswith("-"):
        name = words.pop(0)
        if name not in here.commands:
            # A name in capitals stands for any.
            return [] if name.isupper() else [name]
        here = here.commands[name]
    context = typer.Context(here)
    if isinstance(here, ProblemCommand):
        with suppress(InputError):
            context.meta[PROBLEM] = named_problem(words, here.params)
    known = {option for each in here.get_params(context) for option in (*each.opts, *each.secondary_opts)}
    return [word for word in words if word.startswith("--") and word not in known]


def wrong_program(words):
    """Return the target of make or the file or option of a program that there is not."""
    program, name, *rest = words
    if program == "make":
        return [] if f"\n{name}:" in (ROOT / "Makefile").read_text(encoding="utf-8") else [name]
    if name == "-m":
        return [] if find_spec(rest[0]) else rest[:1]
    if program != "python":
        return []
    if not (ROOT / name).exists():
        return [name]
    source = (ROOT / name).read_text(encoding="utf-8")
    return [word for word in rest if word.startswith("--") and f'"{word}"' not in source]


@pytest.mark.parametrize("path", DOCUMENTS)
def test_commands_and_their_options_exist(path):
    shown = [command for block in blocks(ROOT / path) for command in block.commands()]
    for command in [*shown, *inline_commands(ROOT / path)]:
        assert not wrong(command), f"{command}: {wrong(command)}"


def test_what_does_not_exist_is_noticed():
    assert wrong("annealco solves mis") == ["solves"]
    assert wrong("torchrun --nnodes 2 -m annealco train mis --epoch 3 --data x") == ["--epoch"]
    assert wrong("annealco solve mis FILE --volume 3:4") == ["--volume"]
    assert wrong("annealco solve cut FILE --volume 3:4") == []
    assert wrong("make coffee") == ["coffee"]
    assert wrong("python benchmarks/none.py") == ["benchmarks/none.py"]
    assert wrong("python benchmarks/scale.py --none") == ["--none"]
    assert wrong("python -m annealco.none") == ["annealco.none"]


def test_the_site_has_every_page_once():
    listed = re.findall(r"^ +- [^:]+: ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in pages())


def test_the_reference_of_python_has_every_public_name():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = [name for names in re.findall(r"<!-- names: (.+) -->", text) for name in names.split()]
    assert len(set(listed)) == len(listed)
    for name in listed:
        home, _, last = name.rpartition(".")
        assert hasattr(import_module(home), last) or find_spec(name), name
    assert {f"annealco.{name}" for name in annealco.__all__} <= set(listed)
    for part in ("energy", "models", "bounds", "baselines"):
        names = import_module(f"annealco.{part}").__all__
        assert {f"annealco.{part}.{name}" for name in names} <= set(listed)
