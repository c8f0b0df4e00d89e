"""No test reads a clock, waits for a guessed time, or has its outcome decided by a short time limit.

Budgets are moves, steps, or until proven; `tests.budgets` has them. Another process is waited for with `tests.waiting`.
How long something takes is measured in ``benchmarks``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

ALLOWED = {
    "budgets.py": "names the one short limit there is, and what it may be used for",
    "core/test_fuzz.py": "its patience counts moves",
    "fake_clock.py": "stands in for the module time",
    "test_no_clocks.py": "shows what is not allowed",
    "waiting.py": "gives up on what never happens, after minutes",
}

MODULES = {"time", "timeit"}
FUNCTIONS = {
    *("perf_counter", "monotonic", "process_time", "thread_time", "clock_gettime", "getrusage", "cpu_times"),
    *("perf_counter_ns", "monotonic_ns", "process_time_ns", "thread_time_ns", "time_ns", "utcnow"),
    *("sleep", "Timer", "setitimer", "alarm"),
}
IN_TEXT = re.compile(
    r"\bimport (?:\w+, )*time\b|\bfrom time import|\btime\.time\(|\bsleep\(|\bTimer\(|"
    r"\b(?:perf_counter|monotonic|process_time|thread_time|getrusage)(?:_ns)?\("
)
"""What programs that a test starts may not do either."""

LIMITS = {"time_limit", "exact_limit", "timeout", "budget", "patience", "least_seconds"}
OPTIONS = {"--time-limit", "--exact-limit"}
TIMED_CALLS = {"Bench", "Budget", "Clock"}
"""Their ``seconds`` are a limit, too."""

OVER_AT_ONCE, GENEROUS = 1e-5, 5.0
"""A limit up to the first is over before anything begins, one from the second on is not reached: no clock decides."""

DURATIONS = {"seconds", "cpu_seconds", "wall", "cpu"}


def short(value: ast.expr, constants: dict[str, ast.expr]) -> bool:
    """Tell whether an expression is a limit that may or may not be reached."""
    value = constants.get(value.id, value) if isinstance(value, ast.Name) else value
    if not isinstance(value, ast.Constant) or isinstance(value.value, bool):
        return False
    try:
        return OVER_AT_ONCE < float(value.value) < GENEROUS
    except (TypeError, ValueError, OverflowError):
        return False


def is_duration(node: ast.expr) -> bool:
    """Tell whether an expression is a measured time: ``found.seconds`` or ``row["cpu"]``."""
    if isinstance(node, ast.Attribute):
        return node.attr in DURATIONS
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value in DURATIONS


def reads(node: ast.AST) -> bool:
    """Tell whether a node reads a clock, or waits."""
    match node:
        case ast.Import(names):
            return any(each.name in MODULES for each in names)
        case ast.ImportFrom(module=module, names=names):
            return module in MODULES or any(each.name in FUNCTIONS for each in names)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in FUNCTIONS
        case ast.Constant(str(text)):
            return IN_TEXT.search(text) is not None
    return False


def after_options(items: list[ast.expr]) -> list[tuple[bool, ast.expr]]:
    """Return what stands behind each word of a command line, and whether the word is an option that sets a limit."""
    is_option = [isinstance(each, ast.Constant) and each.value in OPTIONS for each in items]
    return list(zip(is_option, items[1:], strict=False))


def limits(node: ast.AST, constants: dict[str, ast.expr]) -> bool:
    """Tell whether a node sets a short time limit."""
    pairs: list[tuple[bool, ast.expr]] = []
    match node:
        case ast.Call(func=function, keywords=keywords):
            name = getattr(function, "id", getattr(function, "attr", None))
            named = LIMITS | ({"seconds"} if name in TIMED_CALLS else set())
            pairs = [(each.arg in named, each.value) for each in keywords]
            pairs += after_options(node.args)
        case ast.Dict(keys=keys, values=values):
            named = [isinstance(key, ast.Constant) and key.value in LIMITS for key in keys]
            pairs = list(zip(named, values, strict=True))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            pairs = after_options(items)
    return any(is_limit and short(value, constants) for is_limit, value in pairs)


def measures(node: ast.AST) -> bool:
    """Tell whether a node compares a measured time with a number other than 0."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    numbers = [each.value for each in sides if isinstance(each, ast.Constant) and isinstance(each.value, int | float)]
    ordered = any(isinstance(each, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for each in node.ops)
    return ordered and any(map(is_duration, sides)) and any(numbers)


def offences(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a test file that depend on a clock, and how."""
    tree = ast.parse(source)
    constants = {
        target.id: statement.value
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if reads(node):
            yield line, "reads a clock or waits"
        if limits(node, constants):
            yield line, f"sets a limit of less than {GENEROUS:g} seconds"
        if measures(node):
            yield line, "asserts how long something took"


def test_no_test_depends_on_a_clock() -> None:
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        if name in ALLOWED:
            continue
        found += [f"tests/{name}:{line}: {why}" for line, why in offences(path.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import os, time",
        "from time import sleep",
        "from threading import Timer",
        "begun = clock.perf_counter()",
        "threading.Timer(1, stop)",
        "await asyncio.sleep(1)",
        'PROGRAM = """\nimport sys, time\n"""',
        "run('-c', 'import os; time.sleep(9)')",
        "solve(graph, time_limit=0.3)",
        "SHORT = 0.3\nsolve(graph, time_limit=SHORT)",
        "options = {'time_limit': 2}",
        "call('solve', *['--time-limit', '0.1'])",
        "call('solve', 'mis', '--time-limit', 0.1)",
        "Budget(seconds=0.5)",
        "process.wait(timeout=1)",
        "assert solution.seconds < 3",
        "assert 0.2 < row['cpu'] < 0.6",
    ],
)
def test_what_depends_on_a_clock_is_noticed(source: str) -> None:
    assert list(offences(source))


@pytest.mark.parametrize(
    "source",
    [
        "solve(graph, time_limit=60, moves=1000)",
        "solve(graph, time_limit=1e-9)",
        "solve(graph, time_limit=0)",
        "solve(graph, time_limit=FAR)",
        "solve(graph, **{'time_limit': None, 'restarts': 1})",
        "call('solve', '--time-limit', 'soon', '--restarts', '1')",
        "process.wait(timeout=PATIENCE)",
        "assert solution.seconds > 0",
        "row = {'seconds': 0.3, 'wall': 0.1}",
    ],
)
def test_what_does_not_is_allowed(source: str) -> None:
    assert not list(offences(source))
