"""The folder of a run: what is in it, whether it may be written to, and how to empty it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from annealco.graph.errors import InputError
from annealco.training import checkpoint, state
from annealco.training.bundle import tensor_files
from annealco.training.paths import is_there, make_folder

LOG, PICTURE, TENSORBOARD = "log.csv", "run.png", "tensorboard"
BUNDLES = (checkpoint.FILE, state.FILE)


def check_folder(out: Path, *, resume: bool, force: bool) -> None:
    """Refuse a folder that has a run already, unless it is to be resumed or replaced."""
    if resume and force:
        raise InputError("a run is either resumed or replaced: give --resume or --force, not both")
    if any(is_there(out / name) for name in BUNDLES) and not (resume or force):
        raise InputError(f"{out}: there is a run in it; --resume continues it, --force replaces it")


def prepare_folder(out: Path) -> None:
    """Make the folder, and remove what a killed process left behind."""
    make_folder(out)
    for each in out.iterdir():
        if re.fullmatch(r"\.[0-9a-f]{16}\.tmp", each.name) and not each.is_dir():
            each.unlink(missing_ok=True)


def run_files(out: Path) -> list[Path]:
    """Return the files of the run in a folder, in the order in which they are to be removed."""
    tensors = [file for name in BUNDLES for file in tensor_files(out / name)]
    logs = [each for each in sorted((out / TENSORBOARD).rglob("*")) if each.is_file()]
    # The JSON files go first: without them there is no run, with them their tensors must be there.
    files = [*(out / name for name in BUNDLES), *tensors, out / LOG, out / PICTURE, *logs]
    return [file for file in files if is_there(file) and not file.is_dir()]


def remove_run(out: Path, files: Sequence[Path]) -> None:
    """Remove files that `run_files` found, and the folder of logs where it is empty then."""
    for file in files:
        file.unlink(missing_ok=True)
    with suppress(OSError):
        (out / TENSORBOARD).rmdir()
