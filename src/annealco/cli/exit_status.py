"""What a program's exit status says about how it ended.

0 done; 2 bad usage or bad input, with one line on stderr that names the file, the line and the rule; 1 anything else;
130 interrupted; 141 where the reader of a pipe left.
"""

from __future__ import annotations

import typer

from annealco.errors import InputError
from annealco.optional import EXTRAS, missing
from annealco.terminal import PROGRAM

BAD_INPUT = 2
FAILED = 1
INTERRUPTED = 130
BROKEN_PIPE = 141


def explain(error: Exception) -> tuple[int, str]:
    """Return the exit status of an error and what to say about it.

    Example:
        >>> explain(InputError("restarts must be at least 1, they are 0"))
        (2, 'restarts must be at least 1, they are 0')
    """
    if isinstance(error, InputError):
        return BAD_INPUT, str(error)
    if isinstance(error, typer.TyperException):
        context = getattr(error, "ctx", None)
        place = PROGRAM if context is None else context.command_path
        return BAD_INPUT, f"{' '.join(error.format_message().split())} (see '{place} --help')"
    if isinstance(error, (FileExistsError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)):
        return BAD_INPUT, _about_file(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in EXTRAS:
        return BAD_INPUT, missing("this", error.name or "")
    if isinstance(error, OSError):
        return FAILED, _about_file(error) if error.filename else str(error)
    return FAILED, f"internal error: {type(error).__name__}: {error} (ANNEALCO_DEBUG=1 shows the traceback)"


def _about_file(error: OSError) -> str:
    return f"{error.filename}: {(error.strerror or '').lower()}"
