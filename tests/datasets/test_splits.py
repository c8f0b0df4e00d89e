from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annealco.datasets.splits import BLOCK, DEFAULT_COUNTS, check_split, first_number, members, shuffled
from annealco.errors import InputError
from annealco.graph.generators.presets import MAX_INDEX


def test_blocks_of_numbers_do_not_overlap_and_exist() -> None:
    starts = [first_number(split) for split in DEFAULT_COUNTS]
    assert starts == sorted(starts)
    assert min(np.diff(starts)) >= BLOCK
    assert starts[-1] + BLOCK - 1 <= MAX_INDEX


@given(st.integers(0, 300), st.integers(0, 2**64 - 1))
def test_splits_share_the_set_among_them(num_graphs: int, seed: int) -> None:
    parts = [members("name", split, num_graphs, seed) for split in DEFAULT_COUNTS]
    assert sorted(np.concatenate(parts).tolist()) == list(range(num_graphs))
    shares = [len(part) / max(num_graphs, 1) for part in parts]
    assert shares == pytest.approx([0.6, 0.2, 0.2] if num_graphs else [0, 0, 0], abs=2 / max(num_graphs, 1))


def test_name_and_seed_decide_the_order() -> None:
    assert np.array_equal(shuffled("a", 50, 1), shuffled("a", 50, 1))
    assert not np.array_equal(shuffled("a", 50, 1), shuffled("b", 50, 1))
    assert not np.array_equal(shuffled("a", 50, 1), shuffled("a", 50, 2))
    assert members("a", "all", 4, 1).tolist() == [0, 1, 2, 3]


def test_other_splits_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        check_split("valid")
    assert str(caught.value) == "unknown split 'valid'; choose one of train, validation, test, all"
