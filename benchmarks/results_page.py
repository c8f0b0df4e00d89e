"""Publish results of `annealco reproduce`: what they are told from in docs/results, their tables in docs/results.md.

    python benchmarks/results_page.py --collect runs/laptop   # copy from the finished runs runs/laptop/NAME, then:
    python benchmarks/results_page.py --collect runs/paper --unfinished "it takes days"    # and what is run in parts
    python benchmarks/results_page.py                         # write the tables of docs/results into the page

docs/results/NAME has the configuration of the run with its notes, the rows that its tables need, and its picture. What
stands in the page between <!-- NAME --> and <!-- /NAME --> is written anew from there, as are the tables of
paper_claims.py; all else in it is left alone. A result that the page does not have yet gets a section at its place.

A run that is not finished is refused, unless the reason is told: then docs/results/NAME-SCALE has the rows so far, and
its section says why and what is missing. Parts of a table may be run in other folders, even on other machines: what is
collected joins the rows that are there. A figure goes on from them: its folder begins with their config.json and
cells.jsonl.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from json_lines import Row, packed, read_lines, unpacked
from paper_claims import LOSSES, all_cells, claims, ratios

from annealco.errors import InputError
from annealco.evaluation.bench.comparison import FILE as ROWS
from annealco.evaluation.bench.entries import parts_of_label
from annealco.experiments.figures import FILE as CELLS
from annealco.experiments.reproduce import find_experiment
from annealco.experiments.run_folder import CONFIG, RESULT, Material, RunFolder, as_list
from annealco.experiments.scale import find_scale
from annealco.experiments.tables import TRAINED

DOCS = Path(__file__).parents[1] / "docs"
PAGE, RESULTS = DOCS / "results.md", DOCS / "results"
ORDER = ("toy", "mis", "clique", "mds", "cut", "distance", "beta", "schedule")
VERSIONS = "versions"
"""The marker of the part that says what the results were made with."""

CLAIMS, RATIOS = "claims", "ratios"
"""Markers of the parts that are told from several results, where the page has them."""

DIGITS = (6, 9, 17)
"""Significant ones: the first with which tables come out the same; 17 are all there are."""

COLOURS = 256


def main() -> None:
    """Collect where it is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collect", type=Path, metavar="RUNS", help="a folder with folders of runs, each by its name")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of results.md and results/")
    parser.add_argument("--unfinished", default="", metavar="WHY", help="collect tables that are not finished, too")
    given = parser.parse_args()
    page, results = given.docs / PAGE.name, given.docs / RESULTS.name
    runs = [given.collect / name for name in ORDER if (given.collect / name).is_dir()] if given.collect else []
    if given.collect and not runs:
        parser.error(f"{given.collect}: there is no folder in it that is named {', '.join(ORDER)}")
    refused = [line for run in runs if (line := refusal(run, results, given.unfinished))]
    page.write_text(written(page.read_text(encoding="utf-8"), results), encoding="utf-8")
    sys.exit("\n".join(refused) or None)


def refusal(run: Path, results: Path, why: str) -> str | None:
    """Collect a run, and return why it cannot be, in one line, or None."""
    try:
        collect(run, results, why)
    except InputError as error:
        return f"refused: {error}"
    return None


