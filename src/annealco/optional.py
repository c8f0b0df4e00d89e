"""Optional packages: which extra installs each of them, and one line that says so where one is missing.

The core needs none of them. Code that does imports them where they are used, after `require`.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from annealco.errors import InputError

EXTRAS = {
    "torch": "learn",
    "lightning_fabric": "learn",
    "torch_geometric": "paper",
    "ortools": "exact",
    "highspy": "exact",
    "pyscipopt": "exact",
    "gurobipy": "exact",
    "chszlablib": "peers",
    "dwave": "peers",
    "networkx": "peers",
    "igraph": "solvers",
    "matplotlib": "report",
    "tensorboard": "logs",
    "ray": "cluster",
    "pyarrow": "parquet",
    "streamlit": "app",
}
"""The extra of ``pyproject.toml`` that installs a package, by the name under which the package is imported."""

TITLES = {
    "torch": "PyTorch",
    "lightning_fabric": "Lightning Fabric",
    "torch_geometric": "PyG",
    "streamlit": "Streamlit",
}
"""What packages call themselves, where it is not the name they are imported by."""


def is_installed(package: str) -> bool:
    """Tell whether a package can be found, without importing it."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        # A package inside another that is missing, or a finder that refuses.
        return False


def missing(what: str, package: str, extra: str | None = None) -> str:
    """Return the line that says what needs a package, and which extra installs it, by default that of `EXTRAS`.

    Example:
        >>> missing("training", "torch")
        "training needs PyTorch: pip install 'annealco[learn]'"
    """
    top = package.partition(".")[0]
    extra = extra or EXTRAS.get(top)
    install = package if extra is None else f"'annealco[{extra}]'"
    return f"{what} needs {TITLES.get(top, package)}: pip install {install}"


def require(what: str, *packages: str) -> None:
    """Raise an InputError that names the first package that is missing and how to install it.

    Args:
        what: needs the packages; the subject of the message.
        packages: by the names under which they are imported.
    """
    for package in packages:
        if not is_installed(package):
            raise InputError(missing(what, package))


def stand_in(what: str, *packages: str) -> Any:
    """Return a class that cannot be made, for a public name whose packages are missing.

    Importing the name works, also by ``from annealco import *``, and nothing is an instance of it; calling it raises
    the InputError of `require`.
    """

    def refuse(*_: object, **__: object) -> None:
        require(what, *packages)

    return type(what, (), {"__new__": refuse, "__doc__": f"A stand-in: {missing(what, packages[0])}."})
