from __future__ import annotations

from search_hints import HINTS, MOST_MOVES, SEEDS, moves_needed

from annealco.graph.generators import generate


def test_moves_are_counted_for_every_hint_until_the_planted_set_is_found() -> None:
    needed = moves_needed(generate("rb-small", count=1, seed=3))
    assert list(needed) == [hint.title for hint in HINTS]
    assert all(len(each) == SEEDS and max(each) < MOST_MOVES for each in needed.values())
