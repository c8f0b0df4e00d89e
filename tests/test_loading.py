"""Imports are not on the clock."""

import sys

from annealco.loading import load, now

SLOW = """
import annealco.loading
for _ in range(100_000):
    pass
inner = annealco.loading.load("{inner}")
"""


def test_a_module_is_loaded_once_and_is_what_import_gives(tmp_path, monkeypatch):
    (tmp_path / "loaded_outside.py").write_text(SLOW.format(inner="loaded_inside"))
    (tmp_path / "loaded_inside.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    outside = load("loaded_outside")
    assert outside.inner.value == 3
    assert load("loaded_outside") is outside is sys.modules["loaded_outside"]


def test_the_clock_stands_still_while_modules_are_loaded(tmp_path, monkeypatch):
    readings = iter([10.0, 10.5, 14.0, 15.0, 15.0])
    monkeypatch.setattr("annealco.loading._spent", 0.0)
    monkeypatch.setattr("annealco.loading.time.perf_counter", lambda: next(readings))
    (tmp_path / "loaded_late.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert now() == 10.0
    load("loaded_late")  # From 10.5 to 14.
    assert now() == 11.5
    load("loaded_late")
    assert now() == 11.5
