"""Errors and warnings about input: arguments, graphs and files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from typing import Any

MOST_CHOICES = 10_000
"""Names that an unknown one is compared with; more would take seconds."""


class InputError(ValueError):
    """Report input that breaks a rule; the message names the rule and the value.

    Attributes:
        rule: the message without its origin.
        edge: position of the offending edge in the arrays that were given, where one edge is to blame.
        node: number of the offending node, where one node is to blame.
    """

    def __init__(
        self, rule: str, *, origin: str | None = None, edge: int | None = None, node: int | None = None
    ) -> None:
        self.rule = rule
        self.edge = edge
        self.node = node
        super().__init__(rule if origin is None else f"{origin}: {rule}")


class GraphFileError(InputError):
    """Report a graph file that breaks a rule, as ``path:line: rule``.

    Example:
        >>> str(GraphFileError("a.col", "node 9 is outside 1..5", line=3))
        'a.col:3: node 9 is outside 1..5'
    """

    def __init__(self, path: str | PathLike[str], rule: str, *, line: int | None = None) -> None:
        self.path = fspath(path)
        self.line = line
        super().__init__(rule, origin=self.path if line is None else f"{self.path}:{line}")

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is pickled by its message alone, which would not bring it back from another process.
        return partial(type(self), line=self.line), (self.path, self.rule)


class UserCodeError(InputError):
    """Report an error that was raised by code of the user's own, which it names; the error itself is its cause."""


@contextmanager
def user_errors(failed: str, *, is_own: bool = False) -> Iterator[None]:
    """Tell in one line whatever code of the user's own raises besides errors about input.

    Args:
        failed: what failed, the beginning of the line.
        is_own: whether the code is this package's own, whose errors are nobody else's and stay as they are.

    Example:
        >>> with user_errors("the search mine failed"):
        ...     1 / 0
        Traceback (most recent call last):
        annealco.errors.UserCodeError: the search mine failed: ZeroDivisionError: division by zero
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if is_own:
            raise
        raise UserCodeError(f"{failed}: {in_one_line(error):.400}") from error


class ContractError(InputError, AssertionError):
    """Say which rule of its contract a problem, model, search, bound or method breaks, and on what.

    It is an `AssertionError` too: a contract is what tests are made of.
    """


def in_one_line(error: BaseException) -> str:
    """Return the kind of an error and what it says, in one line; of errors about input what they say.

    Example:
        >>> in_one_line(KeyError("a"))
        "KeyError: 'a'"
    """
    said = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return " ".join(said.split())


class NormalisationWarning(UserWarning):
    """Say how many self-loops were dropped and how many duplicate edges were merged."""


def did_you_mean(name: object, choices: Collection[Any]) -> str:
    """Return the choice that is closest to an unknown name, as the words of an error; nothing where none is close.

    Example:
        >>> did_you_mean("wieght", ["source", "target", "weight"])
        "did you mean 'weight'? "
    """
    # It brings regular expressions and heaps, which most errors do without.
    from difflib import get_close_matches

    known = {str(choice): choice for choice in choices} if len(choices) <= MOST_CHOICES else {}
    close = get_close_matches(str(name), known, 1)
    return f"did you mean {known[close[0]]!r}? " if close else ""
