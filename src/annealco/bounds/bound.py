"""What is proven: a number that no feasible assignment beats, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A proven bound on the best value.

    Attributes:
        value: in the user's sense: no feasible assignment has a larger value where that is maximised, or a smaller one
            where it is minimised.
        method: what proved it, in a few words.
    """

    value: float
    method: str
