"""Nothing that Python passes to the core may crash the process.

`EXAMPLES` has arguments with which every function, constructor and method of the core works. Each is called with these,
then with one or two of them wrong: sizes, types, ids out of range, NaN, negative numbers, empty arrays. A call may
return or raise one of `ALLOWED`. `make test-sanitized` runs this with sanitizers, which end the process at a bad
access. An entry point that is not in the table fails `test_every_entry_point_has_an_example`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import numpy as np
import pytest

from annealco import _core

ALLOWED = (ValueError, TypeError, OverflowError, MemoryError)
NUM_DOUBLE_FAULTS = 100
WRONG_INTEGERS = (-1, 0, 1, -(2**31), 2**31 - 1, 2**63 - 1, -(2**63), 2**64, 0.5, None, "1")
WRONG_FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 5e-324, 1e308, None, "1")
WRONG_IDS = (-1, 2**31 - 1, -(2**31))
WRONG_COEFFICIENTS = (np.nan, np.inf, -np.inf, -1.0, 1e308)
WRONG_OBJECTS = (None, 0, "clock", np.zeros(0))

Arguments = dict[str, Any]


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def some_sets() -> Arguments:
    """Three sets of four nodes."""
    return {"start": np.array([0, 2, 4, 7]), "member": ints(0, 1, 1, 2, 0, 2, 3)}


def neighbours() -> Arguments:
    """Two triangles that share a node."""
    return {"one": ints(0, 0, 1, 2, 2, 3), "two": ints(1, 2, 2, 3, 4, 4), "num_nodes": 5}


def partition() -> Arguments:
    label = ints(0, 0, 0, 1, 1)
    return {"graph": _core.Neighbours(**neighbours()), "weight": floats(1, 2, 3, 4, 5), "label": label}


def weighted() -> Arguments:
    return {"graph": _core.Neighbours(**neighbours()), "weight": floats(1, 2, 3, 4, 5), "clock": _core.Clock(moves=50)}


EXAMPLES: dict[str, Callable[[], Arguments]] = {
    "Clock": lambda: {"seconds": 60.0, "moves": 50, "stop": _core.StopFlag()},
    "BranchAndBound": lambda: {
        **some_sets(),
        "demand": ints(1, 2, 1),
        "weight": floats(3, 2, 4, 1),
        "price": floats(1, 0, 2),
    },
    "BranchAndBound.search": lambda: {"limit": 20.0, "gain": 0.5, "clock": _core.Clock(moves=50)},
    "IteratedGreedy": lambda: {**partition(), "colours": False, "seed": 3},
    "IteratedGreedy.run": lambda: {"aim": 0.0, "clock": _core.Clock(moves=5)},
    "Neighbours": neighbours,
    "Neighbours.complement": lambda: {"clock": _core.Clock()},
    "Neighbours.induced": lambda: {"kept": np.array([True, False, True, True, False]), "clock": _core.Clock()},
    "PartitionSearch": lambda: {**partition(), "colours": False, "seed": 3},
    "PartitionSearch.run": lambda: {"aim": 0.0, "patience": 2, "clock": _core.Clock(moves=50)},
    "PriceAscent": lambda: {**some_sets(), "weight": floats(3, 2, 4, 1), "price": floats(1, 0, 2), "goal": 9.0},
    "PriceAscent.run": lambda: {"aim": 8.0, "clock": _core.Clock(moves=50)},
    "StopFlag": dict,
    "StopFlag.is_set": dict,
    "StopFlag.set": dict,
    "certified_cost": lambda: {
        **some_sets(),
        "price": floats(1, 0, 2),
        "weight": floats(3, 2, 4, 1),
        "constant": 1.0,
    },
    "certified_price": lambda: {**some_sets(), "price": floats(1, 0, 2), "weight": floats(3, 2, 4, 1)},
    "cover_pairs": lambda: {
        "graph": _core.Neighbours(**neighbours()),
        "start": np.array([0, 3]),
        "member": ints(0, 1, 2),
        "most": 100,
        "clock": _core.Clock(),
    },
    "greedy_clique_cover": weighted,
    "greedy_colouring": weighted,
    "greedy_prices": lambda: {**some_sets(), "weight": floats(3, 2, 4, 1), "clock": _core.Clock()},
    "grid_step": lambda: {"values": floats(6, -4, 0.5)},
    "lower_sum": lambda: {"values": floats(6, -4, 0.1)},
    "overfilled_cliques": lambda: {
        "graph": _core.Neighbours(**neighbours()),
        "value": floats(0.5, 0.5, 0.5, 0.1, 0),
        "seed": 7,
        "most": 100,
        "clock": _core.Clock(),
    },
    "within_reach": lambda: {**weighted(), "limit": 4.0},
    "portable_values": lambda: {"values": np.linspace(-3, 3, 7)},
    "random_numbers": lambda: {"seed": 7, "count": 5, "below": 3},
}
"""Arguments by name of a function, a class (its constructor) or ``Class.method``, made anew for every call.

