import pytest

from annealco.graph.errors import InputError
from annealco.search.threads import count_threads


def test_the_number_of_threads_is_checked():
    assert count_threads(3) == 3
    assert count_threads(None) >= 1
    with pytest.raises(InputError, match="at least 1, it is 0"):
        count_threads(0)
