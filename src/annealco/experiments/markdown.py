"""Write tables and lists as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def as_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a table; a bar inside a cell is escaped.

    Example:
        >>> print(as_table(["set", "ratio"], [["a|b", "0.9"]]))
        | set | ratio |
        |---|---|
        | a\|b | 0.9 |
    """
    lines = [columns, *rows]
    text = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(columns), *text[1:]])


def as_list(texts: Iterable[str]) -> str:
    r"""Return a list; a star at the start of a text is one, not another list.

    Example:
        >>> print(as_list(["one", "* two"]))
        * one
        * \* two
    """
    return "\n".join("* " + ("\\" + text if text.startswith("*") else text) for text in texts)


def as_number(mean: float, deviation: float | None = None, digits: int = 4) -> str:
    """Write a number, with its deviation where there is one.

    Example:
        >>> as_number(0.5), as_number(0.5, 0.01, digits=2)
        ('0.5000', '0.50 ± 0.01')
    """
    return f"{mean:.{digits}f}" + ("" if deviation is None else f" ± {deviation:.{digits}f}")
