"""`Simulation.partitions`: the division of a machine for --threads, named by the user."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import Error, user_error
from ..model.objects import SimObject
from .exclusive import exclusive

if TYPE_CHECKING:
    from .simulation import Simulation

Groups = Sequence[Sequence[SimObject]]


class Partitions:
    """The attribute `partitions` of a Simulation: groups of objects. Each group runs in one partition, with all
    objects below its members; all other components form one more partition.

    Empty: memsim chooses partitions. Results do not depend on them. Raises Error for partitions that cannot run side
    by side, such as both ends of a link without latency.
    """

    def __get__(self, simulation: Simulation, owner: type[Simulation] | None = None) -> Groups:
        groups: Groups = vars(simulation).get("_groups", [])
        return groups

    def __set__(self, simulation: Simulation, groups: Groups) -> None:
        _divide(simulation, groups)


@exclusive
def _divide(simulation: Simulation, groups: Groups) -> None:
    paths = paths_of(simulation.root, groups)
    try:
        simulation._machine.set_partitions(paths)
    except Error as e:
        raise user_error(e) from None
    vars(simulation)["_groups"] = groups


def paths_of(root: SimObject, groups: Groups) -> list[list[str]]:
    """The paths of the objects in each group. Raises Error for what is no object of this machine."""
    example = "write a list of groups of the machine's objects, such as [[root.gpu[0]], [root.gpu[1]]]"
    if not isinstance(groups, (list, tuple)):
        raise user_error(f"partitions: {groups!r} is no list of groups: {example}")
    for group in groups:
        if not isinstance(group, (list, tuple)) or not group:
            raise user_error(f"partitions: {group!r} is no group of objects: {example}")
        for one in group:
            if not isinstance(one, SimObject) or one is root or one.root() is not root:
                raise user_error(f"partitions: {one!r} is no object of this machine: {example}")
    return [[one.path for one in group] for group in groups]
