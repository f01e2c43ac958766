"""Statistics of a machine, and reading one, `system.l2.stats.hits`."""
from ..errors import UnknownName, did_you_mean, user_error


class Statistics:
    """Of one Simulation: `simulation.stats.dump()`."""

    def __init__(self, simulation):
        self._simulation = simulation

    def dump(self, label: str = ""):
        """Writes all statistics to the database under this label."""
        self._simulation._dump(label)

    def reset(self):
        """Sets all statistics to zero."""
        self._simulation._reset_stats()

    def series(self, period: str | int, patterns=("*",)):
        """Samples these statistics every `period` of simulated time."""
        self._simulation._series(period, patterns)


def patterns_of(statistics):
    """What series() was given, as texts: 'gpu.l2[*].hits', or statistics such as `l2.stats.hits` and all
    of an object, `l2.stats`; one or several."""
    one = isinstance(statistics, str) or hasattr(statistics, "_pattern")
    patterns = []
    for what in [statistics] if one or not hasattr(statistics, "__iter__") else statistics:
        pattern = getattr(what, "_pattern", what)
        if not isinstance(pattern, str):
            raise user_error(
                f"series(): {what!r} is no statistic: write its path, such as "
                "'gpu.l2[0].hits', or give the statistic itself, gpu.l2[0].stats.hits"
            )
        patterns.append(pattern)
    return patterns


class Named:
    """What the value of a statistic is besides a number: it knows its name, and its parts are
    attributes, `stats.latency.p99`."""

    def __new__(cls, value, view, name):
        self = super().__new__(cls, value)
        self._view, self._stat = view, name
        return self

    @property
    def _pattern(self):
        return f"{self._view._object.path}.{self._stat}"

    def __getattr__(self, part) -> float:
        if part.startswith("_"):
            raise AttributeError(part)
        return self._view._read(self._stat, part)

    def __reduce__(self):  # copied and sent to another process as the plain number
        return self._plain, (self._plain(self),)


class Value(Named, float):
    """The main value of a statistic."""

    _plain = float


class Count(Named, int):
    """What a counter has counted."""

    _plain = int


def class_of(info):
    """Count or Value, of what the schema says of a statistic."""
    return Count if info["kind"] in ("counter", "elapsed") and info["unit"] in ("Count", "Byte", "Cycle") else Value


class Values:
    """A statistic kept for each of several things: `stats.reads[3]`."""

    def __init__(self, view, name):
        self._view, self._name = view, name

    @property
    def _pattern(self):
        return f"{self._view._object.path}.{self._name}[*]"

    def __getitem__(self, index):
        return self._view._value(f"{self._name}[{index}]", self._name)


class StatView:
    """The statistics of one object as attributes."""

    def __init__(self, obj):
        self._object = obj

    def __getattr__(self, name):
        known = self._object._stats
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in known:
            raise user_error(
                f"{self._object.path} has no statistic '{name}'" f"{did_you_mean(name, known)}", kind=UnknownName
            )
        return Values(self, name) if known[name]["each"] else self._value(name, name)

    @property
    def _pattern(self):
        return f"{self._object.path}.*"

    def __dir__(self):
        return list(self._object._stats)

    def __repr__(self):
        return f"<statistics of {self._object.path}: {', '.join(self._object._stats)}>"

    def _value(self, full_name, name):
        return class_of(self._object._stats[name])(self._read(full_name, ""), self, full_name)

    def _read(self, name, part):
        simulation = self._object.root()._simulation
        if simulation is None:
            raise user_error(
                f"{self._object.path}.stats.{name} is read before instantiate(): there " "is no machine that counts yet"
            )
        return simulation._read_stat(self._object.path, name, part)
