import numpy as np

from annealco.search.incumbent import new_incumbent, note_flip, record_best, save_best


def test_the_best_is_what_was_recorded_however_many_flips_follow():
    rng = np.random.default_rng(0)
    chosen = rng.random(6) < 0.5
    incumbent = new_incumbent(chosen, 3.0)
    expected = chosen.copy()
    for move in range(200):
        node = int(rng.integers(6))
        note_flip(incumbent, chosen, node)
        chosen[node] = not chosen[node]
        if move % 17 == 0:
            record_best(incumbent, float(-move))
            expected = chosen.copy()
    save_best(incumbent, chosen)
    assert np.array_equal(incumbent.best, expected)
    assert incumbent.cost[0] == -187
