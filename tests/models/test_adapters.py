from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import annealco
from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models import MODELS, Field, NodeModel, build_model
from annealco.models.adapters import as_model, class_place
from annealco.models.build import identity
from annealco.models.contract import ModelError, check_model
from annealco.models.model import NUM_INPUTS, NUM_RANDOM, ModelInput
from annealco.problems import PROBLEMS
from annealco.training.train import train

GRAPH = Graph.batch([Graph.from_edges([[0, 1, 2], [1, 2, 3]]), Graph.from_edges([[0, 0, 1], [1, 2, 2]])])
INSTANCE = PROBLEMS["mis"].declare(GRAPH)


def an_input(num_samples: int | None = None) -> ModelInput:
    torch.manual_seed(0)
    shape = (GRAPH.num_nodes, NUM_RANDOM) if num_samples is None else (GRAPH.num_nodes, num_samples, NUM_RANDOM)
    return ModelInput(GRAPH, INSTANCE, torch.randn(*shape))


class Whole(nn.Module):
    """Takes the whole batch."""

    def __init__(self, width: int = 1) -> None:
        super().__init__()
        self.layer = nn.Linear(NUM_INPUTS, width)

    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(data.x)


class Edges(Whole):
    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:  # type: ignore[override]
        return self.layer(x).index_add(0, edge_index[0], self.layer(x)[edge_index[1]]).squeeze(1)


class PerGraph(Whole):
    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:  # type: ignore[override]
        sums = torch.zeros(int(batch.max()) + 1, 1).index_add(0, batch, self.layer(x))
        return self.layer(x) - sums[batch]


class OptionalBatch(PerGraph):
    def forward(self, x: Tensor, edge_index: Tensor, dropout: float = 0.0, batch: Tensor | None = None) -> Tensor:  # type: ignore[override]
        assert batch is not None
        return super().forward(x, edge_index, batch)


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        (Whole, ()),
        (Edges, ("x", "edge_index")),
        (PerGraph, ("x", "edge_index", "batch")),
        (OptionalBatch, ("x", "edge_index", "batch")),
    ],
)
def test_a_module_gets_what_its_forward_asks_for(kind: type[nn.Module], inputs: tuple[str, ...]) -> None:
    model = as_model(kind())
    assert isinstance(model, NodeModel)
    assert model.inputs == inputs
    assert model(an_input()).shape == (7,)
    together = model(an_input(3))
    assert together.shape == (7, 3)
    for number in range(3):
        assert torch.allclose(together[:, number], model(an_input(3).sample(number)))
    check_model(kind())


def test_several_columns_are_several_proposals() -> None:
    model = as_model(Whole(4))
    assert model(an_input()).shape == (7, 4)
    assert model(an_input(3)).shape == (7, 12)
    trained = annealco.TrainedModel(model, "mis", num_restarts=3)
    assert trained(GRAPH, INSTANCE).shape == (12, 7)


def test_the_input_is_what_it_says() -> None:
    batch = an_input()
    assert batch.x.shape == (7, NUM_INPUTS)
    assert torch.equal(batch.x[:, :NUM_RANDOM], batch.features)
    degree = torch.log1p(torch.tensor([1.0, 2, 2, 1, 2, 2, 2]))
    assert torch.allclose(batch.x[:, NUM_RANDOM], degree)
    assert batch.x[:, NUM_RANDOM + 1].tolist() == [1.0] * 7
    # The field of a node at φ = 1/2 is −1 for its own gain and half a penalty per neighbour.
    assert torch.allclose(batch.x[:, -1], torch.tensor([-0.5, 0, 0, -0.5, 0, 0, 0]))
    edges = {tuple(each) for each in batch.edge_index.T.tolist()}
    assert len(edges) == 12
    assert edges == {(second, first) for first, second in edges}
    assert batch.batch.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert batch.edge_weight.tolist() == [1.0] * 12
    assert an_input(2).x.shape == (7, 2, NUM_INPUTS)


class WrongNames(Whole):
    def forward(self, h: Tensor, adjacency: Tensor) -> Tensor:  # type: ignore[override]
        return self.layer(h)


