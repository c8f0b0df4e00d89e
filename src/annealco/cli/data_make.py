"""The command `annealco data make`: draw random graphs, and bring sets into the cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from annealco.graph.errors import GraphFileError, InputError
from annealco.terminal import counted, printable, say, show, watched

if TYPE_CHECKING:
    from annealco.graph.datasets import Dataset
    from annealco.graph.graph import Graph

CHUNK = 32
"""Graphs drawn between two steps of the progress bar."""

Entry = TypeVar("Entry")


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

    With --out, a format of many graphs gets one file NAME-seedS.npz, any other one file a graph: NAME-seedS-00000.col
    and on; --split is part of the name where it is given. Without, the graphs go to the cache, where training and
    benchmarks find them; what was interrupted goes on where it stopped.
    """
    from annealco.graph.datasets.registry import find_dataset
    from annealco.graph.datasets.splits import check_split
    from annealco.graph.formats import FORMATS

    dataset = find_dataset(name)
    _choose("format", format_name, FORMATS)
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


def _choose(kind: str, name: str, choices: Mapping[str, Entry]) -> Entry:
    if name not in choices:
        raise InputError(f"unknown {kind} {name!r}; choose one of {', '.join(choices)}")
    return choices[name]


def _fill_cache(dataset: Dataset, split: str, count: int | None, seed: int) -> None:
    from annealco.graph.datasets.chunks import CHUNK, remove_damaged, set_folder, split_folder
    from annealco.graph.datasets.limits import check_count
    from annealco.graph.datasets.loading import split_counts
    from annealco.graph.datasets.making import make_chunks

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
    from annealco.graph.datasets.files import download, find_file, is_cached
    from annealco.graph.datasets.verifying import verify_file

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
    from annealco.graph.datasets import load_dataset
    from annealco.graph.datasets.drawing import draw
    from annealco.graph.datasets.limits import check_count, check_memory
    from annealco.graph.datasets.loading import split_counts
    from annealco.graph.generators.arguments import as_integer
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
