"""The commands `annealco data ...`: which sets of graphs there are, and what is in them.

`list` shows the sets, `info` looks into sets and graph files, `make` draws random graphs and brings sets into the
cache, `verify` checks that sets are what they should be, `reference` computes best-known values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from annealco.errors import GraphFileError, InputError
from annealco.terminal import counted, printable, say, show, show_table, watched

if TYPE_CHECKING:
    from annealco.datasets import Dataset
    from annealco.graph.graph import Graph


NodeWeight = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Attribute or column of the node weights; 'none': all weigh 1.", show_default="weight"
    ),
]
EdgeWeight = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Attribute or column of the edge weights; 'none': all weigh 1.", show_default="weight"
    ),
]
Ends = Annotated[
    str | None,
    typer.Option(metavar="FROM,TO", help="Columns of a table with the ends of edges.", show_default="source,target"),
]
NodesFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Table of the nodes of an edge list or table: labels, and weights if it has any."
    ),
]
"""What files call their parts, for all commands that read graphs."""


def names_in_files(
    node_weight: str | None = None, edge_weight: str | None = None, ends: str | None = None, nodes: Path | None = None
) -> dict[str, Any]:
    """Return those of the options above that were given, as `read_graph` takes them.

    Example:
        >>> names_in_files(node_weight="none", ends="from,to")
        {'node_weight': None, 'ends': ('from', 'to')}
    """
    given: dict[str, Any] = {"node_weight": node_weight, "edge_weight": edge_weight, "ends": ends, "nodes": nodes}
    given = {name: value for name, value in given.items() if value is not None}
    if "ends" in given:
        given["ends"] = tuple(given["ends"].split(","))
    return {name: None if value == "none" else value for name, value in given.items()}


def list_datasets(
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each set.")] = False,
) -> None:
    """List the sets by name, with their size, the problems they serve, and whether they are on the disk.

    Nodes and edges are means over the graphs of a real set, and over the first 200 training graphs of a synthetic one;
    of a synthetic set, the column disk has how many graphs are in the cache. 'annealco data info NAME' has the source.
    """
    from annealco.datasets import DATASETS

    rows = []
    for each in DATASETS.values():
        place = on_disk(each, data_root)
        if as_json:
            keys = (
                "name",
                "title",
                "kind",
                "graphs",
                "mean_nodes",
                "mean_edges",
                "problems",
                "source",
                "licence",
                "note",
            )
            show(json.dumps({key: getattr(each, key) for key in keys} | {"on_disk": place}))
        sizes = [str(each.graphs), f"{each.mean_nodes:.0f}", f"{each.mean_edges:.0f}"]
        stored = "no" if place is None else place.removesuffix(" graphs") if each.kind == "synthetic" else "yes"
        rows.append([each.name, *sizes, " ".join(each.problems), stored])
    if not as_json:
        headings = ["set", "graphs", "nodes", "edges", "problems", "disk"]
        show_table(headings, rows, numbers=headings[1:4])
        # What real sets are, and that some are a part of what their name says.
        real = [each for each in DATASETS.values() if each.kind == "real"]
        show("\n" + "\n".join(f"{each.name}: {each.title}" for each in real))


def on_disk(dataset: Dataset, data_root: Path | None = None) -> str | None:
    """Say what of a set is on the disk: its file, or how many of its graphs are in the cache; None if nothing."""
    from annealco.datasets.cache import CHUNK, all_chunks, find_file

    if dataset.kind == "synthetic":
        cached = CHUNK * sum(1 for _ in all_chunks(dataset))
        return f"{cached} graphs" if cached else None
    path = find_file(dataset, data_root)
    return None if path is None else path.name


MAX_ROWS = 20
"""Graphs of a file that are shown one by one."""

SHOWN = 200
"""Graphs of a synthetic set that are looked at by default: it never ends."""

BINS, BAR = 12, 40
"""Rows of a histogram, and the length of its longest bar."""

NUMBERS = ("nodes", "edges", "density", "degree_min", "degree_mean", "degree_max", "components", "planted_size")
"""Statistics that are shown as columns, where a file has them."""

SHORT = {"components": "parts", "planted_size": "planted"}
"""Headings of columns that would not fit 80 characters by their names."""


def show_info(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME|FILE...", help="Names from 'annealco data list', or files of one or many graphs, or folders."
        ),
    ],
    *,
    format_name: Annotated[
        str | None,
        typer.Option("--format", help="Of files: a name from 'annealco list formats'; by default the extension tells."),
    ] = None,
    node_weight: NodeWeight = None,
    edge_weight: EdgeWeight = None,
    ends: Ends = None,
    nodes: NodesFile = None,
    split: Annotated[str, typer.Option(help="Of sets: train, validation, test or all.")] = "all",
    count: Annotated[
        int | None,
        typer.Option(help=f"Of sets: the first so many graphs; {SHOWN} of a synthetic set.", show_default=False),
    ] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each graph.")] = False,
) -> None:
    """Print size, density, degrees and components of the graphs in files, and of sets with histograms."""
    from annealco.datasets.registry import DATASETS
    from annealco.graph.formats import read_graph

    given = names_in_files(node_weight, edge_weight, ends, nodes)
    found: list[tuple[str, list[dict[str, Any]]]] = []
    try:
        for name in names:
            dataset = DATASETS.get(name) if format_name is None and not given else None
            if dataset is not None:
                rows = _info_rows(_load(dataset, split, count, data_root))
            else:
                rows = _info_rows(read_graph(name, format=format_name, **given))
            if as_json:
                for row in rows:
                    show(json.dumps({"file": name, **row}))
            elif dataset is not None:
                _show_set(dataset, rows)
            else:
                found.append((name, rows))
    finally:
        # One table for all files; a broken one does not hide what was read before it.
        if found:
            _show_info(found)


def _load(dataset: Dataset, split: str, count: int | None, data_root: Path | None) -> Graph:
    from annealco.datasets import load_dataset

    if count is None and dataset.kind == "synthetic":
        count = SHOWN
    return load_dataset(dataset.name, split, count=count, data_root=data_root)


def _show_set(dataset: Dataset, rows: list[dict[str, Any]]) -> None:
    """Print what is known of a set, and how the numbers of its graphs are spread."""
    show(f"{dataset.name}: {dataset.title}")
    show(f"{dataset.kind}, {len(rows)} of {dataset.graphs} graphs, for {', '.join(dataset.problems)}")
    show(f"source: {dataset.source}; licence: {dataset.licence}")
    if dataset.published is not None:
        graphs, nodes, edges = dataset.published
        show(f"published: {graphs} graphs, {nodes} nodes and {edges} edges on average")
    if dataset.note:
        show(dataset.note)
    keys = [key for key in NUMBERS if any(row[key] is not None for row in rows)]
    headings = [SHORT.get(key, key.replace("_", " ")) for key in keys]
    if rows:
        show("")
        cells = [
            [name, *(_number(summary([row[key] for row in rows])) for key in keys)]
            for name, summary in _summaries().items()
        ]
        show_table(["", *headings], cells, numbers=headings)
    for key in ("nodes", "edges", "density"):
        show("")
        show_table([key, "graphs", ""], histogram([row[key] for row in rows]), numbers=["graphs"])


def histogram(values: Sequence[float]) -> list[list[str]]:
    """Return the rows of a histogram: a range of values, how many there are, a bar.

    Example:
        >>> for row in histogram([1, 1, 1, 2]):
        ...     print(row)
        ['1', '3', '########################################']
        ['2', '1', '#############']
    """
    if not values:
        return []
    low, high = min(values), max(values)
    whole = all(isinstance(value, int) for value in values)
    width = max(1, -(-(high - low + 1) // BINS)) if whole else (high - low) / BINS
    bins = 1 if width == 0 else min(BINS, int((high - low) // width) + 1)
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int((value - low) // width) if width else 0)] += 1
    rows = []
    for place, count in enumerate(counts):
        start = low + place * width
        end = min(high, start + width - 1) if whole else start + width
        text = _number(start) if start == end else f"{_number(start)} - {_number(end)}"
        rows.append([text, str(count), "#" * round(BAR * count / max(counts))])
    return rows


def _info_rows(graph: Graph) -> list[dict[str, Any]]:
    """Return the statistics of each graph under the names that JSON shows."""
    from annealco.graph.operations import describe

    absent = [None] * graph.num_graphs
    names = graph.graph_data.get("name")
    columns = {"graph": range(graph.num_graphs), "name": absent if names is None else map(str, names.tolist())}
    columns |= {key: absent if values is None else values.tolist() for key, values in vars(describe(graph)).items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _show_info(found: list[tuple[str, list[dict[str, Any]]]]) -> None:
    """Print a table with the rows of each file; columns that say nothing of any graph are left out."""
    every = [row for _, rows in found for row in rows]
    columns = {name: cell for name, cell in _COLUMNS.items() if not every or {*map(cell, every)} != {"-"}}
    lines = [line for file, rows in found for line in _file_lines(file, rows)]
    cells = [[label, *(cell(row) if row else "" for cell in columns.values())] for label, row in lines]
    show_table(["graph", *columns], cells, numbers=[name for name in columns if name != "weights"])


def _file_lines(file: str, rows: list[dict[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what lines are called, and their statistics: the first graphs one by one, then the extremes and the mean.

    A file with one graph is one line. One with many has a line of its own, without statistics.
    """
    if len(rows) == 1:
        yield file, rows[0]
        return
    yield file if rows else f"{file}: none", {}
    for row in rows[:MAX_ROWS]:
        yield f"  {_label(row)}", row
    if len(rows) > MAX_ROWS:
        yield "  ...", {}
    for name, summary in _summaries().items() if rows else ():
        columns = {key: [row[key] for row in rows] for key in NUMBERS}
        label = f"{len(rows)} graphs min" if name == "min" else name
        yield f"  {label}", {key: None if None in each else summary(each) for key, each in columns.items()}


