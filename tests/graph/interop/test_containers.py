from __future__ import annotations

import subprocess
import sys
from typing import Any

import igraph
import networkx as nx
import pytest
import scipy.sparse
from torch_geometric.data import Data

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import from_igraph, from_networkx, from_pyg, from_scipy, to_igraph, to_networkx, to_scipy
from tests.graph.interop.examples import MANY


@pytest.mark.parametrize("read", [from_networkx, from_igraph, from_scipy, from_pyg])
def test_readers_refuse_each_others_containers(read: Any) -> None:
    for source in (nx.path_graph(2), igraph.Graph(2), scipy.sparse.csr_array((2, 2)), Data(), "text"):
        if type(source).__module__.partition(".")[0] not in read.__name__.replace("pyg", "torch_geometric"):
            with pytest.raises(InputError, match=r"expected a \w+ .*, not "):
                read(source)


@pytest.mark.parametrize("write", [to_networkx, to_igraph, to_scipy])
def test_containers_of_one_graph_refuse_many(write: Any) -> None:
    with pytest.raises(InputError, match="holds one graph, these are 3"):
        write(MANY)
    with pytest.raises(InputError, match="holds one graph, these are 0"):
        write(Graph.batch([]))


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_module_imports_no_container() -> None:
    program = """
import sys
from annealco.graph import interop
interop.as_graph([[0, 1], [1, 2]])
print({"networkx", "igraph", "scipy", "torch_geometric"} & set(sys.modules))
"""
    assert run(program) == "set()"


def error_without(module: str, write: str) -> str:
    return run(f"""
import sys
from annealco.graph import interop
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
try:
    interop.{write}(interop.as_graph([[0], [1]]))
except ImportError as error:
    print(error.name, error, sep=" | ")
""")


@pytest.mark.parametrize(
    ("write", "package"),
    [("to_networkx", "networkx"), ("to_igraph", "igraph"), ("to_scipy", "scipy"), ("to_pyg", "torch_geometric")],
)
def test_a_missing_package_is_named_with_its_remedy(write: str, package: str) -> None:
    assert error_without(package, write) == f"{package} | {package} is not installed: pip install {package}"


def test_a_package_that_is_broken_inside_is_not_called_missing() -> None:
    assert (
        error_without("scipy.sparse._base", "to_scipy") == "scipy.sparse._base | No module named 'scipy.sparse._base'"
    )
