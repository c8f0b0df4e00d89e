from __future__ import annotations

import math

import core_speed
import pytest
from versions import exists, first_of


@pytest.mark.parametrize("name", core_speed.MEASURES)
def test_every_measurement_runs_in_this_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small = core_speed.barabasi(60)
    names = [*core_speed.GRAPHS, "rb-large", "ba-large"]
    monkeypatch.setattr(core_speed, "GRAPHS", dict.fromkeys(names, small))
    _, work = core_speed.MEASURES[name]()
    assert math.isfinite(work())


def test_the_first_place_that_exists_is_taken() -> None:
    assert first_of("annealco.no_such_module:Graph", "annealco:NoSuchName", "annealco:Graph").__name__ == "Graph"
    assert exists("annealco.clock:Budget")
    assert not exists("annealco.clock:NoSuchName")
    with pytest.raises(ImportError, match="has none of annealco"):
        first_of("annealco.clock:NoSuchName")
