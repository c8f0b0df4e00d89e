"""Read and write tables of edges: CSV and TSV, with or without names of columns, and tables of nodes beside them.

A row is an edge. Where the first line names the columns, two of them hold the labels of the ends and one may hold the
weights; without names a row is ``u,v`` or ``u,v,weight``. A table of nodes has the labels in its first column, and may
have weights. Files without quotes are split by a few operations on the whole text; others go through the csv module.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from annealco import _core
from annealco.arrays import FloatArray, IntArray
from annealco.errors import GraphFileError, InputError
from annealco.files import file_errors
from annealco.graph.construction import WEIGHT, DefaultName, NodeTable, as_floats, number_labels
from annealco.graph.formats.assemble import assemble, from_listed_edges, single_offsets
from annealco.graph.formats.text import (
    Text,
    check_text_labels,
    label_array,
    number,
    number_text,
    read_text,
    typed_labels,
)
from annealco.graph.graph import Graph
from annealco.graph.interop import as_node_table, unknown_name

SEPARATORS = {".csv": "", ".tsv": "\t", ".tab": "\t"}
"""Separators by extension; the first line tells whether it is the comma or the semicolon."""

ENDS = ("source", "target")
"""The columns of the ends where the user names none, in upper or lower case."""

LABEL_NAMES = frozenset({"node", "id", "label", "name"})
"""First names of a line that names the columns of a table of nodes."""

END_NAMES = frozenset(
    {"source", "target", "from", "to", "src", "dst", "u", "v", "i", "j", "node1", "node2", "node_1", "node_2"}
    | {"id1", "id2", "start", "end", "head", "tail", "weight"}
)
"""What columns of ends are called: a first line of two of these is no edge."""


@dataclass(frozen=True)
class Table:
    """The cells of a file by columns, the first line among them.

    Attributes:
        text: the file.
        columns: [num_columns][num_rows] cells, without blanks around them.
        line: [num_rows] line of each row.
    """

    text: Text
    columns: list[list[str]]
    line: IntArray

    @property
    def first(self) -> list[str]:
        """The cells of the first row."""
        return [column[0] for column in self.columns]

    def without_first(self) -> Table:
        """Return the table without its first row."""
        return replace(self, columns=[column[1:] for column in self.columns], line=self.line[1:])

    def error(self, rule: str, row: int) -> GraphFileError:
        """Return the error that a row breaks a rule."""
        return self.text.error(rule, line=int(self.line[row]))

    def labels(self, *numbers: int) -> list[list[str]]:
        """Return columns of labels, none of which may be empty; the first row with an empty one is told."""
        columns = [self.columns[number] for number in numbers]
        empty = [(cells.index(""), number) for number, cells in zip(numbers, columns, strict=True) if "" in cells]
        if empty:
            row, number = min(empty)
            raise self.error(f"the label in column {number + 1} is missing", row)
        return columns

    def weights(self, column: int, hint: str = "") -> FloatArray:
        """Return a column of finite numbers; ``hint`` is what an error in the first row adds."""
        cells = self.columns[column]
        try:
            values = np.array(list(map(float, cells)))
            if np.isfinite(values).all() and "".join(cells).isascii() and "_" not in "".join(cells):
                return values
        except ValueError:
            pass
        row = next(row for row, cell in enumerate(cells) if number(cell) is None)
        what = f"the weight {cells[row][:40]!r} is not a finite number" if cells[row] else "the weight is missing"
        raise self.error(what + hint * (row == 0), row)


def read_csv(
    path: Path,
    *,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
    separator: str = "",
) -> Graph:
    """Read a table with an edge in each row.

    Args:
        path: the file.
        node_weight: column of the table of nodes that holds the weights, ``weight`` where there is one; None for none.
        edge_weight: column of the edge weights, likewise.
        ends: columns of the ends, ``source`` and ``target`` by default; without names, the first two columns.
        nodes: the table of nodes, a file or what `as_graph` takes; by default the nodes are those that occur.
        separator: what separates the cells; by default a comma, or a semicolon where the first line has no comma.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    text = read_text(path)
    found = None
    if nodes is None and ends is None and all(isinstance(each, DefaultName) for each in (node_weight, edge_weight)):
        found = _read_numbers(text, separator)
    if found is not None:
        return found
    given = {"node_weight": node_weight, "edge_weight": edge_weight, "ends": ends, "nodes": nodes}
    return read_rows(text, **given, separator=separator)


