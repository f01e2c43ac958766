"""The energy of a machine's parts that its components do not count: a table of costs.

A system states its assumptions as a list of Cost. components() returns their objects in the tree, from which
the database's view `energy` reads them; spent() computes the same from the values of a run.

    root.energy = energy.components([
        energy.Cost("DRAM", "gpu.memory", "assumption", statistic="activates", each=2e-9),
        energy.Cost("DRAM", "gpu.memory", "assumption", power=0.5)])
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import did_you_mean, user_error
from .objects import SimObject
from .provenance import derived, wired
from .schema import TYPES
from .units import Energy, Power, Ratio


@dataclass(frozen=True)
class Cost:
    """What a part of the machine spends: an energy for each count of a statistic, the time integral of a statistic in
    mW, or a power."""

    part: str  # the part that spends the energy
    objects: str  # path of its object, of a list, or of a folder of objects
    source: str  # source of the figure
    statistic: str = ""  # statistic of the objects; without one, `power` is spent over time
    each: float = 0.0  # J per count
    power: float = 0.0  # W
    share: float = 1.0  # share that this machine spends

    def component(self) -> SimObject:
        """The object that represents this cost in the tree of a machine."""
        return TYPES["mem.EnergyCost"](
            each=derived(Energy.joules(self.each), from_=self.source),
            power=derived(Power.watts(self.power), from_=self.source),
            share=derived(Ratio(round(self.share * 1e9)), from_="the slice of the machine that is simulated"),
            **wired(dict(part=self.part, objects=self.objects, statistic=self.statistic, source=self.source)),
        )


def _spends(objects: str, path: str) -> bool:
    """Whether `objects` covers the object at `path`: the object itself, an element of the list, or a descendant."""
    return path.startswith(objects) and path[len(objects) :][:1] in ("", ".", "[")


def components(costs: Iterable[Cost]) -> list[SimObject]:
    """The objects for a list of Cost, to be added as children of a machine."""
    return [cost.component() for cost in costs]


def spent(costs: Iterable[Cost], values: Mapping[tuple[str, str], float], seconds: float) -> dict[str, float]:
    """The energy in J that each part has spent in a run.

    values     of the statistics, by (path, name)
    seconds    of simulated time
    """
    parts: dict[str, float] = {}
    for cost in costs:
        counted = sum(
            value for (path, name), value in values.items() if name == cost.statistic and _spends(cost.objects, path)
        )
        joules = counted * (cost.each or 1e-3 * seconds) if cost.statistic else cost.power * seconds
        parts[cost.part] = parts.get(cost.part, 0.0) + joules * cost.share
    return parts


def check(objects: list[SimObject]) -> None:
    """Raises Error for a cost of a statistic that no object of the machine has."""
    for cost in objects:
        if cost._type != "mem.EnergyCost" or not cost.statistic:
            continue
        meant = [obj for obj in objects if _spends(cost.objects, obj.path)]
        known = {name: None for obj in meant for name in obj._stats}
        if not meant:
            raise user_error(
                f"{cost.path}.objects: there is no object '{cost.objects}'"
                f"{did_you_mean(cost.objects, [obj.path for obj in objects])}",
                cost._created,
            )
        if cost.statistic not in known:
            raise user_error(
                f"{cost.path}.statistic: no object of {cost.objects} has a statistic '{cost.statistic}'"
                f"{did_you_mean(cost.statistic, known)}",
                cost._created,
            )
