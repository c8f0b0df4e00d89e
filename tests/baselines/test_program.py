from __future__ import annotations

import numpy as np

from annealco.baselines.program import Columns, Program, Rows, equal_rows, join_rows, no_rows, some_rows


def listed(rows: Rows) -> list[tuple[dict[int, float], float, float]]:
    """Rows as they are read: coefficients by variable, and the bounds."""
    return [
        (
            dict(zip(rows.column[a:b].tolist(), rows.value[a:b].tolist(), strict=True)),
            float(rows.lower[row]),
            float(rows.upper[row]),
        )
        for row, (a, b) in enumerate(zip(rows.start[:-1], rows.start[1:], strict=True))
    ]


FIRST = equal_rows(np.array([[0, 1], [2, 0]]), (1, -2), lower=-np.inf, upper=3)
SECOND = equal_rows(np.array([[4]]), (7,), lower=1, upper=1)


def test_rows_of_equal_length_share_coefficients_and_bounds() -> None:
    assert listed(FIRST) == [({0: 1, 1: -2}, -np.inf, 3), ({2: 1, 0: -2}, -np.inf, 3)]
    assert FIRST.num_rows == 2


def test_joined_rows_keep_their_order() -> None:
    assert listed(join_rows([FIRST, no_rows(), SECOND])) == listed(FIRST) + listed(SECOND)
    assert listed(join_rows([])) == listed(no_rows()) == []


def test_some_rows_are_kept() -> None:
    every = join_rows([FIRST, SECOND])
    for mask in range(8):
        kept = np.array([bool(mask >> row & 1) for row in range(3)])
        assert listed(some_rows(every, kept)) == [row for row, keep in zip(listed(every), kept, strict=True) if keep]


def test_bits_are_completed_and_costs_have_a_step() -> None:
    both = Columns(np.array([6.0]), np.ones(1), lambda bits: bits[:1] * bits[1:2])
    program = Program(2, np.array([2.0, -4.0, 6.0]), np.ones(3), no_rows(), (both,))
    assert program.complete(np.array([True, True])).tolist() == [1, 1, 1]
    assert program.complete(np.array([True, False])).tolist() == [1, 0, 0]
    assert program.num_variables == 3
    assert program.step == 2.0
    assert Program(1, np.array([0.1, 1.0]), np.ones(2), no_rows()).step == 0
    # An excess may be any number, and so may its cost.
    assert Program(1, np.array([1.0, 1.0]), np.array([1.0, np.inf]), no_rows()).step == 0
