"""Run an experiment in a folder, from its plan to its result."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from pathlib import Path

from annealco.errors import InputError, did_you_mean
from annealco.experiments import EXPERIMENTS, Experiment
from annealco.experiments.run_folder import NETWORKS, RESULT, SEEDS, RunFolder, run_steps
from annealco.experiments.scale import Scale
from annealco.files import lock_folder
from annealco.optional import require
from annealco.terminal import say


def find_experiment(name: str) -> Experiment:
    """Return an experiment by its name."""
    if name not in EXPERIMENTS:
        raise InputError(f"unknown experiment {name!r}; choose one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def check_parts(experiment: Experiment, only: Collection[str]) -> None:
    """Refuse names that are none of the parts of an experiment."""
    for name in only:
        if not experiment.parts:
            raise InputError(f"{experiment.name} has no parts: it is run as a whole, not only {name!r}")
        if name not in experiment.parts:
            hint, first, *_, last = did_you_mean(name, experiment.parts), *SEEDS
            choices = ", ".join(part for part in experiment.parts if part not in SEEDS)
            raise InputError(
                f"unknown part {name!r} of {experiment.name}; {hint}choose from {choices}, {first} to {last}"
            )


def reproduce(name: str, scale: Scale, out: str | PathLike[str], only: Collection[str] = ()) -> Path:
    """Do what is left of an experiment, and return the file of its result.

    The same call goes on after a kill at any moment: cells that are finished are not computed again.

    Args:
        name: a key of `EXPERIMENTS`.
        scale: how large it is.
        out: the folder, new or of the same experiment, scale and version.
        only: names of sets, and of methods and learners, of a table that is to be run in parts; the result says what is
            not there yet.

    Raises:
        InputError: for unknown names, folders of others or in use, and sets or packages that are missing.
    """
    experiment = find_experiment(name)
    check_parts(experiment, only)
    require(f"reproducing {name}", "torch", "lightning_fabric")
    folder = RunFolder(out, name=name, scale=scale)
    # Comparisons hold the folder itself, one after the other.
    with lock_folder(folder.path / NETWORKS):
        steps = experiment.plan(folder, only)
        if only and not steps:
            say(f"nothing is left to do of {', '.join(only)} at scale {scale.name}")
        run_steps(steps)
        folder.write_result(experiment.finish(folder))
    return folder.path / RESULT
