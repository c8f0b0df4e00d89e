from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annealco.graph.segments import exclusive_prefix, scatter_sum, segment_max, segment_of, segment_sum

lengths = st.lists(st.integers(0, 4), max_size=6)


@given(lengths, st.integers(0, 2**32 - 1))
def test_segments_against_slices(sizes, seed):
    offsets = np.cumsum([0, *sizes])
    values = np.random.default_rng(seed).normal(size=(2, offsets[-1]))
    parts = [values[:, a:b] for a, b in pairwise(offsets)]
    for row in range(2):
        assert np.allclose(segment_sum(values, offsets)[row], [part[row].sum() for part in parts])
        assert segment_max(values, offsets)[row].tolist() == [max(part[row], default=0.0) for part in parts]
        before = [part[row][:k].sum() for part in parts for k in range(part.shape[1])]
        assert np.allclose(exclusive_prefix(values, offsets)[row], before)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    assert segment_of(offsets, np.arange(offsets[-1])).tolist() == owner.tolist()
    assert np.allclose(scatter_sum(values, owner, len(sizes)), segment_sum(values, offsets))