def _read_numbers(text: Text, separator: str) -> Graph | None:
    """Read rows of numbers in the core, as an edge list; None where a row is anything else, or breaks a rule.

    The core splits at blanks. So there must be none, no cell may be empty, and no number be written in a way that makes
    it text in a table: with zeros or a sign before it.
    """
    content = text.content
    first, _, rest = content.partition(b"\n")
    sign = separator.encode() or (b";" if b";" in first and b"," not in first else b",")
    header = [cell.strip().lower() for cell in first.decode().split(sign.decode())]
    if header in ([*ENDS], [*ENDS, WEIGHT]):
        content = rest
    content = content.removesuffix(b"\n")
    width, rows = len(header), content.count(b"\n") + 1
    # A 1 stands for all digits but 0.
    cells = (sign + content.replace(b"\n", sign) + sign).translate(bytes.maketrans(b"23456789", b"1" * 8))
    if (
        width not in (2, 3)
        or not content[:1].isdigit()
        or content.count(sign) != rows * (width - 1)
        or content.translate(None, b"0123456789.eE+-\n" + sign)
        or any(sign + each in cells for each in (sign, b"+", b"-", b"00", b"01"))
    ):
        return None
    found = _core.read_edge_list(content.replace(sign, b" ") + b"\n", _core.Clock())
    if found is None:
        return None
    names = found.names.astype(np.int64)
    return from_listed_edges(text.path, found.edges, names, keep_names=bool(names[-1] != len(names) - 1))


def read_rows(
    text: Text,
    *,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
    separator: str = "",
) -> Graph:
    """Read a table cell by cell, where it has text, columns of other names, or breaks a rule; see `read_csv`."""
    table = cells_of(text, separator)
    one, two, weight = _find_columns(table, edge_weight, ends)
    if one is None or two is None:
        body, one, two, hint = table, 0, 1, "; where line 1 names the columns, say by ends which hold the ends of edges"
        _check_unnamed(table, edge_weight)
        weight = 2 if len(table.columns) == 3 and edge_weight is not None else None
    else:
        body, hint = table.without_first(), ""
        _check_undirected(table)
    first, second = body.labels(one, two)
    return labelled_graph(
        table.text,
        first,
        second,
        body.line,
        edge_weight=None if weight is None else body.weights(weight, hint),
        nodes=find_nodes(nodes, node_weight, table.text.path),
    )


read_tsv = partial(read_csv, separator="\t")


def read_cells(path: Path, separator: str = "") -> Table:
    """Read the cells of a file, all rows equally wide; blank lines are skipped.

    Args:
        path: the file.
        separator: what separates the cells; by default a comma, or a semicolon where the first line has no comma.
    """
    return cells_of(read_text(path), separator)


def cells_of(text: Text, separator: str = "") -> Table:
    """Return the cells of a text, as `read_cells` does."""
    lines = text.content.decode().split("\n")
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise text.error("the file holds no rows")
    separator = separator or (";" if ";" in first and "," not in first else ",")
    if b'"' in text.content:
        return _quoted_cells(text, separator)
    numbers = np.flatnonzero(np.fromiter(map(str.strip, lines), np.bool_, len(lines))) + 1
    rows = lines if len(numbers) == len(lines) else [lines[number - 1] for number in numbers]
    width = first.count(separator) + 1
    wrong = np.fromiter(map(methodcaller("count", separator), rows), np.int64, len(rows)) != width - 1
    if wrong.any():
        row = int(np.argmax(wrong))
        raise _ragged(text, rows[row].count(separator) + 1, width, int(numbers[row]))
    cells = list(map(str.strip, separator.join(rows).split(separator)))
    return Table(text, [cells[column::width] for column in range(width)], numbers)


def _quoted_cells(text: Text, separator: str) -> Table:
    """Split a text in which cells may be quoted, and may hold separators and line ends then."""
    rows: list[list[str]] = []
    numbers: list[int] = []
    reader = csv.reader(io.StringIO(text.content.decode(), newline=""), delimiter=separator, strict=True)
    before = 0
    try:
        for row in reader:
            if any(map(str.strip, row)) or len(row) > 1:
                rows.append(row)
                numbers.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise text.error(f"not a table: {error}", line=before + 1) from None
    if not rows:
        raise text.error("the file holds no rows")
    for row, line in zip(rows, numbers, strict=True):
        if len(row) != len(rows[0]):
            raise _ragged(text, len(row), len(rows[0]), line)
    columns = [list(map(str.strip, column)) for column in zip(*rows, strict=True)]
    return Table(text, columns, np.array(numbers, dtype=np.int64))


