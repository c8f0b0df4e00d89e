"""A run that dies by its own hand at a certain write or step."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from annealco.models import MODELS
from annealco.training.loop import Run
from tests.training.small_runs import small_train
from tests.training.tiny_model import TinyModel


def train_and_die(out: Path, kind: str, count: int, **options: Any) -> None:
    """Train with a save after every step, and die at the so-manieth event of a kind; nothing is of the kind "never"."""
    MODELS["tiny"] = TinyModel
    calls = []

    def dying(usual: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
        def wrapped(*arguments: Any) -> Any:
            calls.append(0)
            found = usual(*arguments) if after else None
            if len(calls) == count:
                os.kill(os.getpid(), signal.SIGKILL)
            return found if after else usual(*arguments)

        return wrapped

    if kind == "before rename":
        Path.replace = dying(Path.replace, after=False)  # type: ignore[method-assign]
    elif kind == "after rename":
        Path.replace = dying(Path.replace, after=True)  # type: ignore[method-assign]
    elif kind == "inside write":
        os.fsync = dying(os.fsync, after=False)
    elif kind == "step":
        Run.count_step = dying(Run.count_step, after=False)  # type: ignore[method-assign]
    small_train(out, save_seconds=0.0, resume=True, **options)
