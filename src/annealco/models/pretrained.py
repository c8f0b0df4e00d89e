"""Folders of networks: ``model.json``, which says what a network is and how it was trained, and the weights it names.

Reading them needs no PyTorch. Those that come with the package have a card to read beside; what a network is for stands
in its ``model.json``, and names of folders mean nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

from numpy.typing import NDArray

from annealco.errors import GraphFileError, InputError
from annealco.files import check_regular, file_errors

FORMAT, VERSION = "annealco model", 1
FILE = "model.json"

WEIGHTS = Path(__file__).parent / "weights"
"""The folders."""


@lru_cache
def shipped() -> dict[str, Path]:
    """Return the folder of each network by what it was trained for.

    Raises:
        InputError: where a file of the package is damaged, or a network is there twice.
    """
    found: dict[str, Path] = {}
    for file in sorted(WEIGHTS.glob("*/model.json")):
        task = _task(file)
        if task in found:
            raise InputError(f"two networks are here for {task}, {found[task]} and {file.parent}: one must go")
        found[task] = file.parent
    return found


def _task(file: Path) -> str:
    """Return what a network was trained for."""
    try:
        return str(json.loads(file.read_bytes())["problem"])
    except (OSError, ValueError, KeyError, TypeError):
        raise GraphFileError(file, "this does not describe a network; install annealco anew") from None


def shipped_folder(task: str, *others: str) -> Path:
    """Return the folder of the network that was trained for a task, or for the first of others that has one.

    Raises:
        InputError: where none comes with the package.
    """
    found = next((shipped()[each] for each in (task, *others) if each in shipped()), None)
    if found is None:
        there = f"there are some for {', '.join(shipped())}" if shipped() else "there are none"
        raise InputError(f"no network comes with annealco for {task}: {there}; 'annealco train {task}' makes one")
    return found


MAX_JSON = 64 * 2**20
"""Most bytes of a JSON file."""

MAX_TENSORS = 2**31
"""Most bytes of a file of tensors: the largest network with what Adam remembers has fewer."""

Json = dict[str, Any]
Tensors = TypeVar("Tensors")


def read_description(folder: Path) -> Json:
    """Read what a network in a folder is: its problem, model and settings are there, and of their types.

    Raises:
        InputError: where there is none, or the file breaks a rule.
    """
    file = folder / FILE
    with file_errors(file, "read"):
        if not file.is_file():
            raise InputError(f"{folder}: there is no trained model in it, {FILE} is missing")
    content = read_json(file)
    check_format(file, content, FORMAT, VERSION)
    kinds: dict[str, type | tuple[type, ...]] = {"problem": str, "model": str, "settings": (dict, NoneType)}
    for key, kind in kinds.items():
        require(file, content, key, kind)
    return content


def read_tensors(path: Path, content: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Read the tensors that a JSON file names, as arrays."""
    from safetensors.numpy import load

    return unpacked(path, content, load)


def unpacked(path: Path, content: Mapping[str, Any], load: Callable[[bytes], Tensors]) -> Tensors:
    """Read the file of tensors that a JSON file names by its content, and unpack it.

    Raises:
        InputError: naming the file and the rule it breaks.
    """
    from safetensors import SafetensorError

    name, digest = require(path, content, "tensors", str), require(path, content, "sha256", str)
    if not re.fullmatch(re.escape(path.stem) + r"-[0-9a-f]{16}\.safetensors", name):
        raise GraphFileError(path, f"the file of tensors must be named {path.stem}-DIGEST.safetensors, not {name!r}")
    file = path.with_name(name)
    packed = _read(file, MAX_TENSORS)
    if hashlib.sha256(packed).hexdigest() != digest:
        raise GraphFileError(file, f"this is not the file that {path.name} describes: it is truncated or was changed")
    try:
        return load(packed)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise GraphFileError(file, f"this is no safetensors file: {' '.join(str(error).split())}") from None


def read_json(path: Path) -> Json:
    """Read a JSON object from a file."""
    text = _read(path, MAX_JSON)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise GraphFileError(path, "this is not JSON, or it is truncated") from None
    if not isinstance(content, dict):
        raise GraphFileError(path, f"a JSON object is needed, not a {type(content).__name__}")
    return content


def _read(path: Path, most_bytes: int) -> bytes:
    with file_errors(path, "read"):
        # A pipe would be waited for, a device read without end.
        check_regular(path, most_bytes)
        return path.read_bytes()


def require(path: Path, content: Mapping[str, Any], key: str, kind: type | tuple[type, ...]) -> Any:
    """Return an entry that must be there and of a type; True is no number."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if key not in content:
        raise GraphFileError(path, f"{key!r} is missing")
    value = content[key]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(each.__name__ for each in kinds)
        raise GraphFileError(path, f"{key!r} must be of type {wanted}, it is {value!r:.60}")
    return value


def require_number(path: Path, content: Mapping[str, Any], key: str, least: float, most: float) -> float:
    """Return a number that must be there and within a range; NaN is in none."""
    value = require(path, content, key, (int, float))
    if not least <= value <= most:
        raise GraphFileError(path, f"{key!r} must be a number from {least:g} to {most:g}, it is {value!r:.40}")
    return float(value)


def check_format(path: Path, content: Mapping[str, Any], name: str, version: int) -> None:
    """Refuse a file of another kind or of another version."""
    if content.get("format") != name:
        raise GraphFileError(path, f"'format' must be {name!r}, it is {content.get('format')!r:.60}")
    if require(path, content, "version", int) != version:
        rule = f"it has version {content['version']} of the format, this package reads version {version}"
        raise GraphFileError(path, rule)
