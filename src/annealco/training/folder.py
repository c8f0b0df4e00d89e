"""The folder of a run: what is in it, whether it may be written to, and how to empty it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from annealco.graph.errors import GraphFileError, InputError
from annealco.training import checkpoint, state
from annealco.training.bundle import tensor_files

LOG, PICTURE, TENSORBOARD = "log.csv", "run.png", "tensorboard"
BUNDLES = (checkpoint.FILE, state.FILE)


def check_folder(out: Path, *, resume: bool, force: bool) -> None:
    """Refuse a folder that has a run already, unless it is to be resumed or replaced."""
    if resume and force:
        raise InputError("a run is either resumed or replaced: give --resume or --force, not both")
    if out.exists() and not out.is_dir():
        raise GraphFileError(out, "it is not a folder")
    if any((out / name).exists() for name in BUNDLES) and not (resume or force):
        raise InputError(f"{out}: there is a run in it; --resume continues it, --force replaces it")


def has_state(out: Path) -> bool:
    """Tell whether a run has come so far that it can be resumed."""
    return (out / state.FILE).exists()


def prepare_folder(out: Path, *, force: bool) -> None:
    """Make the folder, remove what a killed process left behind, and with ``force`` the run in it."""
    out.mkdir(parents=True, exist_ok=True)
    for each in out.iterdir():
        if re.fullmatch(r"\.[0-9a-f]{16}\.tmp", each.name):
            each.unlink(missing_ok=True)
    if force:
        tensors = [file for name in BUNDLES for file in tensor_files(out / name)]
        # The JSON files go first: without them there is no run, with them their tensors must be there.
        for file in [*(out / name for name in BUNDLES), *tensors, out / LOG, out / PICTURE]:
            file.unlink(missing_ok=True)
        shutil.rmtree(out / TENSORBOARD, ignore_errors=True)
