"""The numbers of the paper's tables, to be shown beside our own.

Ratios are obtained / optimal or, for dominating sets, optimal / obtained; for cuts it is cut / volume, the mean and
deviation over seed nodes. Cells that cannot be right have an ``erratum``. The rows of others for cuts are those of
Karalias and Loukas (2020), measured on other machines.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

ALIASES = {"sf295-subset": "sf295"}
"""Sets that stand for one of the paper's."""


class PaperCell(NamedTuple):
    """A cell of a table.

    Attributes:
        problem: a key of ``PROBLEMS``.
        data: a key of ``DATASETS``.
        method: the name here; exact solvers with their seconds behind ``@``.
        mean: of the ratio, or of the conductance.
        std: its deviation.
        seconds: a graph.
        erratum: why the cell cannot be right, or nothing.
    """

    problem: str
    data: str
    method: str
    mean: float
    std: float
    seconds: float
    erratum: str = ""


@cache
def paper_cells() -> tuple[PaperCell, ...]:
    """Read all cells."""
    text = (files("annealco.evaluation") / "paper_tables.json").read_text(encoding="utf-8")
    return tuple(PaperCell(**row) for row in json.loads(text))


def paper_cell(problem: str, data: str, method: str, *, limit: float) -> PaperCell | None:
    """Return the cell of a method, of an exact solver with the same limit, or None.

    Example:
        >>> paper_cell("mis", "rb-small", "greedy_fixed", limit=1.0).mean
        0.761
    """
    named = {(cell.problem, cell.data, cell.method): cell for cell in paper_cells()}
    data = ALIASES.get(data, data)
    return named.get((problem, data, method)) or named.get((problem, data, f"{method}@{limit:g}"))
