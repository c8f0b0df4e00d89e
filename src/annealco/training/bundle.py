"""A JSON file and the tensors it names, replaced together or not at all.

Tensors go to a file of their own that is named by its content; then the JSON file, which names them and their digest,
takes the place of the old one by a rename; then the old tensors are deleted. A kill in between leaves the old JSON file
with the old tensors, or the new one with the new. Neither file can hold code.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.storage import check_regular, file_errors, store

MAX_JSON = 64 * 2**20
"""Most bytes of a JSON file."""

MAX_TENSORS = 2**31
"""Most bytes of a file of tensors: the largest network with what Adam remembers has fewer."""

Json = dict[str, Any]


def write_bundle(path: Path, content: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """Write ``NAME.json`` and ``NAME-DIGEST.safetensors`` beside it.

    Args:
        path: of the JSON file.
        content: JSON-able; the keys ``tensors`` and ``sha256`` are set here.
        tensors: by name.
    """
    from safetensors.torch import save

    packed = save({name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()})
    digest = hashlib.sha256(packed).hexdigest()
    file = path.with_name(f"{path.stem}-{digest[:16]}.safetensors")
    text = json.dumps({**content, "tensors": file.name, "sha256": digest}, indent=1, allow_nan=True)
    with file_errors(file, "written"):
        store(file, packed)
    with file_errors(path, "written"):
        store(path, text.encode())
    for other in tensor_files(path):
        if other != file:
            other.unlink(missing_ok=True)


def tensor_files(path: Path) -> list[Path]:
    """Return the files of tensors beside a JSON file, named by it or left behind; folders are not ours."""
    pattern = re.compile(re.escape(path.stem) + r"-[0-9a-f]{16}\.safetensors")
    return sorted(each for each in path.parent.iterdir() if pattern.fullmatch(each.name) and not each.is_dir())


def read_bundle(path: Path) -> tuple[Json, dict[str, Tensor]]:
    """Read what `write_bundle` wrote.

    Raises:
        InputError: naming the file and the rule it breaks.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    content = read_json(path)
    name, digest = require(path, content, "tensors", str), require(path, content, "sha256", str)
    if not re.fullmatch(re.escape(path.stem) + r"-[0-9a-f]{16}\.safetensors", name):
        raise GraphFileError(path, f"the file of tensors must be named {path.stem}-DIGEST.safetensors, not {name!r}")
    file = path.with_name(name)
    packed = _read(file, MAX_TENSORS)
    if hashlib.sha256(packed).hexdigest() != digest:
        raise GraphFileError(file, f"this is not the file that {path.name} describes: it is truncated or was changed")
    try:
        return content, load(packed)
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
