"""The energy of a machine's parts that its components do not count: a table of costs.

A system states its assumptions as a list of Cost. components() returns their objects in the tree, from which
the database's view `energy` reads them; spent() computes the same from the values of a run.

    root.energy = energy.components([
        energy.Cost("DRAM", "gpu.memory", "assumption", statistic="activates", each=2e-9),
        energy.Cost("DRAM", "gpu.memory", "assumption", power=0.5)])
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import Error, did_you_mean, user_error
from .objects import SimObject
from .provenance import derived, wired
from .schema import TYPES
from .units import Energy, Power, Quantity, Ratio


@dataclass(frozen=True)
class Cost:
    """What a part of the machine spends: an energy for each count of a statistic, the time integral of a statistic in
    mW, or a power."""

    part: str  # the part that spends the energy
    objects: str  # path of its object, of a list, or of a folder of objects
    source: str  # source of the figure
    statistic: str = ""  # statistic of the objects; without one, `power` is spent over time
    each: float | str = 0.0  # J per count, or a text such as '12pJ'
    power: float | str = 0.0  # W of all these objects together, or a text such as '3W'
    share: float = 1.0  # share that this machine spends

    def __post_init__(self) -> None:
        """Makes texts into numbers. Raises Error for a text that is no quantity."""
        object.__setattr__(self, "each", _number(self.each, f"Cost of '{self.part}': each", Energy, 1e15))
        object.__setattr__(self, "power", _number(self.power, f"Cost of '{self.part}': power", Power, 1e9))

    def component(self) -> SimObject:
        """The object that represents this cost in the tree of a machine."""
        return TYPES["mem.EnergyCost"](
            each=derived(Energy.joules(float(self.each)), from_=self.source),
            power=derived(Power.watts(float(self.power)), from_=self.source),
            share=derived(Ratio(round(self.share * 1e9)), from_="the slice of the machine that is simulated"),
            **wired(dict(part=self.part, objects=self.objects, statistic=self.statistic, source=self.source)),
        )


def _number(given: Any, where: str, kind: type[Quantity], base_units: float) -> float:
    """A number of J or W, each of so many base units, from a number, a text or a quantity."""
    try:
        if isinstance(given, str):
            given = kind.parse(given)
        return given.value / base_units if isinstance(given, kind) else float(given)
    except Error as e:
        raise user_error(f"{where}: {e}") from None
    except (TypeError, ValueError):
        raise user_error(f"{where}: {given!r} is no {kind.KIND}: write a number, or a text with its unit") from None


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
        joules = counted * (float(cost.each) or 1e-3 * seconds) if cost.statistic else float(cost.power) * seconds
        parts[cost.part] = parts.get(cost.part, 0.0) + joules * cost.share
    return parts


def check(objects: list[SimObject]) -> None:
    """Raises Error for a cost that would add nothing: of a statistic that no object of the machine has or that has no
    single value, of counts without an energy, or of neither a statistic nor a power."""
    for cost in objects:
        if cost._type == "mem.EnergyCost" and (wrong := _wrong(cost, objects)):
            raise user_error(f"{cost.path}.{wrong}", cost._created)


def _wrong(cost: SimObject, objects: list[SimObject]) -> str:
    """Why a cost would add nothing; '' if it counts."""
    # The component refuses a power beside a statistic, and an energy without one.
    given = Power.parse(str(cost.power)).value or Energy.parse(str(cost.each)).value
    if not cost.statistic:
        return "" if given else "power: is 0, and there is no statistic: set one of the two"
    meant = [obj for obj in objects if _spends(cost.objects, obj.path)]
    if not meant:
        near = did_you_mean(cost.objects, [obj.path for obj in objects])
        return f"objects: there is no object '{cost.objects}'{near}"
    known = {name: info for obj in meant for name, info in obj._stats.items()}
    single = [name for name, info in known.items() if not info["each"] and info["kind"] != "distribution"]
    if cost.statistic in single:
        adds = given or known[cost.statistic]["unit"] == "mW"  # a statistic in mW is a power, spent over time
        return "" if adds else f"each: is 0: set the energy of each count of '{cost.statistic}'"
    if cost.statistic not in known:
        near = did_you_mean(cost.statistic, single)
        return f"statistic: no object of {cost.objects} has a statistic '{cost.statistic}'{near}"
    what = "a value for each index" if known[cost.statistic]["each"] else "a distribution"
    example = f", such as '{single[0]}'" if single else ""
    return f"statistic: '{cost.statistic}' is {what}: name a statistic with a single value{example}"