def _summaries() -> dict[str, Callable[[list[float]], float]]:
    """Return what is told of many numbers, by name."""
    # It brings fractions, decimals and random numbers, which all other commands do without.
    from statistics import fmean

    return {"min": min, "mean": fmean, "max": max}


def _label(row: Mapping[str, Any]) -> str:
    return str(row["graph"]) if row["name"] is None else f"{row['graph']} {row['name']}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    # Of large means, hundredths only make columns wide.
    return f"{value:.3g}" if value < 1 else f"{value:.2f}" if value < 1000 else f"{value:.0f}"


def _range(row: Mapping[str, Any]) -> str:
    """Return the least and the largest degree; the means of these over graphs say little."""
    ends = row["degree_min"], row["degree_max"]
    return "" if any(isinstance(each, float) for each in ends) else "..".join(map(_number, ends))


def _weights(row: Mapping[str, Any]) -> str:
    """Return what is weighted of a graph; nothing of many."""
    kinds = [kind for kind in ("node", "edge") if row.get(f"{kind}_weighted")]
    return " ".join(kinds) if kinds or "node_weighted" not in row else "-"


_COLUMNS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "nodes": lambda row: _number(row["nodes"]),
    "edges": lambda row: _number(row["edges"]),
    "density": lambda row: _number(row["density"]),
    "degree": lambda row: _number(row["degree_mean"]),
    "min..max": _range,
    "parts": lambda row: _number(row["components"]),
    "planted": lambda row: _number(row["planted_size"]),
    "weights": _weights,
}
"""What the table of files shows of a graph, by the heading."""


