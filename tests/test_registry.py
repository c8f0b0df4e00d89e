"""Names of the package, entry points of others, and places in files: one way to find all of them."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import annealco.registry as module
from annealco.errors import InputError
from annealco.registry import Registry, load_place


def complaint(thing: object) -> str | None:
    return None if isinstance(thing, float) else "it is not a float"


def numbers(monkeypatch: pytest.MonkeyPatch, **places: str) -> Registry[float]:
    points = [EntryPoint(name=name, value=value, group="numbers") for name, value in places.items()]
    monkeypatch.setattr(module, "entry_points", lambda group: points if group == "numbers" else [])
    return Registry("number", "numbers", {"one": 1.0, "tau": "math:tau"}, complaint)


def test_names_of_the_package_are_loaded_when_they_are_asked_for(monkeypatch):
    found = numbers(monkeypatch)
    assert found.find("one") == 1.0
    assert found["tau"] == found.find("tau") == pytest.approx(6.2831853)
    assert list(found) == ["one", "tau"] == list(found.own)
    assert len(found) == 2
    assert found.find(3.5) == 3.5


def test_entry_points_come_after_the_names_of_the_package(monkeypatch):
    found = numbers(monkeypatch, euler="math:e", broken="no_such_package:x", text="os:sep")
    assert list(found) == ["one", "tau", "euler", "broken", "text"]
    assert found["euler"] == pytest.approx(2.7182818)
    assert found.origin("one") == "annealco"
    with pytest.raises(InputError, match=r"there is no module 'no_such_package'"):
        found.find("broken")
    with pytest.raises(InputError, match=r"'text' of a package is no number: it is not a float"):
        found.find("text")


def test_entry_points_are_not_read_for_names_of_the_package(monkeypatch):
    found = numbers(monkeypatch)
    monkeypatch.setattr(module, "entry_points", lambda group: pytest.fail("read for nothing"))
    assert found.find("one") == 1.0
    assert "one" in found


def test_two_things_of_one_name_are_refused_and_others_are_found(monkeypatch):
    points = [("one", "math:e"), ("two", "math:e"), ("two", "math:pi"), ("three", "math:inf"), ("three", "math:inf")]
    entries = [EntryPoint(name=name, value=value, group="numbers") for name, value in points]
    monkeypatch.setattr(module, "entry_points", lambda group: entries)
    found = Registry("number", "numbers", {"one": 1.0}, complaint)
    assert list(found) == ["one", "two", "three"]
    assert found["one"] == 1.0
    assert found["three"] == float("inf")
    with pytest.raises(InputError, match="number 'two' is both of a package and of a package: uninstall one"):
        found.find("two")
    assert found.clashes["one"] == "number 'one' is both of annealco and of a package"
    with pytest.raises(InputError, match="unknown number 'four'; choose one of one, two, three"):
        found.find("four")


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("onne", "unknown number 'onne'; did you mean one[?] choose one of one, tau"),
        ("", "unknown number ''; choose one of one, tau"),
        ("math:", "the place of a number must be package.module:NAME or file.py:NAME, it is 'math:'"),
        (":e", "the place of a number must be"),
        ("math:tao", "there is no 'tao' in math; did you mean tau[?]"),
        ("nowhere.deep:x", "number 'nowhere.deep:x': there is no module 'nowhere'"),
        ("math.deep:x", "number 'math.deep:x'"),
        ("nowhere.py:x", "there is no file 'nowhere.py'"),
        ("os:sep", "'os:sep' is no number: it is not a float"),
        (3, "this int is no number: it is not a float"),
        (None, "this NoneType is no number"),
    ],
)
def test_what_cannot_be_found_is_one_line(monkeypatch, given, rule):
    with pytest.raises(InputError, match=rule) as caught:
        numbers(monkeypatch).find(given)
    assert "\n" not in str(caught.value)


def test_files_and_modules_of_the_current_folder_are_found(monkeypatch, tmp_path: Path):
    (tmp_path / "my_numbers.py").write_text("import math\nPI = math.pi\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = [*sys.path, str(tmp_path)]
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert (
        load_place("my_numbers.py:PI", "number") == load_place("my_numbers:PI", "number") == pytest.approx(3.14159265)
    )
    assert load_place(f"{tmp_path}/my_numbers.py:PI", "number") is load_place("my_numbers.py:PI", "number")
    assert sys.path == path
    del sys.modules["my_numbers"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("def f(:", "SyntaxError"),
        ("import nothing_of_this_name", "No module named"),
    ],
)
def test_a_file_that_fails_is_told_in_one_line_and_may_be_mended(tmp_path: Path, text: str, rule: str):
    file = tmp_path / "numbers.py"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"cannot be imported: .*{rule}"):
        load_place(f"{file}:X", "number")
    file.write_text("X = 1.0", encoding="utf-8")
    assert load_place(f"{file}:X", "number") == 1.0


def test_names_are_set_in_this_process_and_are_not_the_package_s(monkeypatch):
    found = numbers(monkeypatch, euler="math:e")
    found["half"] = 0.5
    assert found.find("half") == found["half"] == 0.5
    assert list(found) == ["one", "tau", "half", "euler"]
    assert found.own == ("one", "tau")
    assert found.is_only_here("half")
    assert not found.is_only_here("one")
    assert not found.is_own(0.5, "half")
    assert found.origin("half") == "this process"
    with pytest.raises(InputError, match="the number half failed: ZeroDivisionError"), found.blaming(0.5, "half"):
        raise ZeroDivisionError
    found["half"] = 0.25
    del found["half"]
    assert "half" not in found


@pytest.mark.parametrize(
    ("name", "thing", "rule"),
    [
        ("one", 2.0, "'one' is a number of annealco: give yours another name"),
        ("euler", 2.0, "'euler' is a number of a package: give yours another name"),
        ("two", "2", "'two' is no number: it is not a float"),
        ("a:b", 2.0, "the name of a number must be text without colons, it is 'a:b'"),
        ("", 2.0, "the name of a number must be text"),
        (3, 2.0, "the name of a number must be text"),
    ],
)
def test_names_of_others_cannot_be_taken(monkeypatch, name, thing, rule):
    found = numbers(monkeypatch, euler="math:e")
    with pytest.raises(InputError, match=rule):
        found[name] = thing
    assert found["one"] == 1.0
    with pytest.raises(InputError, match="'one' is a number of annealco, and stays"):
        del found["one"]


def test_a_thing_is_found_by_its_own_name_only(monkeypatch, tmp_path: Path):
    points = [EntryPoint(name=name, value="math:pi", group="numbers") for name in ("pi", "third")]
    monkeypatch.setattr(module, "entry_points", lambda group: points)
    names = {1.0: "one", 3.0: "three"}
    found = Registry("number", "numbers", {"one": 1.0}, complaint, name_of=lambda thing: names.get(thing, "pi"))
    assert found.find("pi") == pytest.approx(3.14159265)
    with pytest.raises(InputError, match="the entry point 'third' is a number named 'pi': both names must be equal"):
        found.find("third")
    with pytest.raises(InputError, match="this number is named 'three', not 'drei': both names must be equal"):
        found["drei"] = 3.0
    found["three"] = 3.0
    names[4.0] = "one"
    (tmp_path / "four.py").write_text("FOUR = 4.0")
    with pytest.raises(InputError, match=r"four.py:FOUR' is named 'one' as a number of annealco is: give it another"):
        found.find(f"{tmp_path}/four.py:FOUR")
    with pytest.raises(InputError, match="this number is named 'one' as a number of annealco is"):
        found.check_name(4.0)
    found.check_name(1.0)


def test_a_module_whose_names_cannot_be_had_is_told(tmp_path: Path):
    (tmp_path / "lazy.py").write_text("def __getattr__(name):\n    raise ZeroDivisionError(name)")
    with pytest.raises(InputError, match=r"number '.*lazy.py:X' cannot be had: ZeroDivisionError: X"):
        load_place(f"{tmp_path}/lazy.py:X", "number")
