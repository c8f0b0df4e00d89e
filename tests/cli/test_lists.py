from __future__ import annotations

from annealco.graph.formats import FORMATS
from annealco.graph.generators import GENERATORS
from annealco.problems import PROBLEMS
from tests.cli.program import Output, call


def first_words(out: str) -> list[str]:
    return [line.split()[0] for line in out.splitlines()[2:]]


def test_lists_are_the_registries(capsys: Output) -> None:
    for what, registry in {"problems": PROBLEMS, "formats": FORMATS, "generators": GENERATORS}.items():
        assert call("list", what) == 0
        assert first_words(capsys.readouterr().out) == list(registry)


def test_listed_problems_tell_title_and_sense(capsys: Output) -> None:
    call("list", "problems")
    lines = capsys.readouterr().out.splitlines()[2:]
    for line, problem in zip(lines, PROBLEMS.values(), strict=True):
        assert problem.title in line
        assert line.endswith(problem.sense)