CHUNK = 32
"""Graphs drawn between two steps of the progress bar."""

Value = TypeVar("Value")


def make_graphs(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from 'annealco data list'.")],
    *,
    count: Annotated[
        int | None, typer.Option(help="Number of graphs; by default all of the split.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the files, made if missing; by default the cache.", show_default=False),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(help="train, validation, test or all. Default: train with --out or --count, else all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Sets of different seeds are independent.")] = 0,
    format_name: Annotated[
        str,
        typer.Option(
            "--format", help="With --out: a name from 'annealco list formats'. Only npz keeps planted solutions."
        ),
    ] = "npz",
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
) -> None:
    """Draw the graphs of a set, or fetch them: the same bytes for the same name, split, count and seed.

    With --out, a format of many graphs gets one file NAME-seedS.npz, any other one file per graph: NAME-seedS-00000.col
    and so on; --split is part of the name where it is given. Without, the graphs go to the cache, where training and
    benchmarks find them; what was interrupted goes on where it stopped.
    """
    from annealco.datasets.registry import find_dataset
    from annealco.datasets.splits import check_split
    from annealco.graph.formats import FORMATS

    dataset = find_dataset(name)
    _choose("format", format_name, {name: entry for name, entry in FORMATS.items() if entry.write is not None})
    chosen = split or ("all" if out is None and count is None else "train")
    check_split(chosen)
    if out is None:
        if format_name != "npz":
            raise InputError("the cache holds npz files; --format goes with --out")
        if dataset.kind == "synthetic":
            _fill_cache(dataset, chosen, count, seed)
        elif (count, split, seed) != (None, None, 0):
            raise InputError(f"{name} is kept as a whole; --count, --split and --seed go with --out")
        else:
            _fetch(dataset, data_root)
        return
    if out.exists() and not out.is_dir():
        raise GraphFileError(out, "it is not a folder")
    graph = _graphs(dataset, chosen, count, seed, data_root)
    _write(graph, out, f"{name}-seed{seed}" + (f"-{split}" if split else ""), format_name)


