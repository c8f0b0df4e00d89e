"""Named things of one kind: those of the package, and those that other packages bring as entry points.

A seam of the package (problems, models, searches, bounds, methods) is one `Registry`. A package of a user's own adds to
it without any change here, by an entry point in its ``pyproject.toml``:

    [project.entry-points."annealco.problems"]
    my_cover = "my_package.cover:PROBLEM"

What is not installed can be named by its place: ``my_package.cover:PROBLEM`` or ``folder/cover.py:PROBLEM``.
"""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from annealco.errors import InputError, in_one_line, user_errors

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Thing = TypeVar("Thing")

FILE_MODULE = "annealco_file_"
"""What the names of modules that are run from a file begin with; other processes cannot import them."""


class Registry(MutableMapping[str, Thing], Generic[Thing]):
    """A mapping from names to things of one kind, each loaded when it is first asked for.

    The names of the package come first, and mean what they mean: nobody else can take one. Behind them are those that
    were set in this process. Entry points are looked up only for a name that is not among these, and when the names are
    listed: reading the metadata of all installed packages takes longer than many a search.

    Attributes:
        kind: what the things are called in messages, such as ``problem``.
        group: of the entry points, such as ``annealco.problems``.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        own: Mapping[str, Thing | str],
        complaint: Callable[[object], str | None],
        *,
        name_of: Callable[[Thing], str | None] = lambda _: None,
        is_same: Callable[[Thing, Thing], bool] = operator.is_,
    ) -> None:
        """Name things of the package.

        Args:
            kind: what they are called in messages.
            group: of the entry points.
            own: things by name; text is the place of one that is loaded on use, ``module:attribute``.
            complaint: says what is wrong with an object that should be such a thing, None where it is one.
            name_of: returns the name that a thing has by itself, None where it has none; it must be found by no other.
            is_same: tells whether a thing may have the name of another, which is of the package.
        """
        self.kind = kind
        self.group = group
        self._own = dict(own)
        self._here: dict[str, Thing] = {}
        self._complaint = complaint
        self._name_of = name_of
        self._is_same = is_same
        self._loaded: dict[str, Thing] = {}

    def __getitem__(self, name: str) -> Thing:
        if name in self._here:
            return self._here[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, thing: Thing) -> None:
        """Name a thing in this process, such as one that was written in a notebook.

        Raises:
            InputError: for what is no such thing, for a name of the package, and where the thing has another name.
        """
        if not isinstance(name, str) or not name or ":" in name:
            raise InputError(f"the name of a {self.kind} must be text without colons, it is {name!r:.40}")
        if name in self._own or name in self._foreign:
            owner = "annealco" if name in self._own else _package(self._foreign[name])
            raise InputError(f"{name!r} is a {self.kind} of {owner}: give yours another name")
        known_as = self._name_of(self._checked(thing, repr(name)))
        if known_as not in {None, name}:
            raise InputError(f"this {self.kind} is named {known_as!r}, not {name!r}: both names must be equal")
        self._here[name] = thing

    def __delitem__(self, name: str) -> None:
        if name in self._own:
            raise InputError(f"{name!r} is a {self.kind} of annealco, and stays")
        del self._here[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._here
        yield from (name for name in self._foreign if name not in self._here)

    def __len__(self) -> int:
        return len({*self._own, *self._here, *self._foreign})

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._here or name in self._foreign

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kind}s: {', '.join(self)}>"

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the package itself."""
        return tuple(self._own)

    @contextmanager
    def blaming(self, thing: Thing, name: str) -> Iterator[None]:
        """Name a thing that is not of the package in errors of its code."""
        with user_errors(f"the {self.kind} {name} failed", is_own=self.is_own(thing, name)):
            yield

    def is_own(self, thing: Thing, name: str) -> bool:
        """Tell whether a thing is the one of the package that has this name."""
        return name in self._own and self[name] is thing

    def is_only_here(self, name: str) -> bool:
        """Tell whether a name was set in this process, so that no other process can find what it means."""
        return name in self._here

    def check_name(self, thing: Thing, what: str = "") -> None:
        """Raise where a thing has the name of one of the package, and is another; ``what`` it is called in the error.

        Rows, references and networks go by names: those of two things would be mixed up.
        """
        name = self._name_of(thing)
        if name in self._own and not self._is_same(thing, self[name]):
            rule = f"is named {name!r} as a {self.kind} of annealco is: give it another name"
            raise InputError(f"{what or f'this {self.kind}'} {rule}")

    def origin(self, name: str) -> str:
        """Return the package that a name comes from."""
        if name in self._here:
            return "this process"
        point = None if name in self._own else self._foreign[name]
        return "annealco" if point is None or point.dist is None else point.dist.name

    def find(self, given: str | Thing) -> Thing:
        """Return a thing by its name or place, or the thing itself where one is given.

        Raises:
            InputError: for unknown names, with the choices; and for what cannot be loaded or is of another kind.
        """
        if not isinstance(given, str):
            return self._checked(given, f"this {type(given).__name__}")
        if ":" in given:
            found = self._checked(load_place(given, self.kind), repr(given))
            self.check_name(found, repr(given))
            return found
        if given not in self:
            close = get_close_matches(given, self, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise InputError(f"unknown {self.kind} {given!r}; {hint}choose one of {', '.join(self)}")
        return self[given]

    @cached_property
    def clashes(self) -> dict[str, str]:
        """What to say of names that two packages bring, by name; a name of the package itself stays what it is."""
        found: dict[str, str] = {}
        seen: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            other = seen.setdefault(point.name, point)
            if point.name in self._own or other.value != point.value:
                who = "annealco" if point.name in self._own else _package(other)
                found[point.name] = f"{self.kind} {point.name!r} is both of {who} and of {_package(point)}"
        return found

    @cached_property
    def _foreign(self) -> dict[str, EntryPoint]:
        """Entry points of other packages, by name."""
        return {point.name: point for point in entry_points(group=self.group) if point.name not in self._own}

    def _load(self, name: str) -> Thing:
        if name in self._own:
            thing = self._own[name]
            return self._checked(load_place(thing, self.kind), name) if isinstance(thing, str) else thing
        point = self._foreign[name]
        if name in self.clashes:
            raise InputError(f"{self.clashes[name]}: uninstall one, or name it by its place, package.module:NAME")
        origin = f"{name!r} of {_package(point)}"
        try:
            found = self._checked(load_place(point.value, self.kind), origin)
        except InputError as error:
            raise InputError(error.rule if origin in error.rule else f"{origin}: {error.rule}") from error
        known_as = self._name_of(found)
        if known_as not in {None, name}:
            rule = f"is a {self.kind} named {known_as!r}: both names must be equal"
            raise InputError(f"the entry point {name!r} {rule}")
        return found

    def _checked(self, thing: object, name: str) -> Thing:
        fault = self._complaint(thing)
        if fault is not None:
            raise InputError(f"{name} is no {self.kind}: {fault}")
        return thing  # type: ignore[return-value]  # The complaint has looked at it.


def is_of_package(function: object) -> bool:
    """Tell whether a function or an instance of a class is part of this package, and not of the user's own code."""
    return str(getattr(function, "__module__", "")).partition(".")[0] == "annealco"


def check_declared(kind: str, name: object, *, title: object, **functions: object) -> None:
    """Raise where what a thing of some kind is declared with cannot be its name, its title or its functions.

    A colon tells a place from a name, and names are listed with commas.

    Example:
        >>> check_declared("search", "a,b", title="two")
        Traceback (most recent call last):
        annealco.errors.InputError: the name of a search must be text without spaces, colons, commas and =, it is 'a,b'
    """
    if not isinstance(name, str) or not re.fullmatch(r"[^\s:,=]+", name):
        rule = "must be text without spaces, colons, commas and ="
        raise InputError(f"the name of a {kind} {rule}, it is {name!r:.40}")
    if not isinstance(title, str):
        raise InputError(f"the {kind} {name}: what it is must be said in text, it is {title!r:.40}")
    for what, function in functions.items():
        if not callable(function):
            raise InputError(f"the {kind} {name}: {what} must be a function, it is {function!r:.40}")


def entry_points(group: str) -> Iterable[EntryPoint]:
    """Return the entry points of a group in all installed packages."""
    # It brings zip files and e-mail, which names of the package do without.
    from importlib.metadata import entry_points as installed

    return installed(group=group)


def load_place(place: str, kind: str) -> Any:
    """Return the object at ``package.module:NAME`` or ``folder/file.py:NAME``; modules may be in the current folder.

    Example:
        >>> load_place("math:tau", "number")
        6.283185307179586

    Raises:
        InputError: where there is no such module or name, and where the module cannot be imported.
    """
    home, _, name = place.rpartition(":")
    if not home or not name.isidentifier():
        raise InputError(f"the place of a {kind} must be package.module:NAME or file.py:NAME, it is {place!r}")
    try:
        module = _load_file(Path(home)) if home.endswith(".py") else _import_near(home)
    except InputError:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and (home == error.name or home.startswith(f"{error.name}.")):
            raise InputError(f"{kind} {place!r}: there is no module {error.name!r}") from None
        raise InputError(f"{kind} {place!r} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:
        raise InputError(f"{kind} {place!r} cannot be imported: {in_one_line(error)}") from error
    try:
        return getattr(module, name)
    except AttributeError:
        public = [each for each in vars(module) if not each.startswith("_")]
        close = get_close_matches(name, public, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise InputError(f"{kind} {place!r}: there is no {name!r} in {home}{hint}") from None
    except (Exception, SystemExit) as error:
        raise InputError(f"{kind} {place!r} cannot be had: {in_one_line(error)}") from error


def absolute_place(place: str) -> str:
    """Return a place that means the same in a process of another folder: that of a file with its whole path.

    Example:
        >>> absolute_place("mis"), absolute_place("package.module:NAME"), absolute_place("/here/../a.py:NAME")
        ('mis', 'package.module:NAME', '/a.py:NAME')
    """
    home, colon, name = place.rpartition(":")
    return f"{Path(home).resolve()}:{name}" if colon and home.endswith(".py") else place


def _import_near(home: str) -> Any:
    """Import a module, which may be in the current folder: a console script does not look there by itself.

    The folder stays among those that are looked through, so that processes which are started find the module too.
    """
    try:
        return import_module(home)
    except ModuleNotFoundError as error:
        here = str(Path.cwd())
        if error.name != home.partition(".")[0] or here in sys.path:
            raise
        sys.path.append(here)
        try:
            return import_module(home)
        except ModuleNotFoundError:
            sys.path.remove(here)
            raise


def _load_file(path: Path) -> Any:
    """Run a file as a module of its own, once."""
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    whole = path.resolve()
    name = f"{FILE_MODULE}{sha256(str(whole).encode()).hexdigest()[:16]}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, whole)
        if spec is None or spec.loader is None:
            raise InputError(f"{str(path)!r} is no Python file")
        sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[name])
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _package(point: EntryPoint | None) -> str:
    return "a package" if point is None or point.dist is None else f"the package {point.dist.name}"
