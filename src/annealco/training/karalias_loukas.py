"""The losses of Karalias and Loukas (2020), by the kind of constraint; none is annealed.

| constraints                      | loss                                                                  |
|----------------------------------|-----------------------------------------------------------------------|
| pairs that exclude each other    | theirs for cliques, ½ (4 D − W): `pair_mass`                          |
| a range, forced nodes            | theirs for cuts, the expected cut at a target volume: `target_volume` |
| sets to be hit, or none          | E[cost] + β · E[sets that are not hit], at the critical penalties     |

They give no loss for the last kind. Theirs is in general the expected cost plus a penalty on the chance of an
infeasible set, which the expected number of sets that are not hit bounds: that is this package's energy without
entropy.
"""

from __future__ import annotations

from annealco.energy import AllPairs, Cover, Energy, Instance, Pairs, Range
from annealco.graph.errors import InputError
from annealco.training.pair_mass import PairMass, pair_mass
from annealco.training.target_volume import TargetVolume, target_volume


def karalias_loukas(instance: Instance, penalty_scale: float = 1.0) -> PairMass | TargetVolume | Energy:
    """Return the loss on an instance; the penalty's scale multiplies the 4, or the critical penalties.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> edge = Graph.from_edges([[0], [1]])
        >>> [type(karalias_loukas(PROBLEMS[name].declare(edge))).__name__ for name in ("clique", "cut", "mds")]
        ['PairMass', 'TargetVolume', 'Energy']
    """
    kinds = {type(constraint.term) for constraint in instance.constraints}
    if kinds <= {Cover}:
        return instance.energy(penalty_scale)
    if kinds <= {Pairs, AllPairs}:
        return pair_mass(instance, penalty_scale)
    if kinds <= {Range, Cover}:
        return target_volume(instance)
    raise InputError("the loss 'kl' needs constraints of one kind: on pairs, on sets, or on one range")