def _choose(kind: str, name: str, choices: Mapping[str, Value]) -> Value:
    if name not in choices:
        raise InputError(f"unknown {kind} {name!r}; choose one of {', '.join(choices)}")
    return choices[name]


def _fill_cache(dataset: Dataset, split: str, count: int | None, seed: int) -> None:
    from annealco.datasets.cache import CHUNK, check_count, make_chunks, remove_damaged, set_folder, split_folder
    from annealco.datasets.load import split_counts

    wanted = split_counts(split, None if count is None else check_count(count))
    for each, number in wanted.items():
        damaged = remove_damaged(split_folder(dataset, each, seed))
        if damaged:
            say(f"{dataset.name} {each}: {counted(damaged, 'damaged file')} removed from the cache, to be drawn anew")
        made = make_chunks(dataset, each, seed=seed, count=number)
        for _ in watched(made, f"drawing {each}", total=-(-number // CHUNK)):
            pass
    sizes = ", ".join(f"{number} in {each}" for each, number in wanted.items())
    show(f"{printable(str(set_folder(dataset)))}: {sizes}")


def _fetch(dataset: Dataset, data_root: Path | None) -> None:
    """Check the file of a real set; where there is none, or a damaged one in the cache, download it."""
    from annealco.datasets.cache import download, find_file, is_cached
    from annealco.datasets.checksums import verify_file

    path = find_file(dataset, data_root)
    if path is not None:
        try:
            verify_file(dataset, path)
        except GraphFileError:
            if not is_cached(path):
                raise
            say(f"{path}: it is damaged, and is fetched anew")
            path.unlink()
            path = None
    show(f"{dataset.name}: {printable(str(path or download(dataset)))}")


def _graphs(dataset: Dataset, split: str, count: int | None, seed: int, data_root: Path | None) -> Graph:
    """Draw a set in small parts, which shows progress and changes nothing, or load it."""
    from annealco.arguments import as_integer
    from annealco.datasets import load_dataset
    from annealco.datasets.cache import check_count, check_memory
    from annealco.datasets.load import split_counts
    from annealco.datasets.registry import draw
    from annealco.graph.generators.presets import MAX_SEED
    from annealco.graph.graph import Graph

    if dataset.kind == "real":
        return load_dataset(dataset.name, split, count=count, seed=seed, data_root=data_root)
    wanted = split_counts(split, None if count is None else check_count(count))
    check_memory(dataset, sum(wanted.values()))
    as_integer("seed", seed, 0, MAX_SEED)
    parts = [
        (each, start, min(number - start, CHUNK))
        for each, number in wanted.items()
        for start in range(0, number, CHUNK)
    ]
    return Graph.batch(
        [
            draw(dataset.drawn, each, seed=seed, start=start, count=size)
            for each, start, size in watched(parts, "drawing")
        ]
    )


def _write(graph: Graph, out: Path, name: str, format_name: str) -> None:
    from annealco.graph.formats import FORMATS, Content, write_graph

    chosen = FORMATS[format_name]
    out.mkdir(parents=True, exist_ok=True)
    many = Content.SEVERAL_GRAPHS in chosen.holds
    endings = [""] if many else [f"-{index:05d}" for index in range(graph.num_graphs)]
    paths = [out / f"{name}{ending}{chosen.extensions[0]}" for ending in endings]
    for index, path in enumerate(watched(paths, "writing")):
        write_graph(graph if many else graph[index], path, format=format_name)
    written = " .. ".join(dict.fromkeys(printable(str(path)) for path in [*paths[:1], *paths[-1:]]))
    sizes = {"graph": graph.num_graphs, "node": graph.num_nodes, "edge": graph.num_edges}
    show(f"{written or 'no file'}: {', '.join(counted(size, noun) for noun, size in sizes.items())}")


def verify_datasets(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Names from 'annealco data list'; by default all.")
    ] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
) -> None:
    """Check synthetic sets, what the cache holds of them, and the real sets that are on the disk, byte by byte.

    Ends with status 2 and a line that names what is wrong, after all sets were checked. A real set that is not on the
    disk is wrong only where it is named.
    """
    from annealco.datasets.checksums import verify
    from annealco.datasets.registry import DATASETS, find_dataset

    chosen = [find_dataset(name) for name in dict.fromkeys(names or DATASETS)]
    rows, wrong = [], []
    for dataset in watched(chosen, "verifying"):
        try:
            checked = verify(dataset, data_root)
            if checked is None and names:
                raise InputError(f"{dataset.name} is not on the disk")
            rows.append([dataset.name, "absent" if checked is None else "good", checked or ""])
        except InputError as error:
            wrong.append(str(error))
            rows.append([dataset.name, "wrong", str(error)])
    show_table(["set", "state", "checked"], rows)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise InputError(f"{wrong[0]}{more}")


def make_references(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A name from 'annealco data list'.", show_default=False)
    ] = None,
    problem: Annotated[
        str | None,
        typer.Argument(metavar="PROBLEM", help="A name from 'annealco list problems'.", show_default=False),
    ] = None,
    *,
    time_limit: Annotated[
        float, typer.Option(help="Seconds per graph, for the set and for the bound; with one thread CPU seconds.")
    ] = 1.0,
    limit: Annotated[
        int | None, typer.Option(min=0, help="Use only the first N test graphs.", show_default=False)
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Try again where nothing is proven.")] = False,
    exact: Annotated[
        str | None,
        typer.Option(
            help="Solver for what is not proven: cp_sat, scip, highs, gurobi or none; by default the first of the first"
            " three that is installed.",
            show_default=False,
        ),
    ] = None,
    exact_limit: Annotated[
        float | None, typer.Option(help="Seconds per graph for that solver; by default the time limit.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Graphs at once; by default all processors.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the file; by default in the cache.")] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
) -> None:
    """Compute the best-known values of a set's test graphs that are missing, and say what share is proven.

    For cut they are of the instances of the cut protocol. Each value is written as soon as it is there: what was
    interrupted goes on where it stopped. Without NAME and PROBLEM, list what there is.
    """
    if name is None:
        list_references(out)
        return
    if problem is None:
        raise InputError(f"which problem of {name}? Give NAME and PROBLEM, or neither to list what there is")
    from annealco.datasets.registry import find_dataset
    from annealco.evaluation.references import extend_references, load_references
    from annealco.evaluation.references.cases import count_cases, takes_instances
    from annealco.problems import find_problem

    total = count_cases(find_dataset(name), find_problem(problem))
    made = extend_references(
        name,
        problem,
        time_limit=time_limit,
        limit=limit,
        again=again,
        exact=exact,
        exact_limit=exact_limit,
        num_threads=threads,
        folder=out,
        data_root=data_root,
    )
    computed = sum(1 for _ in watched(made, "solving", total=total if limit is None else min(limit, total)))
    found = load_references(name, problem, folder=out)
    proven = sum(each.proven for each in found.values())
    what = "instances" if takes_instances(find_problem(problem)) else "test graphs"
    show(f"{name} {problem}: {len(found)} of {total} {what}, {proven} proven optimal, {computed} computed now")


def list_references(folder: Path | None) -> None:
    """Print a table of all sets and problems with references."""
    from annealco.evaluation.references.summary import COLUMNS, summaries

    show_table(COLUMNS, [each.cells() for each in summaries(folder)], numbers=COLUMNS[2:6])


data_app = typer.Typer(help="Make random graphs, and look into sets and graph files.")
data_app.command("list")(list_datasets)
data_app.command("info")(show_info)
data_app.command("make")(make_graphs)
data_app.command("verify")(verify_datasets)
data_app.command("reference")(make_references)
