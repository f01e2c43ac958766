"""Statistics of a machine, and access to a single one, such as `system.l2.stats.hits`."""

from __future__ import annotations

import bisect
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from .. import _memsim
from ..errors import Error, OutOfRange, UnknownName, did_you_mean, user_error
from .units import Time

if TYPE_CHECKING:
    from .objects import SimObject


class Machine(Protocol):
    """The part of Simulation that statistics use. Simulation belongs to a higher layer."""

    def _dump(self, label: str) -> None:
        ...

    def _reset_stats(self) -> None:
        ...

    def _series(self, period: str | int | Time, patterns: Any) -> None:
        ...

    def _read_stat(self, path: str, name: str, part: str) -> float:
        ...

    def _stat_length(self, path: str, name: str) -> int:
        ...


class Statistics:
    """The statistics of one Simulation: `simulation.stats.dump()`."""

    def __init__(self, simulation: Machine) -> None:
        self._simulation = simulation

    def dump(self, label: str = "") -> None:
        """Writes all statistics to the database under this label."""
        self._simulation._dump(label)

    def reset(self) -> None:
        """Sets all statistics to zero."""
        self._simulation._reset_stats()

    def series(self, period: str | int | Time, patterns: Any = ("*",)) -> None:
        """Samples these statistics every `period` of simulated time: '10us', a Time or a number of fs. A second call
        replaces what the first one selected.

        patterns    paths such as 'gpu.l2[*].hits', or statistics such as `l2.stats.hits`; one or several

        Raises Error if nothing has such a name.
        """
        self._simulation._series(period, patterns)


def patterns_of(statistics: Any) -> list[str]:
    """The arguments of series() as texts: a path such as 'gpu.l2[*].hits', a statistic such as `l2.stats.hits`, all
    statistics of an object, `l2.stats`, or several of these."""
    one = isinstance(statistics, str) or hasattr(statistics, "_pattern")
    patterns = []
    for what in [statistics] if one or not hasattr(statistics, "__iter__") else statistics:
        pattern = getattr(what, "_pattern", what)
        if not isinstance(pattern, str):
            raise user_error(
                f"series(): {what!r} is no statistic: give its path, such as "
                "'gpu.l2[0].hits', or give the statistic itself, gpu.l2[0].stats.hits"
            )
        patterns.append(pattern)
    return patterns


MOST_ELEMENTS = 1 << 24  # of a statistic


def length_of(machine: _memsim.Machine, path: str, name: str) -> int:
    """The number of elements of a statistic."""

    def is_outside(index: int) -> bool:
        try:
            machine.stat_value(path, f"{name}[{index}]", "")
        except Error:
            return True
        return False

    return bisect.bisect_left(range(MOST_ELEMENTS), True, key=is_outside)


class Named:
    """A number that is the value of a statistic. It knows its name, and parts of the statistic are attributes, such as
    `stats.latency.p99`."""

    _view: StatView
    _stat: str
    _plain: type[float]

    def __new__(cls, value: float, view: StatView, name: str) -> Any:
        self: Any = super().__new__(cls, value)  # type: ignore[call-arg]
        self._view, self._stat = view, name
        return self

    @property
    def _pattern(self) -> str:
        return f"{self._view._object.path}.{self._stat}"

    def __getattr__(self, part: str) -> float:
        if part.startswith("_"):
            raise AttributeError(part)
        try:
            return self._view._read(self._stat, part)
        except Error as e:  # hasattr() of numbers, as in matplotlib, expects an AttributeError
            raise (UnknownName(*e.args) if type(e) is Error else e) from None

    def __reduce__(self) -> tuple[type[float], tuple[float]]:  # copied and pickled as a plain number
        return self._plain, (self._plain(self),)  # type: ignore[arg-type]


class Value(Named, float):
    """The main value of a statistic."""

    _plain = float


class Count(Named, int):
    """The value of a counter."""

    _plain = int


def class_of(info: dict[str, Any]) -> type[Count] | type[Value]:
    """Count or Value, depending on the kind of the statistic in the schema."""
    return Count if info["kind"] in ("counter", "elapsed") and info["unit"] in ("Count", "Byte", "Cycle") else Value


class Values:
    """A statistic with an element for each index: `stats.reads[3]`, `sum(stats.reads)`."""

    def __init__(self, view: StatView, name: str) -> None:
        self._view, self._name = view, name

    @property
    def _pattern(self) -> str:
        return f"{self._view._object.path}.{self._name}[*]"

    def __len__(self) -> int:
        return self._view._machine(self._name)._stat_length(self._view._object.path, self._name)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int) -> Any:
        at, length = operator.index(index), len(self)
        if not -length <= at < length:
            path = f"{self._view._object.path}.stats.{self._name}"
            raise user_error(f"{path}[{at}] is outside of its {length} elements", kind=OutOfRange)
        return self._view._value(f"{self._name}[{at % length}]", self._name)

    def __repr__(self) -> str:
        built = self._view._object.root()._simulation is not None
        return f"<{self._pattern}: {list(self) if built else 'not built'}>"


class StatView:
    """The statistics of one object as attributes."""

    def __init__(self, obj: SimObject) -> None:
        self._object = obj

    def __getattr__(self, name: str) -> Any:
        known = self._object._stats
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in known:
            raise user_error(
                f"{self._object.path} has no statistic '{name}'{did_you_mean(name, known)}", kind=UnknownName
            )
        return Values(self, name) if known[name]["each"] else self._value(name, name)

    @property
    def _pattern(self) -> str:
        return f"{self._object.path}.*"

    def __dir__(self) -> list[str]:
        return list(self._object._stats)

    def __iter__(self) -> Iterator[str]:
        return iter(self._object._stats)

    def items(self) -> Iterator[tuple[str, Any]]:
        """The names with their values."""
        return ((name, getattr(self, name)) for name in self)

    def __repr__(self) -> str:
        return f"<statistics of {self._object.path}: {', '.join(self._object._stats)}>"

    def _value(self, full_name: str, name: str) -> Any:
        return class_of(self._object._stats[name])(self._read(full_name, ""), self, full_name)

    def _read(self, name: str, part: str) -> float:
        return self._machine(name)._read_stat(self._object.path, name, part)

    def _machine(self, name: str) -> Machine:
        simulation = self._object.root()._simulation
        if simulation is None:
            raise user_error(f"{self._object.path}.stats.{name} is read before instantiate(): there is no machine yet")
        return simulation
