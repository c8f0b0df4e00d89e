from itertools import product

import numpy as np
import pytest

from annealco.energy import AllPairs, Cover, Linear, Pairs, Range
from annealco.energy.terms import with_coefficient
from annealco.errors import InputError
from tests.energy.reference import KINDS, plain_value, random_term

ALL_BITS = np.array(list(product((0, 1), repeat=7)))
PTR = np.array([0, 3])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_value_is_the_formula_on_every_assignment(kind, seed):
    term = random_term(kind, np.random.default_rng(seed))
    expected = [plain_value(term, bits.tolist()) for bits in ALL_BITS]
    assert np.allclose(term.value(ALL_BITS), expected, atol=1e-12)
    assert np.allclose(term.value(ALL_BITS.astype(bool)), expected, atol=1e-12)
    for row in range(0, len(ALL_BITS), 7):
        assert np.allclose(term.value(ALL_BITS[row]), expected[row], atol=1e-12)
        assert np.allclose(term.value(ALL_BITS[row] == 1), expected[row], atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_all_pairs_of_one_graph_have_the_same_value_for_bools(weighted):
    weight = np.array([2.0, 1.0, 3.0, 1.0, 2.0, 5.0, 0.0]) if weighted else np.full(7, 2.0)
    term = AllPairs(np.array([0, 7]), weight, np.array([[0, 1], [3, 2]]))
    assert np.array_equal([term.value(bits == 1) for bits in ALL_BITS], term.value(ALL_BITS))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_flip_interval_holds_every_flip(kind, seed):
    term = random_term(kind, np.random.default_rng(seed))
    low, high = term.flip_interval()
    values = term.value(ALL_BITS).sum(axis=1)
    for node in range(7):
        off = ALL_BITS[:, node] == 0
        flipped = ALL_BITS[off].copy()
        flipped[:, node] = 1
        change = term.value(flipped).sum(axis=1) - values[off]
        assert change.min() >= low[node] - 1e-12
        assert change.max() <= high[node] + 1e-12


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in {"cover", "range"}])
def test_flip_interval_is_reached_where_neighbours_are_free(kind):
    term = random_term(kind, np.random.default_rng(3))
    low, high = term.flip_interval()
    for node in range(7):
        off = ALL_BITS[ALL_BITS[:, node] == 0]
        on = off.copy()
        on[:, node] = 1
        change = (term.value(on) - term.value(off)).sum(axis=1)
        assert change.min() == pytest.approx(low[node])
        assert change.max() == pytest.approx(high[node])


def test_all_pairs_of_unit_weights_counts_pairs():
    chosen = np.ones(100_000)
    assert AllPairs(np.array([0, 100_000]), chosen).value(chosen)[0] == 100_000 * 99_999 / 2


def test_with_coefficient_keeps_everything_else():
    term = random_term("cover", np.random.default_rng(0))
    doubled = with_coefficient(term, 2 * term.coefficient)
    assert np.allclose(doubled.value(ALL_BITS), 2 * term.value(ALL_BITS))


@pytest.mark.parametrize(
    ("build", "rule"),
    [
        (lambda: Linear(PTR, np.ones(2)), r"Linear.coefficient must have shape \[3\], it has \[2\]"),
        (lambda: Pairs(PTR, np.zeros((2, 1), int), np.ones(2)), r"Pairs.coefficient must have shape \[1\]"),
        (lambda: AllPairs(PTR, -np.ones(3)), "must not be negative, the least is -1"),
        (lambda: Cover(PTR, np.array([0, 0, 1]), np.array([1]), np.ones(2)), "an empty set can never be hit"),
        (lambda: Linear(PTR, np.array([0.0, np.nan, 1.0])), "Linear.coefficient must be numbers, number 1 is nan"),
        (lambda: Pairs(PTR, np.array([[0], [3]]), np.ones(1)), "Pairs.pairs must be nodes from 0 to 2"),
        (lambda: Pairs(PTR, np.array([[1], [1]]), np.ones(1)), "Pairs.pairs must be of different nodes"),
        (lambda: Cover(PTR, np.array([0, 1]), np.array([-1]), np.ones(1)), "Cover.members must be nodes from 0 to 2"),
        (lambda: Linear(PTR, np.ones(3)).value([1, 0]), r"an assignment must have shape \[.., 3\], this one has \[2\]"),
        (lambda: Range(PTR, np.ones(3), np.ones(1), np.zeros(1), np.ones(1)), "lower must not exceed"),
        (lambda: Range(PTR, np.ones(3), np.ones(2), np.ones(1), np.ones(1)), r"Range.lower must have shape \[1\]"),
    ],
)
def test_wrong_arrays_are_refused(build, rule):
    with pytest.raises(InputError, match=rule):
        build()
