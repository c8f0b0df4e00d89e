"""Train a network for a problem, from its arguments to the network."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from lightning.pytorch import Callback
from torch import Tensor

from annealco.arguments import checked
from annealco.energy import Instance
from annealco.errors import InputError
from annealco.files import as_folder
from annealco.graph.graph import Graph
from annealco.models import MODELS, Model, build_model
from annealco.optional import is_installed, missing
from annealco.problems import Problem
from annealco.terminal import say
from annealco.training import loop as engine
from annealco.training.checkpoint import load, planned_tensors, tensor_fault
from annealco.training.data import Batches, Source, as_source, fingerprint, load_graphs, trainable_problem
from annealco.training.display import ProgressBar, draw_run
from annealco.training.loop import AnnealedTraining, Run, flatten, write_log
from annealco.training.loss import LOSSES
from annealco.training.recipe import AnnealBy, First, Last, Recipe, Sizes, check_seed, measure_sizes, schedule_ends
from annealco.training.state import (
    PICTURE,
    TENSORBOARD,
    State,
    check_folder,
    load_state,
    prepare_folder,
    resumed_state,
    run_files,
)
from annealco.training.trained import TrainedModel
from annealco.training.validation import Validation

DECLARED_AT_ONCE = 256
"""Graphs that are declared together when the first temperature is looked for."""


@checked
def train(
    problem: str | Problem,
    data: Source,
    *,
    model: str | Model = "field",
    settings: Mapping[str, Any] | None = None,
    loss: str | None = None,
    epochs: int = 100,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    rate: str = "cosine",
    clip: float = 1.0,
    schedule: str = "geometric",
    tau0: First = "unit",
    tau_last: Last = "auto",
    anneal_by: AnnealBy = "step",
    penalty_scale: float = 1.0,
    samples: int = 1,
    num_graphs: int = 2000,
    num_validation: int = 100,
    data_seed: int = 0,
    validation_restarts: int = 8,
    validate_every: int = 1,
    early_stop: int | None = None,
    seed: int = 0,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    save_seconds: float = 30.0,
    accelerator: engine.Accelerator = "auto",
    devices: int = 1,
    num_nodes: int = 1,
    tensorboard: bool = False,
    picture: bool = True,
    progress: bool = True,
) -> TrainedModel:
    """Train a network to lower E_Q[f] − τ H(Q) while the temperature τ falls, and return the best one.

    Args:
        problem: a name in `PROBLEMS`, or a problem of your own.
        data: names in `DATASETS`, one or several in a list; graph files and folders of them, likewise; or graphs in any
            containers that `solve` takes. Files and graphs are split 60/20/20.
        model: a name in `MODELS`, or a network of a class in it, whose weights are then the start and are changed.
        settings: of the network, where it is named.
        loss: what is lowered, a name in `LOSSES`: ``energy``, or one of others to compare with; None for the network's.
        epochs: how often all graphs are seen.
        batch_size: graphs a step, of all processes together; None for what suits the network.
        learning_rate: of Adam; None likewise.
        rate: how the learning rate changes: ``decay``, ``cosine`` or ``constant``.
        clip: largest norm of the gradient.
        schedule: how the temperature falls: ``linear``, ``concave``, ``convex``, ``geometric`` or ``constant``.
        tau0: the first temperature, one for all graphs. ``auto`` is the paper's, the largest change of the energy by
            one flip in any training graph; with ``unit`` it is half of what a flip changes the objective by on average,
            of each graph its own, and the last temperature and the loss are counted likewise; 0 is training without
            annealing, which all losses but ``energy`` are.
        tau_last: the last temperature; ``auto`` is 0.001 where the first is ``auto``, else a 25th of the first.
        anneal_by: whether the temperature falls from ``epoch`` to epoch or from ``step`` to step.
        penalty_scale: multiple of the critical penalty.
        samples: random features a graph and step.
        num_graphs: training graphs of a named family, and most of files.
        num_validation: the same for validation.
        data_seed: of the draws and the split.
        validation_restarts: proposals that a validation graph is decoded from; the best counts.
        validate_every: epochs between two validations.
        early_stop: validations in a row without a better ratio after which the run ends; None for never.
        seed: of weights, order and features: the same seed gives the same weights.
        out: folder for the network, the state, the log and the picture; None keeps nothing.
        resume: go on with the run in ``out`` if there is one, to the same weights as if it had not stopped.
        force: replace the run in ``out``, when the new one is first saved.
        save_seconds: time between two saves inside an epoch; every epoch saves at its end.
        accelerator: ``cpu``, ``gpu``, or ``auto`` for a GPU where there is one.
        devices: processes on this machine.
        num_nodes: machines, each with as many processes; started by torchrun or SLURM.
        tensorboard: whether to log for TensorBoard too.
        picture: whether to draw the run at its end, where matplotlib is installed.
        progress: whether to show progress on stderr.

    Returns:
        The network of the best validation ratio, the latest of equals, ready for `solve`.

    Raises:
        InputError: for bad arguments, data and files.
        ChildProcessError: where one of several processes was killed, or failed; what was saved can be resumed.
        KeyboardInterrupt: after Ctrl-C, when the run was saved.
    """
    chosen = trainable_problem(problem)
    machine = engine.Machine(accelerator, devices, num_nodes, tensorboard)
    check_seed("data seed", data_seed)
    place = _check_place(out, save_seconds, resume, force)
    network, start = _start_network(model, settings, seed)
    # What can be wrong with a recipe is told before any graph is drawn; its data and first temperature come later.
    recipe = Recipe(
        problem=chosen.name,
        data={},
        model=network.name,
        settings=network.settings,
        tau0=0.0 if isinstance(tau0, str) else tau0,
        loss=network.loss if loss is None else loss,
        epochs=epochs,
        batch_size=network.batch_size if batch_size is None else batch_size,
        learning_rate=network.learning_rate if learning_rate is None else learning_rate,
        rate=rate,
        clip=clip,
        schedule=schedule,
        tau_last=schedule_ends(tau0, tau_last, Sizes(1.0, 1.0))[1],
        anneal_by=anneal_by,
        penalty_scale=penalty_scale,
        samples=samples,
        seed=seed,
        validation_restarts=validation_restarts,
        validate_every=validate_every,
        early_stop=early_stop,
    )
    source = as_source(data)
    graphs = load_graphs(source, "train", num_graphs, data_seed)
    held_out = load_graphs(source, "validation", num_validation, data_seed)
    sizes, _ = [_sizes(chosen, each, recipe) for each in (graphs, held_out)]
    if LOSSES[recipe.loss].annealed:
        ends = schedule_ends(tau0, tau_last, sizes)
        recipe = replace(recipe, tau0=ends[0], tau_last=ends[1], in_units=tau0 == "unit")
    recipe = replace(recipe, data=_describe(source, data_seed, graphs, held_out))
    with _folder(place) as folder:
        state = resumed_state(folder, recipe, network) if resume else State()
        validation = Validation(chosen, held_out, recipe)
        old = run_files(folder) if force else []
        run = Run(recipe, validation, folder, state=state, start=start, save_seconds=save_seconds, replaces=old)
        if not state.finished:
            batches = Batches(graphs, chosen, batch_size=recipe.batch_size, seed=seed)
            _fit(network, batches, run, state, machine=machine, progress=progress)
        return _result(run, network, picture=picture and out is not None)


def _check_place(out: str | PathLike[str] | None, save_seconds: float, resume: bool, force: bool) -> Path | None:
    """Return the folder of the run, if it has one and may write to it."""
    if not save_seconds >= 0:
        raise InputError(f"the seconds between two saves must not be negative, they are {save_seconds}")
    if out is None:
        if resume or force:
            raise InputError("say in which folder the run is that is to be resumed or replaced")
        return None
    place = as_folder(out, "out")
    # Of processes that were started together, one may have begun to write already.
    if engine.outside_rank() == 0:
        check_folder(place, resume=resume, force=force)
    return place


def _start_network(model: str | Model, settings: Mapping[str, Any] | None, seed: int) -> tuple[Model, Tensor]:
    """Return the network with its first weights, and these as one vector."""
    if settings is not None and not (isinstance(settings, Mapping) and all(isinstance(key, str) for key in settings)):
        raise InputError(f"settings must be a dictionary of names and values, they are {settings!r:.40}")
    if isinstance(model, Model):
        if settings:
            raise InputError("a network that is given has its settings already")
        _check_network(model)
        network = model
    else:
        check_seed("seed", seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = build_model(model, **(settings or {}))
    return network, flatten(network)


def _check_network(network: Model) -> None:
    """Refuse a network that could not be loaded again when it is trained."""
    name = getattr(network, "name", None)
    if name not in MODELS:
        rule = f"{', '.join(MODELS)}, and classes that were put into annealco.models.MODELS"
        raise InputError(f"the network {name!r} could not be loaded again: networks that can be are {rule}")
    fault = tensor_fault(planned_tensors(network.name, network.settings), network.state_dict())
    if fault is not None:
        raise InputError(f"the network {name!r} could not be loaded again: {fault}")


def _sizes(problem: Problem, graphs: Graph, recipe: Recipe) -> Sizes:
    """Declare all graphs, to find what is wrong with any, and measure their energies."""
    starts = range(0, graphs.num_graphs, DECLARED_AT_ONCE)
    instances = (problem.declare(graphs[start : start + DECLARED_AT_ONCE]) for start in starts)
    return measure_sizes((_with_loss(each, recipe) for each in instances), recipe.penalty_scale)


def _with_loss(instance: Instance, recipe: Recipe) -> Instance:
    # A loss that the instance does not have is told here.
    LOSSES[recipe.loss].of(instance, recipe.penalty_scale)
    return instance


def _describe(source: list[str] | Graph, seed: int, graphs: Graph, held_out: Graph) -> dict[str, Any]:
    """Return what tells a data set apart from others."""
    return {
        "source": ["graphs"] if isinstance(source, Graph) else source,
        "seed": seed,
        "train": graphs.num_graphs,
        "validation": held_out.num_graphs,
        "fingerprint": f"{fingerprint(graphs)}-{fingerprint(held_out)}",
    }


@contextmanager
def _folder(place: Path | None) -> Iterator[Path]:
    """Give the folder of the run, a temporary one where none is named."""
    if place is None:
        with tempfile.TemporaryDirectory(prefix="annealco-") as name:
            yield Path(name)
        return
    if engine.outside_rank() == 0:
        prepare_folder(place)
    yield place


def _fit(network: Model, batches: Batches, run: Run, state: State, *, machine: engine.Machine, progress: bool) -> None:
    """Run what is left of a run."""
    if state.tensors:
        network.load_state_dict(state.weights)
    batches.epoch, batches.start = state.epoch, state.step
    module = AnnealedTraining(network, run.recipe, batches, state if state.tensors else None)
    callbacks: list[Callback] = [run, ProgressBar(run)] if progress else [run]
    left = run.recipe.epochs - state.epoch
    network.train()
    with engine.quiet(), engine.worker_errors(), run.interrupt.listening():
        trainer = machine.trainer(callbacks, epochs=left, clip=run.recipe.clip, logs=run.out / TENSORBOARD)
        trainer.fit(module)


def _result(run: Run, network: Model, *, picture: bool) -> TrainedModel:
    """Return the best network of a run that is finished."""
    if engine.outside_rank() != 0:
        # Only the first process writes files, and others may be on another machine.
        if not run.finished:
            raise KeyboardInterrupt
        network.load_state_dict(run.best_weights or network.state_dict())
        return TrainedModel(network, run.recipe.problem, record={"recipe": run.recipe.as_json()})
    # Where Lightning started the processes, only the files know how it went.
    state = load_state(run.out, run.recipe, network)
    if not state.finished:
        raise KeyboardInterrupt
    # A kill after the last state and before its log leaves a log without the last epoch.
    write_log(run.out, state.history)
    if picture and is_installed("matplotlib"):
        title = f"{run.recipe.problem}, {run.recipe.model}, {' '.join(run.recipe.data['source'])}"
        draw_run(state.history, run.out / PICTURE, title)
    elif picture:
        say(f"note: {missing('a picture', 'matplotlib')}")
    return load(run.out)
