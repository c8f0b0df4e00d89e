"""Recognise the containers of other libraries by the names of their classes; import none before it is written to."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph


def is_a(source: Any, package: str, *names: str) -> bool:
    """Tell whether something is of one of these classes, or of a subclass, without importing its package."""
    kinds = type(source).__mro__
    return any(kind.__name__ in names and kind.__module__.partition(".")[0] == package for kind in kinds)


def type_name(source: Any) -> str:
    """Return the name of something's class, for messages."""
    return f"{type(source).__module__}.{type(source).__qualname__}".removeprefix("builtins.")


def expect(source: Any, package: str, *names: str) -> None:
    """Refuse what is not of one of these classes."""
    if not is_a(source, package, *names):
        raise InputError(f"expected a {package} {' or '.join(names)}, not {type_name(source)}")


def as_numpy(value: Any) -> Any:
    """Return an array of a tensor on any device or of anything like an array; None stays None."""
    if not is_a(value, "torch", "Tensor"):
        return None if value is None else np.asarray(value)
    if str(value.layout) != "torch.strided":
        raise InputError(f"a torch tensor must be dense here, this one is {value.layout}")
    value = value.detach().cpu()
    # NumPy has no bfloat16.
    return (value.double() if value.is_floating_point() else value).numpy()


def single(graph: Graph, target: str) -> Graph:
    """Refuse a batch, where the target holds one graph."""
    if graph.num_graphs != 1:
        raise InputError(f"{target} holds one graph, these are {graph.num_graphs}; convert them one by one")
    return graph


def import_package(module: str, package: str) -> Any:
    """Import a module of a package that may be missing, and say how to install it then."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ModuleNotFoundError(f"{package} is not installed: pip install {package}", name=package) from None