def _ragged(text: Text, count: int, width: int, line: int) -> GraphFileError:
    cells = f"{count} cell{'s' * (count != 1)}"
    return text.error(f"every row must have {width} cells as the first, this one has {cells}", line=line)


def _find_columns(table: Table, edge_weight: Any, ends: Any) -> tuple[int | None, int | None, int | None]:
    """Return the columns of the ends and of the weights; no ends where the first line names no columns."""
    lower = [name.lower() for name in table.first]
    asked = [] if edge_weight is None or isinstance(edge_weight, DefaultName) else [edge_weight]
    named = ends is not None or all(name in lower for name in ENDS) or any(name in table.first for name in asked)
    if not named:
        return None, None, None
    one, two = (_column(table, lower if ends is None else table.first, name, ends) for name in ends or ENDS)
    if asked:
        return one, two, _column(table, table.first, edge_weight, asked)
    return one, two, _weight_column(table, edge_weight)


def _weight_column(table: Table, name: Any) -> int | None:
    """Return the column ``weight`` in upper or lower case, where there is one and weights are not to be ignored."""
    lower = [cell.lower() for cell in table.first]
    return _column(table, lower, WEIGHT, given=True) if name is not None and WEIGHT in lower else None


def _column(table: Table, names: list[str], name: Any, given: Any) -> int:
    if names.count(name) == 1:
        return names.index(name)
    if name in names:
        raise table.error(f"{names.count(name)} columns are called {name!r:.60}; rename all but one", 0)
    remedy = "" if given else "; say by ends which columns hold the ends of edges"
    raise table.error(unknown_name("there is no column", name, table.first) + remedy, 0)


def _check_unnamed(table: Table, edge_weight: Any) -> None:
    """Raise unless the rows of a table without names are edges, or if its first line seems to name the columns."""
    remedy = "say by ends which columns hold the ends of edges, or call them source and target"
    shown = ", ".join(cell[:40] for cell in table.first[:8])
    if edge_weight is not None and not isinstance(edge_weight, DefaultName):
        raise table.error(f"there is no column {edge_weight!r:.60}: line 1 has {shown}", 0)
    if len(table.columns) not in (2, 3):
        cells = f"{len(table.columns)} cell{'s' * (len(table.columns) != 1)}"
        rule = f"without names of columns a row is 'u,v' or 'u,v,weight', this one has {cells}"
        raise table.error(f"{rule}; {remedy}", 0)
    known = all(name.lower() in END_NAMES for name in table.first[:2])
    if known or any(map(_begins_with_name, table.columns)):
        raise table.error(f"this line seems to name the columns ({shown}): {remedy}", 0)


def _begins_with_name(column: list[str]) -> bool:
    """Tell whether all cells of a column but the first are numbers."""
    if len(column) < 2 or number(column[0]) is not None or number(column[1]) is None:
        return False
    return all(number(cell) is not None for cell in column[1:])


def _check_undirected(table: Table) -> None:
    """Raise if a column Type, as Gephi writes it, says that an edge is directed."""
    for column in table.columns:
        if column[0].lower() == "type":
            found = [row for row, cell in enumerate(column) if cell.lower() == "directed"]
            if found:
                raise table.error("directed: the Type of this edge must be Undirected", found[0])


def find_nodes(nodes: Any, node_weight: Any, path: str) -> NodeTable | None:
    """Return a table of nodes from a file or a container; None where there is none.

    Args:
        nodes: the file or container, or None.
        node_weight: column of the weights.
        path: the file of the edges, for the error.
    """
    if isinstance(nodes, str | PathLike):
        return read_nodes(nodes, node_weight)
    if nodes is not None:
        return as_node_table(nodes, node_weight)
    if node_weight is not None and not isinstance(node_weight, DefaultName):
        rule = f"node_weight is a column of the table of nodes: give that as nodes, to find {node_weight!r:.60}"
        raise GraphFileError(path, rule)
    return None