class Anything(Whole):
    def forward(self, *given: Tensor) -> Tensor:
        return self.layer(given[0])


class OneRow(Whole):
    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(data.x)[:1]


class ATuple(Whole):
    def forward(self, data: ModelInput) -> Any:
        return (self.layer(data.x),)


class Failing(Whole):
    def forward(self, data: ModelInput) -> Tensor:
        raise KeyError("no such\nthing")


class NotFinite(Whole):
    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(data.x) * float("nan")


class NoGradient(Whole):
    def __init__(self) -> None:
        super().__init__()
        self.unused = nn.Linear(2, 2)


class Normed(Whole):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(NUM_INPUTS)

    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(self.norm(data.x))


class Pickled(Whole):
    def get_extra_state(self) -> Any:
        return {"code": print}


def on_two_devices() -> nn.Module:
    module = Whole()
    module.other = nn.Linear(2, 2, device="meta")
    return module


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (
            WrongNames,
            r"forward\(h: .*adjacency: .*\): a module must have forward\(batch\), forward\(x, edge_index\) or",
        ),
        (Anything, r"forward\(\*given: .*\): a module must have"),
        (OneRow, r"must return logits of \[27\] or \[27, num_samples\], it returned \[1, 1\]"),
        (ATuple, "it returned a tuple"),
        (Failing, r"failed on Graph\(3 graphs, 27 nodes, .*KeyError: .no such.*thing"),
        (NotFinite, "must return finite logits"),
        (nn.ReLU, "has no parameters to train"),
        (lambda: Whole().double(), "weights must be float32, 'module.layer.weight' of model .* is torch.float64"),
        (on_two_devices, "are on cpu and meta: move them to one device"),
        (Pickled, "has a state 'module._extra_state' that is no tensor, and cannot be saved without pickle"),
        (lambda: 3, "unknown model 3; choose one of field"),
    ],
)
def test_modules_that_cannot_be_networks_are_told_in_one_line(module: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_model(module())
    assert "\n" not in str(caught.value)


def test_inputs_can_be_named() -> None:
    model = NodeModel(Edges(), inputs=["x", "edge_index"])
    assert model(an_input()).shape == (7,)
    with pytest.raises(InputError, match="unknown input 'nodes'; choose from x, edge_index, edge_weight, batch"):
        NodeModel(Edges(), inputs=["nodes"])


def test_a_single_row_in_batch_norm_is_told() -> None:
    model = as_model(Normed())
    node = Graph.from_edges([[], []], num_nodes=1)
    batch = ModelInput(node, PROBLEMS["mis"].declare(node), torch.zeros(1, NUM_RANDOM))
    with pytest.raises(InputError, match=r"failed on Graph.*ValueError: Expected more than 1 value per channel"):
        model.train()(batch)
    assert model.eval()(batch).shape == (1,)
    check_model(Normed())


class Numbered(Whole):
    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(data.x) + torch.arange(data.num_nodes).unsqueeze(1)


class Mixing(Whole):
    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(data.x) - self.layer(data.x).mean()


class Moody(Whole):
    def forward(self, data: ModelInput) -> Tensor:
        return self.layer(data.x) + torch.rand(1)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (Numbered, "must not depend on how nodes are numbered"),
        (Mixing, "must not depend on the other graphs of a batch"),
        (Moody, "the same features must give the same logits"),
        (NoGradient, "parameter 'module.unused.weight' gets no gradient"),
    ],
)
def test_networks_that_break_the_contract_are_told_which_rule(kind: type[nn.Module], rule: str) -> None:
    with pytest.raises(ModelError, match=rule):
        check_model(kind())


@pytest.mark.parametrize("name", MODELS.own)
def test_networks_of_the_package_keep_the_contract(name: str) -> None:
    check_model(name, settings={"width": 8})
    if name != "run_csp":
        check_model(name, settings={"width": 8}, declare=PROBLEMS["mds"].declare)


