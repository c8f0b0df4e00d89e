"""Linux, macOS and Windows: what is there on some of them only is asked for before it is used."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "src").rglob("*.py"))
SOURCES = sorted((ROOT / "native").rglob("*.?pp"))
NOT_ON_WINDOWS = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
NOT_EVERYWHERE = {
    "os": {"fork", "getpgid", "getuid", "killpg", "mkfifo", "nice", "register_at_fork", "sched_getaffinity", "setsid"},
    "signal": {"SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "alarm", "pthread_kill", "setitimer"},
}
COMPILERS_OWN = r"__builtin_|__int128|__attribute__|__restrict|__declspec|_mm_"


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_modules_import_and_call_nothing_that_a_system_may_lack(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert not {each.name.partition(".")[0] for each in node.names} & NOT_ON_WINDOWS
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] not in NOT_ON_WINDOWS
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            rare = node.attr in NOT_EVERYWHERE.get(node.value.id, ())
            assert not rare or f'hasattr({node.value.id}, "{node.attr}")' in text, f"line {node.lineno}: {node.attr}"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_what_only_some_compilers_know_is_inside_a_condition(path: Path) -> None:
    depth = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        depth += line.startswith("#if") - line.startswith("#endif")
        assert depth or not re.search(COMPILERS_OWN, line.partition("//")[0]), f"{relative(path)}:{number}"
