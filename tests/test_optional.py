"""Tests of optional packages: every one is in an extra, and one line says which."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from annealco.baselines import METHODS
from annealco.errors import InputError
from annealco.optional import EXTRAS, is_installed, missing, require, stand_in

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTIONS = {"dwave": "dwave-samplers", "lightning_fabric": "lightning-fabric"}
"""What is installed under another name than it is imported by."""


@pytest.mark.parametrize(("package", "extra"), EXTRAS.items())
def test_an_extra_installs_the_package(package: str, extra: str) -> None:
    needed = PROJECT["optional-dependencies"][extra]
    assert any(each.startswith(DISTRIBUTIONS.get(package, package)) for each in needed)


def test_methods_name_the_extras_that_install_their_packages() -> None:
    needs = {each.package.partition(".")[0]: each.needs for each in METHODS.values() if each.package is not None}
    assert needs == {package: EXTRAS[package] for package in needs}


def test_the_core_depends_on_no_optional_package() -> None:
    assert not [each for each in PROJECT["dependencies"] for package in EXTRAS if each.startswith(package)]


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert not is_installed("torch")
    assert is_installed("numpy")
    require("counting", "numpy")
    with pytest.raises(InputError, match=r"^training needs PyTorch: pip install 'annealco\[learn\]'$"):
        require("training", "numpy", "torch", "no_such_package")
    assert missing("it", "no_such_package") == "it needs no_such_package: pip install no_such_package"
    assert not is_installed("no_such_package.inside")


def test_a_stand_in_has_no_instances_and_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    train = stand_in("train", "torch")
    assert not isinstance(1, train)
    with pytest.raises(InputError, match="train needs PyTorch"):
        train("mis", data="rb-small")
