"""`train`: from its arguments to a trained network.

It resolves the settings to a recipe, loads the graphs, finds where the run is, and hands a job to the loop
(`annealco.training.loop`), in this process or in several.
"""

from __future__ import annotations

import copy
import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from annealco.arguments import as_python, checked
from annealco.energy import Instance
from annealco.errors import InputError
from annealco.files import as_folder
from annealco.graph.construction import WEIGHT
from annealco.graph.graph import Graph
from annealco.models.adapters import as_model, check_parameters, failing_as_model, try_model
from annealco.models.build import build_model, identity
from annealco.models.model import Model, ModelInput
from annealco.models.pretrained import shipped_folder
from annealco.optional import is_installed, missing
from annealco.problems import Problem
from annealco.problems.problem import bare
from annealco.registry import FILE_MODULE
from annealco.terminal import say
from annealco.training.checkpoint import load
from annealco.training.data import Source, as_source, draw, fingerprint, load_graphs, trainable_problem
from annealco.training.display import draw_run
from annealco.training.loop import Job, flatten, train_run, write_log
from annealco.training.loss import LOSSES
from annealco.training.machine import (
    Accelerator,
    Interrupt,
    Launched,
    Machine,
    outside_rank,
    quiet,
    started_outside,
    worker_errors,
)
from annealco.training.recipe import Recipe, Sizes, measure_sizes, schedule_ends
from annealco.training.settings import (
    DATA_DEFAULTS,
    DEFAULT_MODEL,
    DEFAULTS,
    SAVE_SECONDS,
    AnnealBy,
    First,
    Last,
    TrainSettings,
    check_seed,
)
from annealco.training.state import PICTURE, State, check_folder, load_state, prepare_folder, resumed_state, run_files
from annealco.training.trained import TrainedModel
from annealco.training.validation import Validation

DECLARED_AT_ONCE = 256
"""Graphs that are declared together when the first temperature is looked for."""


@checked
def train(
    problem: str | Problem,
    data: Source,
    *,
    model: str | nn.Module | type[nn.Module] | None = None,
    settings: Mapping[str, Any] | None = None,
    init: str | PathLike[str] | TrainedModel | None = None,
    loss: str | None = DEFAULTS.loss,
    epochs: int = DEFAULTS.epochs,
    batch_size: int | None = DEFAULTS.batch_size,
    learning_rate: float | None = DEFAULTS.learning_rate,
    rate: str = DEFAULTS.rate,
    clip: float = DEFAULTS.clip,
    schedule: str = DEFAULTS.schedule,
    tau0: First = DEFAULTS.tau0,
    tau_last: Last = DEFAULTS.tau_last,
    anneal_by: AnnealBy = DEFAULTS.anneal_by,
    penalty_scale: float = DEFAULTS.penalty_scale,
    samples: int = DEFAULTS.samples,
    num_graphs: int = DATA_DEFAULTS.num_graphs,
    num_validation: int = DATA_DEFAULTS.num_validation,
    data_seed: int = DATA_DEFAULTS.data_seed,
    validation_restarts: int = DEFAULTS.validation_restarts,
    validate_every: int = DEFAULTS.validate_every,
    early_stop: int | None = DEFAULTS.early_stop,
    seed: int = DEFAULTS.seed,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    save_seconds: float = SAVE_SECONDS,
    accelerator: Accelerator = "auto",
    devices: int = 1,
    num_nodes: int = 1,
    tensorboard: bool = False,
    compiled: bool = True,
    picture: bool = True,
    progress: bool = True,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
) -> TrainedModel:
    """Train a network to lower E_Q[f] − τ H(Q) while the temperature τ falls, and return the best one.

    Args:
        problem: a name in `PROBLEMS`, or a problem of your own.
        data: names in `DATASETS`, one or several in a list; graph files and folders of them, likewise; or graphs in any
            containers that `solve` takes. Files and graphs are split 60/20/20.
        model: a name in `MODELS`, ``field`` by default; a module of your own, of PyTorch or PyG, which is trained in
            place; a class of modules, or its place ``my_package.nets:Net`` (see `annealco.models.adapters`).
        settings: of the network, where it is named or a class.
        init: a trained network to begin with instead of random weights: a folder, ``auto`` for the one that comes with
            the package for the problem, or what `load` returned.
        loss: what is lowered, a name in `LOSSES`: ``energy``, or one of others to compare with; None for the network's.
        epochs: how often all graphs are seen. More than a finished run had, with ``resume``, continue it: the
            temperature stays at its last value, and the learning rate runs through its schedule again.
        batch_size: graphs per step, of all processes together; None for what suits the network.
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
        samples: random features per graph and step.
        num_graphs: training graphs of a named family, and at most of files.
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
        compiled: whether the compiled core runs `field` and `two_sided`, several times faster, on the processor and in
            single precision; else PyTorch does, with the same results up to rounding.
        picture: whether to draw the run at its end and when Ctrl-C stops it, where matplotlib is installed.
        progress: whether to show progress on stderr.
        node_weight: attribute or column that the node weights of files and containers are read from, as in `as_graph`;
            None ignores weights.
        edge_weight: the same of the edges.
        ends: the two columns of tables that hold the ends of edges.

    Returns:
        The network of the best validation ratio, the latest of equals, ready for `solve`.

    Raises:
        InputError: for bad arguments, data and files.
        ChildProcessError: where one of several processes was killed, or failed; what was saved can be resumed.
        KeyboardInterrupt: after Ctrl-C, when the run was saved.
    """
    # What can be wrong with settings is told before any graph is drawn.
    given = locals()
    chosen = TrainSettings(**{each.name: given[each.name] for each in fields(TrainSettings)})
    task = trainable_problem(problem)
    machine = Machine(accelerator, devices, num_nodes, tensorboard, compiled)
    check_seed("data seed", data_seed)
    place = _check_place(out, save_seconds, resume, force)
    network, origin = _first_network(task, model, settings, init, seed)
    for each in network.modules():
        if isinstance(each, Model):
            each.in_core = machine.compiled
    recipe = _resolve(chosen, task, network, origin, Sizes(1.0, 1.0))
    names = {"node_weight": node_weight, "edge_weight": edge_weight, "ends": ends}
    source = as_source(data, task, **names)
    graphs = load_graphs(source, "train", num_graphs, data_seed, task, **names)
    held_out = load_graphs(source, "validation", num_validation, data_seed, task, **names)
    sizes, _ = [_sizes(task, each, recipe) for each in (graphs, held_out)]
    recipe = _resolve(chosen, task, network, origin, sizes)
    recipe = replace(recipe, data=_describe(task, source, data_seed, graphs, held_out))
    _try_network(network, task, graphs[:2], recipe)
    with _folder(place) as folder:
        start = flatten(network)
        state, recipe = resumed_state(folder, recipe, network) if resume else (State(), recipe)
        job = Job(
            recipe,
            network,
            task,
            graphs,
            Validation(task, held_out, recipe),
            folder,
            state,
            start,
            save_seconds=save_seconds,
            replaces=run_files(folder) if force else [],
            progress=progress,
            tensorboard=tensorboard,
            interrupt=Interrupt(),
        )
        return _result(job, *_launch(job, machine), picture=picture and out is not None)


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
    if outside_rank() == 0:
        check_folder(place, resume=resume, force=force)
    return place