@pytest.mark.parametrize("name", ["GCN", "GIN", "GAT", "GraphSAGE"])
def test_networks_of_pyg_keep_the_contract(name: str) -> None:
    geometric = pytest.importorskip("torch_geometric.nn")
    kind = getattr(geometric, name)
    check_model(kind(NUM_INPUTS, 8, num_layers=2, out_channels=1))
    # Inside GIN's own MLPs PyG normalises over all graphs of a batch.
    norm = {} if name == "GIN" else {"norm": "graph_norm"}
    check_model(kind(-1, 8, num_layers=2, out_channels=1, **norm))
    settings = {"in_channels": NUM_INPUTS, "hidden_channels": 8, "num_layers": 2, "out_channels": 1}
    check_model(kind, settings=settings)
    check_model(f"torch_geometric.nn:{name}", settings=settings)


def test_places_and_classes_are_built_with_settings_that_json_holds() -> None:
    model = build_model(f"{__name__}:Whole", width=2)
    assert (model.name, model.settings, identity(model)) == (f"{__name__}:Whole", {"width": 2}, f"{__name__}:Whole")
    assert build_model(Whole).name == class_place(Whole)
    for settings, message in (({"width": print}, "must be JSON"), ({"depth": 1}, "cannot be made with .*TypeError")):
        with pytest.raises(InputError, match=message):
            build_model(Whole, **settings)
    with pytest.raises(InputError, match=r"is no model: a class of torch.nn.Module is needed"):
        build_model("math:tau")


def test_importing_the_registry_does_not_import_torch() -> None:
    import subprocess
    import sys

    program = "import sys; from annealco.models import MODELS; list(MODELS); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_logits_of_a_model_of_ones_own_may_have_a_gradient() -> None:
    module = Whole()

    def logits(graph: Graph, instance: Instance) -> Tensor:
        x = ModelInput(graph, instance, torch.zeros(graph.num_nodes, NUM_RANDOM)).x
        return module.layer(x).squeeze(1)

    assert annealco.solve(GRAPH[0], "mis", model=logits, moves=100).value == 2


class Namesake(Field):
    """It has the name of its parent."""


class Strange(Field):
    name = "strange"

    def draw_features(self, *given: Any, **options: Any) -> Any:
        raise ZeroDivisionError("on purpose")


def test_what_a_network_raises_is_told_with_the_step() -> None:
    with pytest.raises(
        ModelError, match=r"model strange: in the check of its trial it failed: Zero.*purpose"
    ) as caught:
        check_model(Strange(width=4))
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_network_has_a_name_of_its_own_and_settings_once() -> None:
    with pytest.raises(InputError, match=r"the model .*:Namesake is named 'field' as a model of annealco is: give it"):
        check_model(Namesake(width=4))
    check_model(Field(width=4))
    with pytest.raises(InputError, match="a network that is given has its settings already"):
        check_model(Field(width=4), settings={"width": 8})


class Short(Field):
    name = "short"

    def forward(self, batch: ModelInput) -> Any:
        return super().forward(batch)[:3]


class Textual(Field):
    name = "textual"

    def forward(self, batch: ModelInput) -> Any:
        return "logits"


class Breaking(Field):
    name = "breaking"

    def forward(self, batch: ModelInput) -> Any:
        raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (Short, r"model short must return logits of \[\d+\] or .*, it returned \[3, 1\]"),
        (Textual, r"model textual must return logits of .*, it returned a str"),
        (Breaking, r"model breaking failed on Graph\(.*\): ZeroDivisionError: on purpose"),
        (Strange, "ZeroDivisionError: on purpose"),
    ],
)
def test_classes_of_models_are_tried_as_other_modules_are(kind: type[nn.Module], rule: str) -> None:
    graphs = [[[0, 1], [1, 2]]] * 6
    with pytest.raises(InputError, match=rule):
        check_model(kind(width=4))
    with pytest.raises(InputError, match=rule):
        train("mis", graphs, model=kind(width=4), epochs=1, progress=False)


def test_arguments_of_the_check_are_checked() -> None:
    for given, rule in (
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"settings": 3}, "settings must be a dictionary of names and values, they are 3"),
        ({"settings": {3: 4}}, "settings must be a dictionary of names and values"),
        ({"declare": 3}, "declare must be a function from a graph to its instance, it is 3"),
    ):
        with pytest.raises(InputError, match=rule):
            check_model("field", **given)  # type: ignore[arg-type]
