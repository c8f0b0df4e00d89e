"""Any ``nn.Module`` as a network: a plain one, one of PyG, or one of your own.

`NodeModel` calls a module with what its ``forward`` asks for. The rule is read off the signature once, when the module
is wrapped:

* one required parameter, whatever its name: it gets the whole `ModelInput`, which has ``graph``, ``instance``,
  ``features``, ``x``, ``edge_index``, ``edge_weight``, ``batch`` and ``num_graphs``;
* several: each must be called ``x``, ``edge_index``, ``edge_weight`` or ``batch``, and gets that tensor. An optional
  parameter called ``batch`` gets its tensor too, so that layers that normalise per graph do so. Other optional
  parameters keep their defaults.

Every other signature is an error that names these; for a ``forward(*args)`` say what it takes by ``inputs``. Names are
asked for rather than positions: a module that takes (edge_index, x) would otherwise be called wrongly in silence.

The module is called once per sample. It returns [num_nodes], or [num_nodes, k] for k proposals per sample. Restarts
differ in the random columns of ``x``: a module that ignores them proposes the same set at every restart.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from annealco.errors import InputError, user_errors
from annealco.graph.graph import Graph
from annealco.models.model import NUM_RANDOM, Model, ModelInput
from annealco.registry import is_of_package

INPUTS = ("x", "edge_index", "edge_weight", "batch")
"""What a module may ask for by name."""

ACCEPTED = "forward(batch), forward(x, edge_index) or forward(x, edge_index, batch)"


class NodeModel(Model):
    """A module with what training, saving and solving need.

    Args:
        module: whose ``forward`` gives logits; it is not copied.
        inputs: names of what it is called with, of `INPUTS`; empty for the whole `ModelInput`; None to read them off
            its signature.
        settings: keyword arguments of its class, where it can be built again from them.

    Example:
        >>> class Linear(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layer = nn.Linear(8, 1)
        ...     def forward(self, batch):
        ...         return self.layer(batch.x)
        >>> NodeModel(Linear()).inputs
        ()
    """

    def __init__(
        self, module: nn.Module, *, inputs: Sequence[str] | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        self.module = module
        self.name = class_place(type(module))  # type: ignore[misc]  # One per module, not one per class.
        self.settings = None if settings is None else dict(settings)
        self.inputs = _asked_for(module) if inputs is None else _checked_inputs(inputs)
        check_parameters(self)

    def draw_features(self, graph: Graph, num_samples: int, generator: torch.Generator | None = None) -> Tensor:
        """Draw normal numbers, [num_nodes, num_samples, NUM_RANDOM]; on the processor, so that devices agree."""
        return torch.randn(graph.num_nodes, num_samples, NUM_RANDOM, generator=generator)

    def forward(self, batch: ModelInput) -> Tensor:
        """Return the module's logits, of samples side by side."""
        if batch.features.dim() == 2:
            columns = self._call(batch)
            return columns.squeeze(1) if columns.shape[1] == 1 else columns
        return torch.cat([self._call(batch.sample(number)) for number in range(batch.features.shape[1])], dim=1)

    def _call(self, batch: ModelInput) -> Tensor:
        """Return the logits of one sample, [num_nodes, k]."""
        if batch.num_nodes == 0:
            # Few layers take no rows. The sum says that the parameters have a gradient, of 0.
            return torch.stack([0.0 * each.sum() for each in self.parameters()]).sum().expand(0, 1)
        with user_errors(f"model {self.name} failed on {batch.graph!r}"):
            given = {name: getattr(batch, name) for name in self.inputs}
            logits = self.module(**given) if self.inputs else self.module(batch)
        return _as_columns(self.name, logits, batch.num_nodes)


def failing_as_model(model: Model, graph: Graph) -> AbstractContextManager[None]:
    """Name a network in errors of its code, where that is not of the package."""
    return user_errors(f"model {model.name} failed on {graph!r}", is_own=is_of_package(model))


def _as_columns(name: str, logits: object, num_nodes: int) -> Tensor:
    """Return what a module gave as [num_nodes, k]."""
    rule = f"model {name} must return logits of [{num_nodes}] or [{num_nodes}, num_samples]"
    if not isinstance(logits, Tensor):
        raise InputError(f"{rule}, it returned a {type(logits).__name__}")
    if logits.dim() not in {1, 2} or logits.shape[0] != num_nodes or (logits.dim() == 2 and logits.shape[1] < 1):
        raise InputError(f"{rule}, it returned {list(logits.shape)}")
    if not logits.is_floating_point():
        raise InputError(f"{rule}, it returned {logits.dtype}")
    return logits.unsqueeze(1) if logits.dim() == 1 else logits


def as_model(given: object) -> Model:
    """Return a module as a `Model`; one that is a `Model` already stays as it is.

    Raises:
        InputError: where it is no module, or its ``forward`` takes other things than networks are given.
    """
    if isinstance(given, Model):
        return given
    if isinstance(given, nn.Module):
        return NodeModel(given)
    raise InputError(f"a model must be a name, a place, or an nn.Module, it is {given!r:.60}")


def class_place(kind: type) -> str:
    """Return where a class is, ``package.module:Name``.

    Example:
        >>> class_place(nn.Linear)
        'torch.nn.modules.linear:Linear'
    """
    return f"{kind.__module__}:{kind.__qualname__}"


def build_from_class(kind: type[nn.Module], settings: Mapping[str, Any]) -> Model:
    """Return a network of a class that is not in the registry, made with settings that JSON can hold.

    Raises:
        InputError: where its constructor refuses them.
    """
    name = class_place(kind)
    try:
        json.dumps(dict(settings), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InputError(f"settings of {name} must be JSON: text, numbers, lists, true, false, null") from None
    try:
        module = kind(**settings)
    except InputError:
        raise
    except Exception as error:
        what = " ".join(str(error).split())[:200]
        raise InputError(
            f"{name} cannot be made with {dict(settings)!r:.200}: {type(error).__name__}: {what}"
        ) from error
    if isinstance(module, Model):
        module.settings = dict(settings)
        return module
    return NodeModel(module, settings=settings)


def check_parameters(model: Model) -> None:
    """Refuse a module that cannot be trained and saved as it is."""
    parameters = dict(model.named_parameters())
    name = model.name
    if not parameters:
        raise InputError(f"model {name} has no parameters to train")
    if not any(each.requires_grad for each in parameters.values()):
        raise InputError(f"model {name} has no parameters to train: all of them are frozen")
    tensors = model.state_dict(keep_vars=True)
    for key, each in tensors.items():
        if not isinstance(each, Tensor):
            raise InputError(f"model {name} has a state {key!r} that is no tensor, and cannot be saved without pickle")
    places = sorted({str(each.device) for each in tensors.values()})
    if len(places) > 1 or places == ["meta"]:
        raise InputError(f"the parameters of model {name} are on {' and '.join(places)}: move them to one device")
    for key, parameter in parameters.items():
        if not is_lazy(parameter) and parameter.dtype != torch.float32:
            raise InputError(f"weights must be float32, {key!r} of model {name} is {parameter.dtype}")


def try_model(model: Model, batch: ModelInput) -> None:
    """Run a network once without learning, which also gives lazy modules their shapes.

    Raises:
        InputError: where it fails, or gives what are no logits.
    """
    was_training = model.training
    model.eval()
    try:
        with torch.random.fork_rng(), torch.no_grad(), failing_as_model(model, batch.graph):
            logits = model(batch)
    finally:
        model.train(was_training)
    _as_columns(model.name, logits, batch.num_nodes)
    if not bool(torch.isfinite(logits).all()):
        raise InputError(f"model {model.name} must return finite logits, some are not")
    check_parameters(model)


def _asked_for(module: nn.Module) -> tuple[str, ...]:
    """Return the names of what a module is to be called with; none for the whole input."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    plain = [each for each in parameters if each.kind in {each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD}]
    keyword = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
    required = [each.name for each in [*plain, *keyword] if each.default is each.empty]
    if len(required) == 1 and required[0] not in {"x", "edge_index", "edge_weight"}:
        return ()
    by_name = {each.name for each in [*plain, *keyword] if each.kind is not each.POSITIONAL_ONLY}
    if not required or not set(required) <= set(INPUTS) & by_name:
        shown = ", ".join(str(each) for each in parameters)
        rule = f"a module must have {ACCEPTED}; else name what it takes: NodeModel(module, inputs=['x', 'edge_index'])"
        raise InputError(f"model {class_place(type(module))} has forward({shown:.100}): {rule}")
    return tuple(name for name in INPUTS if name in required or (name == "batch" and name in by_name))


def _checked_inputs(inputs: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in inputs if name not in INPUTS]
    if unknown:
        raise InputError(f"unknown input {unknown[0]!r}; choose from {', '.join(INPUTS)}")
    return tuple(inputs)
