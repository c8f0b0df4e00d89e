"""Keep best-known values in files to which rows are only ever appended.

The first line of a file says which set, version, split and problem it is of. Every further line is a row
``[case, value, proven, seconds, method, nodes]``: number of the test graph or of the cut instance, value of the set,
whether it is proven optimal, the time it took, what found and proved it, and the nodes as bits in base64, or null where
they are not kept. Rows of cuts have the set's volume as well. Several rows may be of one case: the best counts.

A row ends with the CRC-32 of the first line and of itself, so that a value that was changed, or a row of another file,
is noticed. Values are not scored again when they are read: that would take the graphs, and not all sets are kept.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.errors import GraphFileError
from annealco.files import LineWriter, read_lines

_ROW = [int, float, int, float, str, str]
_VOLUME = [int]


@dataclass(frozen=True)
class Reference:
    """The best-known value of one test graph, or of one instance of the cut protocol.

    Attributes:
        case: number of the graph in the test split, or of the instance in `cut_instances`.
        value: the problem's plain score of the set.
        proven: whether no set is better.
        method: what found the set and proved the bound.
        seconds: wall-clock time it took, to the millisecond.
        nodes: the set, numbered in the graph, in ascending order; None where it is not kept.
        volume: of the set, for cuts.
    """

    case: int
    value: float
    proven: bool
    method: str
    seconds: float
    nodes: tuple[int, ...] | None
    volume: int | None = None


def reference_to_line(reference: Reference) -> str:
    """Return the row of a reference."""
    value = int(reference.value) if float(reference.value).is_integer() else reference.value
    bits = None if reference.nodes is None else _as_text(reference.nodes)
    row = [reference.case, value, int(reference.proven), round(reference.seconds, 3), reference.method, bits]
    return json.dumps(row + [reference.volume] * (reference.volume is not None), separators=(",", ":"))


def _as_text(nodes: tuple[int, ...]) -> str:
    mask = np.zeros(max(nodes, default=-1) + 1, dtype=bool)
    mask[list(nodes)] = True
    return base64.b64encode(np.packbits(mask).tobytes()).decode("ascii")


def _as_nodes(text: str) -> tuple[int, ...]:
    bits: NDArray[np.uint8] = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
    return tuple(np.flatnonzero(np.unpackbits(bits)).tolist())


def reference_from_line(line: str) -> Reference:
    """Return the reference of a row.

    Raises:
        ValueError: where it is no row.
    """
    row = json.loads(line)
    kinds = [type(entry) for entry in row] if isinstance(row, list) else []
    # A whole number is written as one, and nodes that are not kept as null.
    usual = {1: (int, float), 3: (int, float), 5: (type(None), str)}
    kinds = [
        usual[place][1] if place in usual and kind is usual[place][0] else kind for place, kind in enumerate(kinds)
    ]
    if kinds not in (_ROW, _ROW + _VOLUME):
        raise ValueError("a row has six entries, case, value, proven, seconds, method, nodes, and for cuts a volume")
    case, value, proven, seconds, method, text, *volume = row
    nodes = None if text is None else _as_nodes(text)
    return Reference(case, float(value), bool(proven), method, float(seconds), nodes, *volume)


def with_checksum(line: str, header: dict[str, Any]) -> str:
    """Return a row with its checksum.

    Example:
        >>> with_checksum("[1,2]", {"set": "x"})
        '[1,2,"6e4bd66e"]'
    """
    return f'{line[:-1]},"{zlib.crc32((json.dumps(header) + line).encode()):08x}"]'


def without_checksum(line: str, header: dict[str, Any]) -> str:
    """Return a row without its checksum; raise a ValueError where that is not the row's."""
    row = line.rpartition(",")[0] + "]"
    if line != with_checksum(row, header):
        raise ValueError("its checksum is missing or wrong; delete the line to compute it anew")
    return row


def read_references(path: Path, header: dict[str, Any]) -> list[Reference]:
    """Read the complete rows of a file; one that does not exist has none.

    Raises:
        GraphFileError: where the file is of another set, version or problem, or a row is damaged.
    """
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            if number == 1 and line != json.dumps(header):
                raise GraphFileError(path, f"it is of {line}, not of {json.dumps(header)}", line=1)
            if number > 1:
                rows.append(reference_from_line(without_checksum(line, header)))
        except GraphFileError:
            raise
        except (ValueError, binascii.Error) as error:
            raise GraphFileError(path, f"damaged: {error}", line=number) from None
    return rows


def append_references(path: Path, header: dict[str, Any], rows: Iterable[Reference]) -> Iterable[Reference]:
    """Append rows one by one as they come, and pass them on when they are written."""
    writer = LineWriter(path)
    if writer.is_new:
        writer.write(json.dumps(header))
    for row in rows:
        writer.write(with_checksum(reference_to_line(row), header))
        yield row
