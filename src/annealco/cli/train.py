"""The command `annealco train`: read or draw graphs, train a network on them, say where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from annealco.cli.exit_status import INTERRUPTED
from annealco.errors import InputError
from annealco.optional import require
from annealco.terminal import say, show


def train_network(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A name from 'annealco list problems'.")],
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
    model: Annotated[str, typer.Option(help="A name from 'annealco list models'.")] = "field",
    setting: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of the model; may be given again.")
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="What is lowered: energy, or kl, run_csp, l1, l2 of others.", show_default="the model's"),
    ] = None,
    epochs: Annotated[int, typer.Option(help="How often all graphs are seen.")] = 100,
    batch_size: Annotated[
        int | None, typer.Option(help="Graphs a step, of all processes together.", show_default="the model's")
    ] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Of Adam.", show_default="the model's")] = None,
    rate: Annotated[str, typer.Option(help="How the learning rate changes: decay, cosine or constant.")] = "cosine",
    clip: Annotated[float, typer.Option(help="Largest norm of the gradient.")] = 1.0,
    schedule: Annotated[str, typer.Option(help="How the temperature falls; see 'annealco list schedules'.")] = (
        "geometric"
    ),
    tau0: Annotated[
        str, typer.Option(help="First temperature: a number, unit, auto (the paper's), or 0 for no annealing.")
    ] = "unit",
    tau_last: Annotated[str, typer.Option(help="Last temperature: a number or auto.")] = "auto",
    anneal_by: Annotated[str, typer.Option(help="Cool from epoch to epoch, or from step to step.")] = "step",
    penalty_scale: Annotated[float, typer.Option(help="Multiple of the critical penalty.")] = 1.0,
    samples: Annotated[int, typer.Option(help="Random features a graph and step.")] = 1,
    graphs: Annotated[int, typer.Option(help="Training graphs: of a family, and most of files.")] = 2000,
    validation_graphs: Annotated[int, typer.Option(help="Validation graphs, likewise.")] = 100,
    data_seed: Annotated[int, typer.Option(help="Of the draws and the split.")] = 0,
    validation_restarts: Annotated[int, typer.Option(help="Proposals for a validation graph.")] = 8,
    validate_every: Annotated[int, typer.Option(help="Epochs between two validations.")] = 1,
    early_stop: Annotated[
        int | None, typer.Option(help="Validations without a better ratio that end the run.", show_default="never")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of weights, order and features.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in DIR, if there is one.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the run in DIR.")] = False,
    save_seconds: Annotated[float, typer.Option(help="Time between two saves inside an epoch.")] = 30.0,
    accelerator: Annotated[str, typer.Option(help="cpu, gpu, or auto for a GPU where there is one.")] = "auto",
    devices: Annotated[int, typer.Option(help="Processes on each machine.")] = 1,
    num_nodes: Annotated[int, typer.Option(help="Machines; torchrun or SLURM starts them.")] = 1,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Log for TensorBoard too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as a line of JSON.")] = False,
) -> None:
    """Train a network without labels, by annealing, and keep the one of the best validation ratio.

    Ctrl-C saves the run and ends it; the same command with --resume goes on. So it does after a kill.
    """
    first, last = parse_temperature("tau0", tau0), parse_temperature("tau-last", tau_last)
    settings = dict(parse_setting(each) for each in setting or [])
    folder = str(Path("runs") / f"{problem}-{model}-{Path(data[0]).name}") if out is None else out
    require("training", "torch", "lightning")
    from annealco.training.train import train  # It takes seconds: not before the options above make sense.

    options: dict[str, Any] = {
        "model": model,
        "settings": settings,
        "loss": loss,
        "epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "rate": rate,
        "clip": clip,
        "schedule": schedule,
        "tau0": first,
        "tau_last": last,
        "anneal_by": anneal_by,
        "penalty_scale": penalty_scale,
        "samples": samples,
        "num_graphs": graphs,
        "num_validation": validation_graphs,
        "data_seed": data_seed,
        "validation_restarts": validation_restarts,
        "validate_every": validate_every,
        "early_stop": early_stop,
        "seed": seed,
        "out": folder,
        "resume": resume,
        "force": force,
        "save_seconds": save_seconds,
        "accelerator": accelerator,
        "devices": devices,
        "num_nodes": num_nodes,
        "tensorboard": tensorboard,
    }
    try:
        trained = train(problem, data[0] if len(data) == 1 else data, **options)
    except KeyboardInterrupt:
        say(f"interrupted: the run is saved in {folder}; the same command with --resume goes on")
        raise typer.Exit(INTERRUPTED) from None
    _show(trained.record, folder, as_json=as_json)


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
    """Read a setting of a model; what is no JSON is text.

    Example:
        >>> parse_setting("width=64"), parse_setting("head=sigmoid")
        (('width', 64), ('head', 'sigmoid'))
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise InputError(f"a setting must be NAME=VALUE, it is {text!r}")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _show(record: Any, out: str, *, as_json: bool) -> None:
    """Print where the network is and what it is worth."""
    from annealco.training.loop import outside_rank

    if outside_rank() != 0:
        return
    metrics = record["metrics"]
    if as_json:
        show(json.dumps({"out": out, "problem": record["recipe"]["problem"], **metrics}))
        return
    show(f"{out}: decoded ratio {metrics['ratio']:.4f} on validation graphs, after epoch {metrics['epoch'] + 1}")
    show(f"use it: annealco solve {record['recipe']['problem']} FILE... --model {out}")
