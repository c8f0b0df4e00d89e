"""Run an experiment in a folder, from its plan to its result."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from annealco.errors import InputError
from annealco.experiments import EXPERIMENTS, Experiment
from annealco.experiments.run_folder import NETWORKS, RESULT, RunFolder, run_steps
from annealco.experiments.scale import Scale
from annealco.files import lock_folder
from annealco.optional import require


def find_experiment(name: str) -> Experiment:
    """Return an experiment by its name."""
    if name not in EXPERIMENTS:
        raise InputError(f"unknown experiment {name!r}; choose one of {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def reproduce(name: str, scale: Scale, out: str | PathLike[str]) -> Path:
    """Do what is left of an experiment, and return the file of its result.

    The same call goes on after a kill at any moment: cells that are finished are not computed again.

    Args:
        name: a key of `EXPERIMENTS`.
        scale: how large it is.
        out: the folder, new or of the same experiment, scale and version.

    Raises:
        InputError: for unknown names, folders of others or in use, and sets or packages that are missing.
    """
    experiment = find_experiment(name)
    require(f"reproducing {name}", "torch", "lightning_fabric")
    folder = RunFolder(out, name=name, scale=scale)
    # Comparisons hold the folder itself, one after the other.
    with lock_folder(folder.path / NETWORKS):
        run_steps(experiment.plan(folder))
        folder.write_result(experiment.finish(folder))
    return folder.path / RESULT