def collect(run: Path, results: Path, why: str = "") -> None:
    """Write what the result of a run is told from into a folder of results, in place of what was there.

    Args:
        run: the folder of the run.
        results: where a folder with its name is made.
        why: it is not finished, where that is no fault.

    Raises:
        InputError: where the run is not finished, or was made with other settings or another version.
    """
    if not (run / CONFIG).is_file():
        raise InputError(f"{run}: there is no {CONFIG} in it; this is no run")
    config = json.loads((run / CONFIG).read_text(encoding="utf-8"))
    folder = RunFolder(run, name=run.name, scale=find_scale(config["scale"]))
    experiment = find_experiment(run.name)
    material = experiment.material(folder)
    is_ready = experiment.is_finished(folder) or (why and experiment.missing(folder, material))
    result = (run / RESULT).read_text(encoding="utf-8") if (run / RESULT).is_file() else ""
    # A table writes its result after each set: that there is one does not mean that it is the last.
    if not is_ready or not result.endswith(f"{told(run.name, material, folder.notes)}\n"):
        command = f"annealco reproduce {run.name} --scale {folder.scale.name} --out {run}"
        raise InputError(f"{run}: this run is not finished; go on with {command}")
    part_of = results / f"{run.name}-{folder.scale.name}"
    material = with_earlier(material, part_of, config)
    missing = experiment.missing(folder, material)
    config |= {"notes": folder.notes} | ({"why": why, "missing": missing} if missing else {})
    shutil.rmtree(part_of, ignore_errors=True)
    out = part_of if missing else results / run.name
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / CONFIG).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    for name, rows in rounded(run.name, material).items():
        lines = [json.dumps(row, separators=(",", ":")) for row in (packed(rows) if name == ROWS else rows)]
        (out / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    picture = run / f"{run.name}.png"
    if picture.is_file():
        (out / picture.name).write_bytes(small_picture(picture.read_bytes()))


def with_earlier(material: Material, earlier: Path, config: dict[str, Any]) -> Material:
    """Return the rows of a run with those of other parts, which were collected before.

    Raises:
        InputError: where these were made with other settings or another version, or belong into a picture.
    """
    if not earlier.is_dir():
        return material
    known = _config(earlier)
    if any(known[name] != config[name] for name in ("settings", "version")):
        raise InputError(f"{earlier}: these rows were made with other settings; delete them first")
    found = {file: _replaced(_rows(earlier / file), rows) for file, rows in material.items()}
    if CELLS in found and len(found[CELLS]) > len(material[CELLS]):
        raise InputError(f"{earlier}: the run lacks cells of it; begin with its {CONFIG} and {CELLS} in a new folder")
    return in_order(found, find_experiment(config["name"]).parts) if ROWS in found else found


def in_order(material: Material, parts: Sequence[str]) -> Material:
    """Return rows and networks of a table in the order of its sets, methods and learners."""
    learners = {row["network"]: row["learner"] for row in material[TRAINED]}

    def place(row: Row) -> tuple[Any, ...]:
        way, network, usage = parts_of_label(row["method"])
        return parts.index(row["data"]), row["limit"], parts.index(learners.get(network, way)), network, way, usage

    rows = sorted(material[ROWS], key=place)
    shown = list(dict.fromkeys(parts_of_label(row["method"]).network for row in rows))
    return {ROWS: rows, TRAINED: sorted(material[TRAINED], key=lambda row: shown.index(row["network"]))}


def _replaced(rows: list[Row], newer: list[Row]) -> list[Row]:
    """Return rows with newer ones in the place of those of the same cell, network or method."""

    def key(row: Row) -> tuple[Any, ...]:
        names = [row.get(name) for name in ("cell", "network", "data", "limit", "case")]
        return (*names, *parts_of_label(row.get("method", "")))

    return list({key(row): row for row in [*rows, *newer]}.values())


def _rows(path: Path) -> list[Row]:
    """Return the rows of a collected file."""
    return unpacked(read_lines(path)) if path.name == ROWS else read_lines(path)


def told(name: str, material: Material, notes: list[str]) -> str:
    """Return a result as the end of its result.md: tables, then notes."""
    return "\n\n".join(filter(None, [find_experiment(name).as_markdown(material), as_list(notes)]))


def rounded(name: str, material: Material) -> Material:
    """Return the rows with as few digits as leave the tables the same."""
    shown = find_experiment(name).as_markdown(material)
    found = ({file: [_round(row, digits) for row in rows] for file, rows in material.items()} for digits in DIGITS)
    return next(each for each in found if find_experiment(name).as_markdown(each) == shown)


def _round(row: Row, digits: int) -> Row:
    return {name: float(f"{value:.{digits}g}") if isinstance(value, float) else value for name, value in row.items()}


def small_picture(content: bytes) -> bytes:
    """Return a png with few colours, which is a third as large and looks the same."""
    # It comes with matplotlib, which drew the picture.
    from PIL import Image

    image = Image.open(io.BytesIO(content)).convert("RGB")
    out = io.BytesIO()
    # Of Pillow's ways to choose colours, the one that leaves none far from what it was.
    few = image.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(out, format="png", optimize=True)
    return out.getvalue()


def written(text: str, results: Path) -> str:
    """Return the page with the parts of all collected results, and sections for those that it does not have."""
    folders = sorted((path for path in results.iterdir() if path.is_dir()), key=lambda path: _place(path.name))
    for folder in folders:
        text = with_section(text, folder.name)
        text = with_part(text, folder.name, part(folder))
    if f"<!-- {CLAIMS} -->" in text:
        cells = all_cells(folders)
        text = with_part(text, CLAIMS, claims(folders, cells))
        for network in LOSSES:
            text = with_part(text, f"{RATIOS}-{network}", ratios(cells, network))
    return with_part(text, VERSIONS, versions([_config(folder) for folder in folders]))


def _place(key: str) -> tuple[int, str]:
    """Return what the sections are ordered by: the experiment, first what is finished."""
    name, _, scale = key.partition("-")
    return ORDER.index(name), scale


def with_section(text: str, key: str) -> str:
    """Return the page with a section for a result, before those that come after it."""
    if f"<!-- {key} -->" in text:
        return text
    marks = [mark for mark in re.finditer(r"<!-- ([a-z-]+) -->", text) if mark[1].partition("-")[0] in ORDER]
    later = [mark.start() for mark in marks if _place(mark[1]) > _place(key)]
    place = text.rindex("\n## ", 0, min(later)) + 1 if later else len(text)
    name, _, scale = key.partition("-")
    title = find_experiment(name).title + (f", scale {scale}" if scale else "")
    section = f"## {title}\n\n<!-- {key} -->\n<!-- /{key} -->\n"
    return f"{text[:place].rstrip()}\n\n{section}\n{text[place:]}".rstrip() + "\n"


def with_part(text: str, name: str, content: str) -> str:
    """Return the page with something else between two markers."""
    first, last = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, _, rest = text.partition(first)
    _, found, after = rest.partition(last)
    if not found:
        raise InputError(f"the page has no {first} with a {last} behind it")
    return f"{before}{first}\n\n{content}\n\n{last}{after}"


def part(folder: Path) -> str:
    """Return what the page says of a collected result: the picture, and the tables of its result.md."""
    config = _config(folder)
    name = config["name"]
    material = {path.name: _rows(path) for path in sorted(folder.glob("*.jsonl"))}
    parts = []
    if missing := config.get("missing"):
        parts.append(f"**Not finished**: {config['why']}. What is not there:\n\n{as_list(missing)}")
    if (folder / f"{name}.png").exists():
        parts.append(f"![{find_experiment(name).title}]({RESULTS.name}/{folder.name}/{name}.png)")
    # The page has a heading of the second level for the whole result; which weights a network has, its rows tell.
    tables = re.sub("^## ", "### ", told(name, material, config["notes"]), flags=re.MULTILINE)
    parts.append(re.sub("#[0-9a-f]{8}", "", tables))
    return "\n\n".join(parts)


def versions(configs: list[dict[str, Any]]) -> str:
    """Return a list of what the results were made with; those that share all of it share a line."""
    made: dict[str, list[str]] = {}
    for config in configs:
        packages = {"annealco": config["version"], **config["versions"]}
        words = ", ".join([f"scale `{config['scale']}`", *(f"{name} {each}" for name, each in packages.items())])
        made.setdefault(words, []).append(f"`{config['name']}`")
    return as_list(f"{', '.join(names)}: {words}" for words, names in made.items())


def _config(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / CONFIG).read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
