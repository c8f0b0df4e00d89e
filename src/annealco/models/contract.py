"""The contract of networks, for those of the package and your own: `check_model`.

Every rule is tried on small graphs, among them one without edges, one of a single node and one of none. What a network
draws is handed to it, so that equal inputs must give equal logits: numbering the nodes otherwise renumbers the logits,
and a graph in a batch gets the logits it has alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from annealco.arguments import as_integer
from annealco.energy import Constraint, Instance, Linear, Pairs
from annealco.errors import ContractError, InputError, UserCodeError, in_one_line
from annealco.graph.graph import Graph
from annealco.graph.operations import relabel
from annealco.models import MODELS
from annealco.models.adapters import NodeModel, as_model, check_parameters, class_place, try_model
from annealco.models.build import build_model
from annealco.models.model import Model, ModelInput

TOLERANCE = 1e-4
"""How closely logits must agree, relative to the largest: sums of float32 in another order."""


class ModelError(ContractError):
    """Say which rule of the contract a network breaks."""


def check_model(
    model: str | nn.Module | type[nn.Module],
    *,
    settings: dict[str, Any] | None = None,
    declare: Callable[[Graph], Instance] | None = None,
    seed: int = 0,
) -> None:
    """Check that a network keeps the contract; return silently or raise.

    Logits are finite and [num_nodes] or [num_nodes, num_samples], also on graphs without edges, of one node and of no
    node; every parameter that is to learn gets a gradient; the numbers of the nodes and the other
    graphs of a batch do not matter; the same features give the same logits; weights come back from tensors.

    Args:
        model: a name in `MODELS`, a place, a class, or a module. It is run in training and in evaluation mode; its
            weights stay, but what it learns from data on the way, as BatchNorm does, changes.
        settings: of its constructor, where it is built.
        declare: the problem to try it on, ``PROBLEMS["mds"].declare`` say; independent sets by default.
        seed: of graphs and features.

    Raises:
        ModelError: with the rule it breaks, or what its code raised. It is an `InputError`.
        InputError: where it cannot be built, and where it has the name of another of the package.

    Example:
        >>> check_model("field", settings={"width": 4})
    """
    as_integer("seed", seed, low=0)
    if settings is not None and not (isinstance(settings, dict) and all(isinstance(key, str) for key in settings)):
        raise InputError(f"settings must be a dictionary of names and values, they are {settings!r:.40}")
    if declare is not None and not callable(declare):
        raise InputError(f"declare must be a function from a graph to its instance, it is {declare!r:.40}")
    if isinstance(model, nn.Module):
        if settings:
            raise InputError("a network that is given has its settings already")
        network = as_model(model)
    else:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = build_model(model, **(settings or {}))
    name = network.name
    if name in MODELS.own and not isinstance(network, NodeModel) and type(network) is not MODELS[name]:
        place = class_place(type(network))
        raise InputError(f"the model {place} is named {name!r} as a model of annealco is: give it another name")
    with torch.random.fork_rng():
        _Check(network, declare or independent_sets, seed).all_rules()


def independent_sets(graph: Graph) -> Instance:
    """Declare sets of as many nodes as possible without both ends of an edge: a problem to try networks on."""
    conflicts = Pairs(graph.node_ptr, graph.edges, np.ones(graph.num_edges))
    objective = Linear(graph.node_ptr, -np.ones(graph.num_nodes))
    return Instance(graph.node_ptr, (objective,), (Constraint(conflicts, np.ones(graph.num_edges)),), sense="max")


class _Check:
    """A network, and graphs to try it on."""

    def __init__(self, model: Model, declare: Callable[[Graph], Instance], seed: int) -> None:
        self.model, self.declare = model, declare
        self.rng = np.random.default_rng(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.graphs = [_random_graph(self.rng, num_nodes) for num_nodes in (9, 6, 12)]

    def all_rules(self) -> None:
        self._ask(self.trial)
        self._ask(self.shapes)
        self._ask(self.gradients)
        self.model.eval()
        self._ask(self.repetition)
        self._ask(self.permutation)
        self._ask(self.batching)
        self._ask(self.round_trip)

    def _ask(self, rule: Callable[[], None]) -> None:
        """Check a rule, and name it in whatever the code of the network raises."""
        try:
            rule()
        except UserCodeError as error:
            step = f"in the check of its {rule.__name__.replace('_', ' ')}"
            raise ModelError(f"{step}: {error}") from error.__cause__ or error
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            step = f"in the check of its {rule.__name__.replace('_', ' ')}"
            raise ModelError(f"model {self.model.name}: {step} it failed: {in_one_line(error)}") from error

    def trial(self) -> None:
        """Run once, which also gives lazy modules their shapes, and have parameters that can learn."""
        batch = Graph.batch(self.graphs)
        try_model(self.model, self._input(batch, self._draw(batch)))
        check_parameters(self.model)

    def require(self, holds: bool, rule: str) -> None:
        if not holds:
            raise ModelError(f"model {self.model.name}: {rule}")

    def shapes(self) -> None:
        """Give finite logits of the right shape on every kind of graph."""
        nothing: Any = [[], []]
        small = {
            "a graph without edges": Graph.from_edges(nothing, num_nodes=4),
            "a graph of one node": Graph.from_edges(nothing, num_nodes=1),
            "a graph of no node": Graph.from_edges(nothing, num_nodes=0),
            "a graph with isolated nodes": Graph.from_edges([[0], [1]], num_nodes=5),
            "a batch": Graph.batch(self.graphs),
        }
        # In training mode only on a batch: BatchNorm learns nothing from a single row, and refuses it.
        for name, mode in [("a batch", True), *((name, False) for name in small)]:
            self.model.train(mode)
            logits = self._run(small[name], self._draw(small[name], 2))
            where = f"on {name} in {'training' if mode else 'evaluation'} mode"
            is_right = logits.dim() == 2 and logits.shape[0] == small[name].num_nodes and logits.shape[1] >= 2
            self.require(is_right, f"logits of 2 samples {where} have shape {list(logits.shape)}")
            self.require(bool(torch.isfinite(logits).all()), f"logits {where} are not finite")

    def gradients(self) -> None:
        """Give every parameter that is to learn a finite gradient."""
        batch = Graph.batch(self.graphs)
        self.model.train()
        self.model.zero_grad()
        outputs = self.model.outputs(self._input(batch, self._draw(batch)))
        total = sum(weight for weight, _ in outputs)
        self.require(abs(total - 1) < 1e-6, f"the weights of its outputs must sum to 1, they sum to {total}")
        energy = self.declare(batch).energy()
        loss = torch.stack([weight * energy.expectation(logits).mean() for weight, logits in outputs]).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        learning = {name: each for name, each in self.model.named_parameters() if each.requires_grad}
        self.require(bool(learning), "no parameter is to learn")
        for name, parameter in learning.items():
            self.require(parameter.grad is not None, f"parameter {name!r} gets no gradient")
            finite = parameter.grad is None or bool(torch.isfinite(parameter.grad).all())
            self.require(finite, f"the gradient of parameter {name!r} is not finite")
        self.model.zero_grad()

    def repetition(self) -> None:
        """Give the same logits for the same features, and draw the same features for the same seed."""
        graph = self.graphs[0]
        drawn = [self.model.draw_features(graph, 3, torch.Generator().manual_seed(5)) for _ in range(2)]
        self.require(torch.equal(*drawn), "the same generator must draw the same features")
        logits = [self._run(graph, drawn[0]) for _ in range(2)]
        self.require(self._same(*logits), "in evaluation mode the same features must give the same logits")

    def permutation(self) -> None:
        """Renumber the logits where the nodes are renumbered."""
        graph = self.graphs[2]
        order = self.rng.permutation(graph.num_nodes)
        features = self._draw(graph, 2)
        moved = torch.empty_like(features)
        moved[torch.from_numpy(order)] = features
        logits = self._run(graph, features)
        found = self._run(relabel(graph, order), moved)[torch.from_numpy(order)]
        self.require(self._same(logits, found), "logits must not depend on how nodes are numbered")

    def batching(self) -> None:
        """Give a graph in a batch the logits that it has alone."""
        batch = Graph.batch(self.graphs)
        features = self._draw(batch, 2)
        together = self._run(batch, features)
        for number, graph in enumerate(self.graphs):
            nodes = slice(int(batch.node_ptr[number]), int(batch.node_ptr[number + 1]))
            alone = self._run(graph, features[nodes])
            self.require(self._same(alone, together[nodes]), "logits must not depend on the other graphs of a batch")

    def round_trip(self) -> None:
        """Come back from a file of tensors with the same logits."""
        from safetensors.torch import load_file, save_file

        features = self._draw(self.graphs[0])
        before = self._run(self.graphs[0], features)
        with tempfile.TemporaryDirectory(prefix="annealco-") as folder:
            tensors = {name: each.detach().cpu().clone() for name, each in self.model.state_dict().items()}
            save_file(tensors, f"{folder}/weights.safetensors")
            try:
                self.model.load_state_dict(load_file(f"{folder}/weights.safetensors"))
            except RuntimeError as error:
                raise ModelError(f"model {self.model.name}: its state cannot be loaded again: {error}") from None
        self.require(torch.equal(before, self._run(self.graphs[0], features)), "its state does not restore its logits")

    def _draw(self, graph: Graph, num_samples: int = 1) -> Tensor:
        return self.model.draw_features(graph, num_samples, self.generator).to(**self.model.place)

    def _input(self, graph: Graph, features: Tensor) -> ModelInput:
        return ModelInput(graph, self.declare(graph), features.to(**self.model.place))

    def _run(self, graph: Graph, features: Tensor) -> Tensor:
        with torch.no_grad():
            logits: Tensor = self.model(self._input(graph, features))
        if not isinstance(logits, Tensor):
            raise InputError(f"model {self.model.name} must return a tensor, it returned a {type(logits).__name__}")
        return logits.cpu()

    @staticmethod
    def _same(first: Tensor, second: Tensor) -> bool:
        scale = max(1.0, float(first.abs().max())) if first.numel() else 1.0
        return first.shape == second.shape and bool(((first - second).abs() <= TOLERANCE * scale).all())


def _random_graph(rng: np.random.Generator, num_nodes: int) -> Graph:
    """Return a graph of which about every third pair is an edge."""
    low, high = np.triu_indices(num_nodes, 1)
    kept = rng.random(len(low)) < 0.35
    return Graph.from_edges(np.stack([low[kept], high[kept]]), num_nodes=num_nodes)