def read_nodes(path: str | PathLike[str], node_weight: Any = WEIGHT) -> NodeTable:
    """Read a table of nodes: labels in the first column, and weights where a column of that name has them.

    The first line names the columns if ``node_weight`` is given, if it begins with node, id, label or name, or if one
    of its columns is called weight. Without names a row is a label, or a label and a weight. The labels are text.

    Raises:
        GraphFileError: naming the line and the rule it breaks.
    """
    file = Path(path)
    ending = Path(file.name.lower().removesuffix(".gz")).suffix
    if ending not in SEPARATORS:
        raise GraphFileError(
            file, f"a table of nodes must be a file .csv, .tsv or .tab, not {ending or 'one without'!r}"
        )
    with file_errors(file, "read"):
        table = read_cells(file, SEPARATORS[ending])
    lower = [name.lower() for name in table.first]
    asked = node_weight is not None and not isinstance(node_weight, DefaultName)
    named = asked or lower[0] in LABEL_NAMES or WEIGHT in lower
    if not named and node_weight is None:
        named = any(map(_begins_with_name, table.columns))
    if not named:
        if len(table.columns) > 2:
            rule = (
                f"without names of columns a row is 'label' or 'label,weight', this one has {len(table.columns)} cells"
            )
            raise table.error(f"{rule}; say by node_weight which column holds the weights", 0)
        if _begins_with_name(table.columns[0]):
            raise table.error(f"{table.first[0][:40]!r} is no number as the other labels are; a name is 'node'", 0)
        weight = 1 if len(table.columns) == 2 and node_weight is not None else None
        hint = "; where line 1 names the columns, say by node_weight which holds the weights"
        return _node_table(table, weight, hint)
    weight = _column(table, table.first, node_weight, given=True) if asked else _weight_column(table, node_weight)
    return _node_table(table.without_first(), weight, "")


def _node_table(table: Table, weight: int | None, hint: str) -> NodeTable:
    [labels] = table.labels(0)
    seen: dict[str, int] = {}
    for row, label in enumerate(labels):
        if seen.setdefault(label, row) != row:
            raise table.error(f"the label {label[:40]!r} already occurs in line {table.line[seen[label]]}", row)
    if weight is None:
        return NodeTable(labels, None, table.text.path)
    values = table.weights(weight, hint)
    if (values < 0).any():
        row = int(np.argmax(values < 0))
        raise table.error(f"node weights must not be negative, node {labels[row][:40]} has {values[row]:g}", row)
    return NodeTable(labels, values.tolist(), table.text.path)


def labelled_graph(
    text: Text,
    one: list[str],
    two: list[str],
    line: IntArray,
    *,
    edge_weight: FloatArray | None = None,
    nodes: NodeTable | None = None,
) -> Graph:
    """Build the graph of labels in a file: integers where all of them are, and text otherwise.

    Args:
        text: the file.
        one: [num_edges] labels.
        two: [num_edges] labels of the other ends.
        line: [num_edges] line of each edge.
        edge_weight: [num_edges], finite.
        nodes: all nodes, labels of text or of their own types; by default those that occur.
    """
    listed = [] if nodes is None else list(nodes.labels)
    own = set(map(type, listed)) - {str}
    typed = typed_labels([*one, *two] if own else [*one, *two, *listed])
    count = len(one)
    table = None if nodes is None else replace(nodes, labels=listed if own else typed[2 * count :])
    try:
        ends, names = number_labels(typed[:count], typed[count : 2 * count], table, text.path)
        weight = None if table is None or table.weight is None else as_floats(table.weight, "node", table.origin)
    except GraphFileError:
        raise
    except InputError as error:
        raise text.error(error.rule, line=None if error.edge is None else int(line[error.edge])) from None
    return assemble(
        text.path,
        ends,
        node_ptr=single_offsets(len(names)),
        names=label_array(names),
        keep_names=names != list(range(len(names))),
        edge_line=line,
        edge_weight=edge_weight,
        node_weight=weight,
    )


def write_csv(graph: Graph, separator: str = ",") -> bytes:
    r"""Return a graph as a table with the columns source, target and, unless all weigh 1, weight.

    Example:
        >>> write_csv(Graph.from_edges([[0], [1]], node_labels=["a", "b, c"], edge_weight=[2.5]))
        b'source,target,weight\na,"b, c",2.5\n'
    """
    labels = graph.labels.tolist()
    check_text_labels(labels, "a table")
    output = io.StringIO()
    writer = csv.writer(output, delimiter=separator, lineterminator="\n")
    columns = [[labels[node] for node in ends] for ends in graph.edges.tolist()]
    weighted = bool(np.any(graph.edge_weight != 1))
    if weighted:
        columns.append(list(map(number_text, graph.edge_weight.tolist())))
    writer.writerow([*ENDS, WEIGHT][: 2 + weighted])
    writer.writerows(zip(*columns, strict=True))
    return output.getvalue().encode()


write_tsv = partial(write_csv, separator="\t")
