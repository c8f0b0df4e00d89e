"""The command `annealco train`: read or draw graphs, train a network on them, say where it is.

Options that decide the weights are read off `annealco.training.settings`, with their defaults and their help.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from annealco.cli.data import EdgeWeight, Ends, NodeWeight, names_in_files
from annealco.cli.exit_status import INTERRUPTED
from annealco.cli.problem_options import ProblemName, problem_options
from annealco.errors import InputError
from annealco.optional import require
from annealco.terminal import say, show
from annealco.training.settings import DEFAULT_MODEL, SAVE_SECONDS, DataSettings, TrainSettings


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `TrainSettings` and `DataSettings`, which it gets as keyword arguments."""
    whole = get_type_hints(command, include_extras=True)
    own = [
        each.replace(annotation=whole[each.name])
        for each in inspect.signature(command).parameters.values()
        if each.kind is not each.VAR_KEYWORD
    ]
    hints = {**get_type_hints(TrainSettings), **get_type_hints(DataSettings)}
    read = [_parameter(each, hints[each.name]) for kind in (TrainSettings, DataSettings) for each in fields(kind)]
    last = [
        each
        for each in own
        if each.name in {"accelerator", "devices", "num_nodes", "tensorboard", "compiled", "as_json"}
    ]
    ordered = [*(each for each in own if each not in last), *read, *last]
    command.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    # Typer asks for both.
    command.__annotations__ = {**{each.name: each.annotation for each in ordered}, "return": None}
    return command


def _parameter(setting: Field[Any], hint: Any) -> inspect.Parameter:
    """Return the option of a setting: its type, its default and its help."""
    # Temperatures are numbers or words, which `parse_temperature` tells apart; choices are told by the settings.
    kind = hint if hint in {int, float, int | None, float | None, str | None} else str
    name = setting.metadata.get("name", "--" + setting.name.replace("_", "-"))
    text, shown = setting.metadata["help"], setting.metadata.get("shown", True)
    annotation = Annotated[kind, typer.Option(name, help=text, show_default=shown)]  # type: ignore[valid-type]
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(setting.name, keyword, default=setting.default, annotation=annotation)


@with_settings
def train_network(
    context: typer.Context,
    problem: ProblemName,
    *,
    data: Annotated[
        list[str],
        typer.Option(
            metavar="NAME|PATH",
            help="A name from 'annealco data list', or a graph file or a folder; may be given again.",
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the network, its state and its logs.",
            show_default="runs/PROBLEM-MODEL-NAME",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PLACE",
            help="A name from 'annealco list models', or a class of your own, my_package.nets:Net.",
            show_default=DEFAULT_MODEL,
        ),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of the model; may be given again.")
    ] = None,
    init: Annotated[
        str | None,
        typer.Option(
            metavar="auto|DIR",
            help="Begin with a trained network: of the package for the problem, or of a folder.",
            show_default="random weights",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in DIR, if there is one; more --epochs continue it.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the run in DIR.")] = False,
    node_weight: NodeWeight = None,
    edge_weight: EdgeWeight = None,
    ends: Ends = None,
    save_seconds: Annotated[float, typer.Option(help="Time between two saves inside an epoch.")] = SAVE_SECONDS,
    accelerator: Annotated[str, typer.Option(help="cpu, gpu, or auto for a GPU where there is one.")] = "auto",
    devices: Annotated[int, typer.Option(help="Processes on each machine.")] = 1,
    num_nodes: Annotated[int, typer.Option(help="Machines; torchrun or SLURM starts them.")] = 1,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Log for TensorBoard too.")] = False,
    compiled: Annotated[
        bool, typer.Option(help="Run field and two_sided in the compiled core, on the processor; else in PyTorch.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as a line of JSON.")] = False,
    **options: Any,
) -> None:
    """Train a network without labels, by annealing, and keep the one of the best validation ratio.

    Ctrl-C saves the run and ends it; the same command with --resume continues, also after a kill.
    """
    for name in ("tau0", "tau_last"):
        options[name] = parse_temperature(name.replace("_", "-"), options[name])
    settings = dict(parse_setting(each) for each in setting or [])
    require("training", "torch", "lightning_fabric")
    from annealco.problems import find_problem
    from annealco.training.train import train  # It takes seconds: not before the options above make sense.

    posed = find_problem(problem).posed(problem_options(context))
    folder = _folder(posed.name, model, data) if out is None else out
    try:
        trained = train(
            posed,
            data[0] if len(data) == 1 else data,
            model=model,
            settings=settings,
            init=init,
            out=folder,
            resume=resume,
            force=force,
            save_seconds=save_seconds,
            accelerator=accelerator,  # type: ignore[arg-type]  # It is checked there.
            devices=devices,
            num_nodes=num_nodes,
            tensorboard=tensorboard,
            compiled=compiled,
            **names_in_files(node_weight, edge_weight, ends),
            **options,
        )
    except KeyboardInterrupt:
        say(f"interrupted: the run is saved in {folder}; the same command with --resume goes on")
        raise typer.Exit(INTERRUPTED) from None
    _show(trained.record, folder, as_json=as_json)


def _folder(problem: str, model: str | None, data: list[str]) -> str:
    """Return the folder of a run that none is named for."""
    name = (model or DEFAULT_MODEL).rpartition(":")[2]
    return str(Path("runs") / f"{problem}-{name}-{Path(data[0]).name}")


def parse_temperature(option: str, text: str) -> Any:
    """Read a temperature.

    Example:
        >>> parse_temperature("tau0", "unit"), parse_temperature("tau-last", "0.5")
        ('unit', 0.5)
    """
    names = {"tau0": ("auto", "unit"), "tau-last": ("auto",)}[option]
    if text in names:
        return text
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} must be {', '.join(names)} or a number, it is {text!r}") from None


def parse_setting(text: str) -> tuple[str, Any]:
    """Read a setting of a model: JSON, or Python's True, False or None; what is neither is text.

    Example:
        >>> parse_setting("width=64"), parse_setting("head=sigmoid"), parse_setting("mask=False")
        (('width', 64), ('head', 'sigmoid'), ('mask', False))
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise InputError(f"a setting must be NAME=VALUE, it is {text!r}")
    try:
        return name, json.loads({"True": "true", "False": "false", "None": "null"}.get(value, value))
    except (ValueError, RecursionError):
        return name, value


def _show(record: Any, out: str, *, as_json: bool) -> None:
    """Print where the network is and what it is worth."""
    from annealco.training.machine import outside_rank

    if outside_rank() != 0:
        return
    metrics = record["metrics"]
    if as_json:
        show(json.dumps({"out": out, "problem": record["recipe"]["problem"], **metrics}))
        return
    show(f"{out}: decoded ratio {metrics['ratio']:.4f} on validation graphs, after epoch {metrics['epoch'] + 1}")
    show(f"use it: annealco solve {record['recipe']['problem']} FILE... --model {out}")
