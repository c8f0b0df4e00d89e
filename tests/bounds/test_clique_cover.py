from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.bounds.clique_cover import CliqueCover, certified_price, cover_of_labels, labels_of_cover


@st.composite
def priced_sets(draw):
    size = draw(st.integers(1, 6))
    sets = draw(st.lists(st.sets(st.integers(0, size - 1), min_size=1), max_size=6))
    weight = draw(st.lists(st.floats(0, 10), min_size=size, max_size=size))
    price = draw(st.lists(st.floats(-1, 10), min_size=len(sets), max_size=len(sets)))
    return np.array(weight), [sorted(each) for each in sets], np.array(price)


@given(priced_sets())
def test_a_price_is_certified_whatever_the_prices_are(case):
    weight, sets, price = case
    start = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    cover = CliqueCover(start, np.array([node for each in sets for node in each], np.int32), price)
    paid = [max(Fraction(0), Fraction(each)) for each in price.tolist()]
    received = [
        sum((p for p, each in zip(paid, sets, strict=True) if i in each), start=Fraction(0)) for i in range(len(weight))
    ]
    least = sum(paid, start=Fraction(0)) + sum(
        max(Fraction(0), Fraction(w) - r) for w, r in zip(weight.tolist(), received, strict=True)
    )
    proven = certified_price(cover, weight)
    assert least <= Fraction(proven)
    assert proven <= float(least) * (1 + 1e-12) + 1e-12


def test_classes_cost_their_heaviest_member():
    cover = cover_of_labels(np.array([2, 0, 2, 1]), np.array([1.0, 4.0, 3.0, 0.0]))
    assert cover.price.tolist() == [4.0, 0.0, 3.0]
    assert certified_price(cover, np.array([1.0, 4.0, 3.0, 0.0])) == pytest.approx(7.0, abs=1e-12)


def test_labels_of_a_partition_come_back():
    label = np.array([2, 0, 2, 1, 0])
    assert labels_of_cover(cover_of_labels(label, np.ones(5))).tolist() == label.tolist()
