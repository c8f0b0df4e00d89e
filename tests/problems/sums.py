"""The problems whose score is what their declaration says: for everything that is about instances."""

from __future__ import annotations

from annealco.problems import PROBLEMS, Problem

PRICED = "cut at a price"
CUTS = ("cut", PRICED)

SUMS: dict[str, Problem] = {name: each for name, each in PROBLEMS.items() if each.at_price is None}
SUMS[PRICED] = PROBLEMS["cut"].with_options(price=0.25)
"""Every problem but quotients, and what a quotient is searched by, by name."""
