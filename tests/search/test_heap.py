import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annealco.search.heap import ABSENT, empty_heap, pop, set_price

STEPS = st.lists(st.tuples(st.integers(0, 7), st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, np.inf])), max_size=80)


@given(STEPS)
def test_the_cheapest_node_comes_out_whatever_changed_before(steps):
    heap, prices = empty_heap(8), {}
    for number, (node, price) in enumerate(steps):
        if number % 4 == 3:
            expected = min(prices, key=lambda each: (prices[each], each), default=ABSENT)
            assert pop(heap) == expected
            prices.pop(expected, None)
        else:
            set_price(heap, node, price)
            prices[node] = price
    assert [pop(heap) for _ in range(len(prices))] == sorted(prices, key=lambda each: (prices[each], each))
    assert pop(heap) == ABSENT
    assert (heap.place == ABSENT).all()