def _first_network(
    problem: Problem,
    model: str | nn.Module | type[nn.Module] | None,
    settings: Mapping[str, Any] | None,
    init: str | PathLike[str] | TrainedModel | None,
    seed: int,
) -> tuple[Model, dict[str, Any] | None]:
    """Return the network with its first weights, and where these come from if they are not drawn."""
    if settings is not None and not (isinstance(settings, Mapping) and all(isinstance(key, str) for key in settings)):
        raise InputError(f"settings must be a dictionary of names and values, they are {settings!r:.40}")
    if settings and (isinstance(model, nn.Module) or init is not None):
        raise InputError("a network that is given has its settings already")
    if init is not None:
        network, source = _trained_before(problem, init, model)
        return network, {"source": source, "sha256": digest_of(network)}
    if isinstance(model, nn.Module):
        network = as_model(model)
        check_parameters(network)
        return network, None
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return build_model(DEFAULT_MODEL if model is None else model, **(settings or {})), None


def _trained_before(problem: Problem, init: Any, model: Any) -> tuple[Model, str]:
    """Return a network to begin with, and what it was called."""
    if isinstance(init, TrainedModel):
        if model is not None:
            raise InputError("init is a network already: model names another one")
        return copy.deepcopy(init.model), f"a trained {init.name}"
    if not isinstance(init, str | PathLike):
        raise InputError(f"init must be auto, the folder of a trained network, or one, it is {init!r:.40}")
    folder = shipped_folder(problem.learned_as) if init == "auto" else Path(init)
    return load(folder, model).model, fspath(init)


def digest_of(model: Model) -> str:
    """Return a digest of a network's weights, by which they are known again."""
    digest = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]


def _resolve(
    settings: TrainSettings, problem: Problem, network: Model, origin: dict[str, Any] | None, sizes: Sizes
) -> Recipe:
    """Return the recipe, with names and what is left to the network replaced by numbers."""
    given = asdict(settings)
    loss = network.loss if settings.loss is None else settings.loss
    ends = schedule_ends(settings.tau0, settings.tau_last, sizes)
    if not LOSSES[loss].annealed:
        ends = (0.0 if isinstance(settings.tau0, str) else settings.tau0, ends[1])
    resolved = {
        "loss": loss,
        "batch_size": network.batch_size if settings.batch_size is None else settings.batch_size,
        "learning_rate": network.learning_rate if settings.learning_rate is None else settings.learning_rate,
        "tau0": ends[0],
        "tau_last": ends[1],
        "in_units": LOSSES[loss].annealed and settings.tau0 == "unit",
    }
    return Recipe(problem.name, {}, identity(network), network.settings, init=origin, **{**given, **resolved})


