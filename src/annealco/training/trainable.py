"""Find the problem that a network is to learn."""

from __future__ import annotations

from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS, Problem


def trainable_problem(problem: str | Problem) -> Problem:
    """Return a problem by its name, or the one that was given.

    Raises:
        InputError: for an unknown name, and for a quotient: no energy is its expectation.
    """
    if not isinstance(problem, Problem):
        if not isinstance(problem, str) or problem not in PROBLEMS:
            raise InputError(f"unknown problem {problem!r}; choose one of {', '.join(PROBLEMS)}")
        problem = PROBLEMS[problem]
    if problem.at_price is not None:
        other = f"train {problem.learned_as}, whose networks propose sets for it too"
        raise InputError(f"{problem.name} is a quotient, which no network learns: {other}")
    return problem
