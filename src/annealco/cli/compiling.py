"""Say so when kernels have to be compiled, which takes longer than most searches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from annealco.terminal import say


@contextmanager
def compilation_note() -> Iterator[None]:
    """Print one line on stderr at the first compilation in this block; kernels that are cached are silent."""
    from numba.core import event

    class Note(event.Listener):
        """Hear of compilations, not of kernels that are loaded."""

        told = False

        def on_start(self, _event: Any) -> None:
            if not self.told:
                self.told = True
                say("note: compiling the search kernels, this happens once")

        def on_end(self, _event: Any) -> None:
            """Nothing to say."""

    with event.install_listener("numba:compile", Note()):
        yield