Budgets are small numbers of moves, so that whatever works ends at once.
"""

SIZES = {"Neighbours": {"num_nodes"}, "random_numbers": {"count"}}
"""Arguments that tell how much memory is asked for: large ones are left out, since memory may be granted."""


def is_entry(name: str) -> bool:
    return not name.startswith("_") and callable(getattr(_core, name)) and not is_enumeration(getattr(_core, name))


def is_enumeration(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Enum)


def entry_points() -> list[str]:
    """Return functions, classes that can be made, and public methods of all classes."""
    names = [name for name in dir(_core) if is_entry(name)]
    for owner in [name for name in names if inspect.isclass(getattr(_core, name))]:
        kind = getattr(_core, owner)
        methods = [name for name in vars(kind) if not name.startswith("_") and callable(getattr(kind, name))]
        names += [f"{owner}.{name}" for name in methods if not is_enumeration(getattr(kind, name))]
    return names


NAMES = sorted(set(EXAMPLES) & set(entry_points()))


def test_every_entry_point_has_an_example():
    lacking = sorted(set(entry_points()) - set(EXAMPLES))
    assert not lacking, f"tests/core/test_fuzz.py: EXAMPLES needs arguments with which these work: {lacking}"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_works(name):
    use(name, EXAMPLES[name]())


@pytest.mark.parametrize("name", NAMES)
def test_wrong_arguments_are_refused_or_survived(name):
    for argument in EXAMPLES[name]():
        for number in range(len(list(faults(name, argument, EXAMPLES[name]()[argument])))):
            arguments = EXAMPLES[name]()
            spoil(name, arguments, argument, number)
            survive(name, arguments)
    survive(name, {"no_such_argument": 1})
    survive(name, {})


@pytest.mark.parametrize("name", NAMES)
def test_two_wrong_arguments_are_refused_or_survived(name):
    random = np.random.default_rng(len(name))
    names = list(EXAMPLES[name]())
    if len(names) < 2:
        return
    for _ in range(NUM_DOUBLE_FAULTS):
        arguments = EXAMPLES[name]()
        for argument in random.choice(names, 2, replace=False).tolist():
            count = len(list(faults(name, argument, arguments[argument])))
            spoil(name, arguments, argument, int(random.integers(count)))
        survive(name, arguments)


def spoil(name: str, arguments: Arguments, argument: str, number: int) -> None:
    """Put one of the faults of an argument in its place."""
    arguments[argument] = list(faults(name, argument, arguments[argument]))[number]


def survive(name: str, arguments: Arguments) -> None:
    """Call an entry point with arguments that may be wrong."""
    try:
        use(name, arguments)
    except ALLOWED:
        return


def use(name: str, arguments: Arguments) -> None:
    """Call a function or a method of a new object, or make an object and use all of it."""
    owner, _, method = name.partition(".")
    made = getattr(_core, owner)
    if method:
        made = getattr(made(**EXAMPLES[owner]()), method)
        made(**arguments)
        # What a first call has left behind is what a second one meets.
        made(**EXAMPLES[name]())
        return
    result = made(**arguments)
    if inspect.isclass(made):
        for each in [each for each in vars(made) if not each.startswith("_")]:
            member = getattr(result, each)
            if callable(member):
                member(**EXAMPLES[f"{owner}.{each}"]())


def faults(name: str, argument: str, value: Any) -> Iterator[Any]:
    """Yield what an argument must not be, or must not be without care."""
    if isinstance(value, np.ndarray):
        yield from array_faults(value)
    elif isinstance(value, bool):
        yield from (None, 2, "yes")
    elif isinstance(value, int):
        is_size = argument in SIZES.get(name, ())
        yield from (each for each in WRONG_INTEGERS if not (is_size and isinstance(each, int) and each > 2**30))
    elif isinstance(value, float):
        yield from WRONG_FLOATS
    elif isinstance(value, list | tuple):
        yield from ([], value[:-1], [*value, *value], None, [None])
    else:
        yield from WRONG_OBJECTS


def array_faults(value: np.ndarray) -> Iterator[Any]:
    """Yield arrays of other sizes, types, layouts and contents."""
    yield from (
        None,
        "array",
        value[:0],
        value[:-1],
        np.concatenate([value, value[-1:]]),
        np.concatenate([value, value]),
    )
    yield from (value[::-1], value[..., None], value.reshape(-1)[:1].reshape(()), value.astype(np.float16))
    yield from (
        value.astype(np.int8),
        value.astype(object),
        np.zeros_like(value),
        np.broadcast_to(value[:1], value.shape),
    )
    entries = WRONG_IDS if value.dtype.kind in "iu" else WRONG_COEFFICIENTS if value.dtype.kind == "f" else ()
    for entry in (
        each for each in entries if np.can_cast(np.min_scalar_type(each), value.dtype) or value.dtype.kind == "f"
    ):
        for place in {0, value.size // 2, value.size - 1} if value.size else ():
            wrong = value.copy()
            wrong.reshape(-1)[place] = entry
            yield wrong
        yield np.full_like(value, entry)
    if value.dtype.kind in "iu" and value.size:
        # One above the largest id, and an order that falls where it should rise.
        yield np.where(value == value.max(), value.max() + 1, value)
        yield np.sort(value.reshape(-1))[::-1].reshape(value.shape).copy()
