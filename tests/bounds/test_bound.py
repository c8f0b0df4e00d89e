from dataclasses import FrozenInstanceError

import pytest

from annealco.bounds import Bound


def test_a_bound_is_a_value_and_how_it_was_proven():
    bound = Bound(3.0, "clique cover")
    assert bound == Bound(value=3.0, method="clique cover")
    with pytest.raises(FrozenInstanceError):
        bound.value = 2.0