def _sizes(problem: Problem, graphs: Graph, recipe: Recipe) -> Sizes:
    """Declare all graphs, to find what is wrong with any, and measure their energies."""
    starts = range(0, graphs.num_graphs, DECLARED_AT_ONCE)
    instances = (problem.declare(graphs[start : start + DECLARED_AT_ONCE]) for start in starts)
    return measure_sizes((_with_loss(each, recipe) for each in instances), recipe.penalty_scale)


def _with_loss(instance: Instance, recipe: Recipe) -> Instance:
    # A loss that the instance does not have is told here.
    LOSSES[recipe.loss].of(instance, recipe.penalty_scale)
    return instance


def _try_network(network: Model, problem: Problem, graphs: Graph, recipe: Recipe) -> None:
    """Run the network once on some graphs: what is wrong with a module is told before anything is written."""
    instance = draw(problem, graphs, recipe.seed).posed.declare(graphs)
    first = next(network.parameters())
    with failing_as_model(network, graphs):
        features = network.draw_features(graphs, recipe.samples, torch.Generator().manual_seed(0))
        batch = ModelInput(graphs, instance, features.to(first.device))
    try_model(network, batch)


def _describe(problem: Problem, source: list[str] | Graph, seed: int, graphs: Graph, held_out: Graph) -> dict[str, Any]:
    """Return what tells a data set apart from others, and the options that the problem is posed with."""
    options = {name: _as_json(value) for name, value in problem.option_values.items()}
    return {
        **({"options": options} if options else {}),
        "source": ["graphs"] if isinstance(source, Graph) else source,
        "seed": seed,
        "train": graphs.num_graphs,
        "validation": held_out.num_graphs,
        "fingerprint": f"{fingerprint(graphs)}-{fingerprint(held_out)}",
    }


def _as_json(value: Any) -> Any:
    """Return the value of an option as JSON holds it; what JSON does not hold is told by its text."""
    value = as_python(value)
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    return value if value is None or isinstance(value, str | bool | int | float) else repr(value)


@contextmanager
def _folder(place: Path | None) -> Iterator[Path]:
    """Give the folder of the run, a temporary one where none is named."""
    if place is None:
        with tempfile.TemporaryDirectory(prefix="annealco-") as name:
            yield Path(name)
        return
    if outside_rank() != 0:
        yield place
        return
    made = [each for each in (place, *place.parents) if not each.exists()]
    prepare_folder(place)
    try:
        yield place
    except BaseException:
        # Of a run that never wrote anything no empty folders stay.
        with suppress(OSError):
            for each in made:
                each.rmdir()
        raise


def _launch(job: Job, machine: Machine) -> tuple[bool, dict[str, Tensor] | None]:
    """Run what is left of a run, in this process or in several; return what `train_run` does."""
    if job.state.finished:
        return True, None
    if machine.devices > 1 and not started_outside():
        _check_importable(job)
    with quiet(), worker_errors(), job.interrupt.listening():
        finished, weights = machine.fabric().launch(Launched(train_run, job))
    return finished, weights


def _check_importable(job: Job) -> None:
    """Refuse what a process that is started here could not import."""
    parts = [type(module) for module in job.model.modules()]
    for each in (*parts, bare(job.problem.declare), bare(job.problem.score)):
        home = str(getattr(each, "__module__", ""))
        if home.startswith(FILE_MODULE):
            rule = "several processes cannot import what was named by its file: name the module, such as my_nets:Net"
            raise InputError(f"{rule}, or start them with torchrun")


def _result(job: Job, finished: bool, weights: dict[str, Tensor] | None, *, picture: bool) -> TrainedModel:
    """Return the best network of a run that is finished; one that the user stopped is drawn as far as it went."""
    recipe, network = job.recipe, job.model
    if not finished:
        if picture and outside_rank() == 0:
            _draw(job, load_state(job.folder, recipe, network))
        raise KeyboardInterrupt
    if outside_rank() != 0:
        # Only the first process writes files, and others may be on another machine.
        network.load_state_dict(weights or network.state_dict())
        return TrainedModel(network, recipe.problem, record={"recipe": recipe.as_json()})
    state = load_state(job.folder, recipe, network)
    # A kill after the last state and before its log leaves a log without the last epoch.
    write_log(job.folder, state.history)
    if picture:
        _draw(job, state)
    return load(job.folder, network)


def _draw(job: Job, state: State) -> None:
    """Draw the epochs that are done, if any."""
    if not is_installed("matplotlib"):
        say(f"note: {missing('a picture', 'matplotlib')}")
    elif state.history:
        title = f"{job.recipe.problem}, {job.recipe.model}, {' '.join(job.recipe.data['source'])}"
        draw_run(state.history, job.folder / PICTURE, title)
