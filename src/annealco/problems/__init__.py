"""What the energies mean: one small file per problem, one registry, one contract that checks any of them.

`PROBLEMS` holds the problems of the package and those that other packages bring as entry points of the group
``annealco.problems``. `find_problem` also takes a place, ``package.module:NAME`` or ``file.py:NAME``.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from annealco.problems.clique import CLIQUE
from annealco.problems.conductance import CONDUCTANCE
from annealco.problems.contract import ProblemError, check_problem
from annealco.problems.cut import CUT
from annealco.problems.hitting_set import HITTING_SET
from annealco.problems.ising import ISING
from annealco.problems.max_cut import MAX_CUT
from annealco.problems.mds import MDS
from annealco.problems.mis import MIS
from annealco.problems.options import Option
from annealco.problems.problem import Problem
from annealco.problems.qubo import QUBO
from annealco.problems.set_cover import SET_COVER
from annealco.problems.vertex_cover import VERTEX_COVER
from annealco.registry import Registry


def _complaint(thing: object) -> str | None:
    return None if isinstance(thing, Problem) else f"it is of type {type(thing).__name__}, not annealco.Problem"


PROBLEMS: Registry[Problem] = Registry(
    "problem",
    "annealco.problems",
    {
        each.name: each
        for each in (
            *(MIS, CLIQUE, MDS, CUT, CONDUCTANCE, VERTEX_COVER, MAX_CUT),
            *(QUBO, ISING, SET_COVER, HITTING_SET),
        )
    },
    _complaint,
    name_of=attrgetter("name"),
    is_same=Problem.is_posed_from,
)
"""Every problem by its name."""


def find_problem(given: str | Problem, *, unmistakable: bool = False) -> Problem:
    """Return a problem by its name or place, or the one that is given.

    A problem's own name stands in rows, checkpoints and references. So one that is found by name must have that name,
    and one that is found by place must not have the name of a problem of the package.

    Args:
        given: a name, a place, or a problem.
        unmistakable: whether a problem that is given must not have such a name either, because something is stored or
            looked up under it.

    Raises:
        InputError: for an unknown name, a place that cannot be loaded, and a name that would mean two problems.

    Example:
        >>> find_problem("mis").title
        'maximum independent set'
    """
    problem = PROBLEMS.find(given)
    if unmistakable:
        PROBLEMS.check_name(problem)
    return problem


def find_problems(given: str | Problem | Iterable[str | Problem]) -> list[Problem]:
    """Return one or several problems by names or places, or as they are given."""
    if not isinstance(given, Iterable):
        return [find_problem(given)]
    return [find_problem(each) for each in ([given] if isinstance(given, str) else given)]


__all__ = ["PROBLEMS", "Option", "Problem", "ProblemError", "check_problem", "find_problem", "find_problems"]
