import numpy as np
import pytest

from annealco.bounds.neighbours import neighbour_matrix
from annealco.bounds.partial_cover import OUT, search, start_search
from tests.bounds.references import random_graph, rows_of


def planted(seed, groups, size, density):
    """A clash matrix without clashes inside hidden groups of equal size, and with some between them."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.repeat(np.arange(groups), size))
    clash = np.triu(rng.random((groups * size,) * 2) < density, 1)
    return (clash | clash.T) & (group[:, None] != group[None, :])


def check(clash, cover):
    """The state agrees with what its labels say, counted anew."""
    placed = cover.label != OUT
    same = (cover.label[:, None] == cover.label[None, :]) & placed[:, None] & placed[None, :]
    assert not (same & clash).any()
    assert sorted(cover.out[: cover.tally[0]].tolist()) == np.flatnonzero(~placed).tolist()
    for each in range(len(cover.clashes)):
        assert np.array_equal(cover.clashes[each], clash[:, cover.label == each].sum(axis=1))


def test_the_state_stays_consistent_move_by_move():
    clash = neighbour_matrix(rows_of(random_graph(0, 30, 0.5)))
    cover = start_search(clash, np.full(30, OUT), 6, seed=1)
    for _ in range(200):
        search(clash, cover, 1)
        check(clash, cover)
    assert cover.tally[2] <= 200


def test_hidden_groups_are_found():
    for seed in range(5):
        clash = planted(seed, groups=8, size=6, density=0.9)
        cover = start_search(clash, np.full(48, OUT), 8, seed=seed)
        assert search(clash, cover, 20_000)
        check(clash, cover)
        assert (cover.label != OUT).all()


def test_too_few_classes_are_never_filled():
    clash = ~np.eye(6, dtype=bool)
    cover = start_search(clash, np.full(6, OUT), 5, seed=0)
    assert not search(clash, cover, 2_000)
    assert cover.tally[1] == 1


def test_chunks_do_not_change_what_is_done():
    clash = neighbour_matrix(rows_of(random_graph(2, 40, 0.5)))
    whole, parts = (start_search(clash, np.full(40, OUT), 7, seed=3) for _ in range(2))
    search(clash, whole, 300)
    for _ in range(30):
        search(clash, parts, 10)
    assert np.array_equal(whole.label, parts.label)


@pytest.mark.parametrize("kept", [0, 2, 5])
def test_classes_beyond_those_wanted_start_out(kept):
    label = np.arange(5)
    cover = start_search(np.zeros((5, 5), dtype=bool), label, kept, seed=0)
    assert cover.label.tolist() == [each if each < kept else OUT for each in range(5)]
    assert cover.tally[:2].tolist() == [5 - kept, 5 - kept]
