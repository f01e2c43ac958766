"""A run in the database, read once."""
import dataclasses
import functools
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from .. import rows
from ...errors import Error
from ..database import connect_current, why_refused
from ...model.schema import TYPES
from .groups import pattern


T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of an object, as resolved."""

    path: str
    name: str
    text: str
    value: float | None  # in the base unit
    unit: str
    default: str
    doc: str  # meaning and source, as declared

    @property
    def changed(self) -> bool:
        """Whether it differs from its default."""
        return self.text != self.default


@dataclasses.dataclass(frozen=True)
class Value:
    """A statistic of the last dump, or a part of one."""

    path: str
    name: str
    value: float
    unit: str
    kind: str
    part: str
    doc: str


@dataclasses.dataclass(frozen=True)
class Link:
    """One direction of a connection."""

    sender: str
    sender_port: str
    receiver: str
    receiver_port: str
    latency: int  # fs
    rate: float | None  # bytes per second; None: no limit
    depth: int | None


class RunData:
    """One run. `info` is its row; the rest is read on demand.

    All properties raise Error if the rows cannot be read.
    """

    def __init__(self, database: sqlite3.Connection, path: str, row: dict[str, Any]) -> None:
        self._database, self._path, self.info = database, path, row
        self.id: str = row["id"]

    def check(self) -> None:
        """Raises Error if rows do not have the form that memsim writes. The other methods rely on this form."""
        rows.check(self._database, self._path, self.id)
        if not all(isinstance(word, str) for word in self.argv):
            raise self._wrong("argv")
        self._json("arguments", dict)

    @functools.cached_property
    def argv(self) -> list[str]:
        """The script's command line."""
        words: list[str] = self._json("argv", list)
        return words

    @functools.cached_property
    def arguments(self) -> dict[str, Any]:
        """{name: value} of the script's arguments, defaults included; {} if it gave none."""
        arguments: dict[str, Any] = self._json("arguments", dict)
        return arguments

    def _json(self, column: str, kind: type[T]) -> T:
        try:
            found = json.loads(self.info[column]) if self.info[column] is not None else kind()
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, kind):
            raise self._wrong(column)
        return found

    def _wrong(self, column: str) -> Error:
        right = {"argv": "a list of texts", "arguments": "an object"}[column]
        return rows.wrong(
            self._path, self.id, f"run.{column} is {rows.shown(self.info[column])}, where {right} in JSON is right"
        )

    def _rows(self, query: str) -> list[Any]:
        try:
            return self._database.execute(query, [self.id]).fetchall()
        except rows.SQL_ERRORS as e:
            raise rows.wrong(self._path, self.id, why_refused(e, self._database)) from None

    @functools.cached_property
    def objects(self) -> dict[str, str]:
        """{path: type} in the order of the tree."""
        return dict(self._rows("SELECT path, type FROM object WHERE run = ? ORDER BY id"))

    @functools.cached_property
    def parameters(self) -> list[Parameter]:
        """The parameters of all objects, in the order of the tree."""
        found = []
        for path, kind, name, text, value, unit in self._rows(
            "SELECT path, type, name, text, value, unit FROM param JOIN object ON object.id = object WHERE run = ?"
            " ORDER BY object.id"
        ):
            declared = TYPES[kind]._params.get(name, {}) if kind in TYPES else {}
            found.append(
                Parameter(path, name, text, value, unit, declared.get("initial", text), declared.get("doc", ""))
            )
        return found

    @functools.cached_property
    def links(self) -> list[Link]:
        """The links between objects."""
        return [
            Link(*row)
            for row in self._rows(
                "SELECT sender, sender_port, receiver, receiver_port, latency_fs, bytes_per_second, depth "
                "FROM link WHERE run = ?"
            )
        ]

    @functools.cached_property
    def connections(self) -> list[tuple[str, str]]:
        """[(source, target)] of connections. The source sends requests or messages; the database has either order."""
        return [
            (target, source) if self._answers(source, port) else (source, target)
            for source, port, target in self._rows("SELECT source, source_port, target FROM connection WHERE run = ?")
        ]

    def _answers(self, path: str, port: str) -> bool:
        declared = TYPES.get(self.objects[path])
        name = port.partition("[")[0]
        found = declared._ports.get(name) if declared else None  # older versions may use other names
        return found is not None and found["role"] in ("responder", "in")

    @functools.cached_property
    def values(self) -> list[Value]:
        """The values of the last dump, in the order of the tree."""
        return [
            Value(*row)
            for row in self._rows(
                "SELECT path, full_name, value, part.unit,"
                " kind, part.name, doc FROM value JOIN part ON part.id = value.part JOIN stat ON stat.id = part.stat"
                " JOIN object ON object.id = stat.object"
                " WHERE dump = (SELECT max(id) FROM dump WHERE run = ?) ORDER BY object.id, stat.id, part.id"
            )
        ]

    @functools.cached_property
    def by_name(self) -> dict[tuple[str, str], float]:
        """{(path, name): value} of the last dump."""
        return {(v.path, v.name): v.value for v in self.values}

    @functools.cached_property
    def series(self) -> dict[tuple[str, str], tuple[str, list[tuple[int, float]]]]:
        """{(path, name): (unit, [(tick, value)])}. The value of a total is its growth since the previous sample."""
        found: dict[tuple[str, str], tuple[str, list[tuple[int, float]]]] = {}
        before: dict[tuple[str, str], float] = {}
        for path, name, unit, kind, tick, value in self._rows(
            "SELECT path, name, unit, kind, tick, value FROM samples WHERE run = ? ORDER BY path, name, tick"
        ):
            grown = value
            if grows(kind, name):
                last = before.get((path, name), 0)
                before[path, name] = value
                grown = value - last if value >= last else value  # after a reset it begins at 0
            found.setdefault((path, name), (unit, []))[1].append((tick, grown))
        return found

    @functools.cached_property
    def stages(self) -> dict[str, float]:
        """{stage: mean time in ns of the stamped requests}, in the order of the database."""
        return {v.name.removesuffix(".mean"): v.value for v in self.values if v.path == "stages" and v.part == "mean"}

    @functools.cached_property
    def energy(self) -> dict[str, float]:
        """{part: nJ} of the parts whose energy is known."""
        return dict(
            self._rows("SELECT part, sum(energy_nj) FROM energy WHERE run = ? GROUP BY part HAVING sum(energy_nj) > 0")
        )

    def total(self, group: str, name: str) -> float | None:
        """The combined value of all objects of a group; None if they have no such value."""
        found = [v for v in self.values if v.name == name and pattern(v.path) == group]
        return combined(found) if found else None


TOTALS = "counter", "elapsed", "gathered"  # kinds of statistics that accumulate
WAYS: dict[str, Callable[[Any], Any]] = {
    "sum": sum,
    "mean": lambda values: sum(values) / len(values),
    "highest": max,
    "lowest": min,
}


def grows(kind: str, name: str) -> bool:
    """Whether the value of a statistic, or of a part of one, accumulates over a run."""
    return kind in TOTALS or name.endswith((".count", ".sum", ".area"))


def combined(values: Sequence[Value]) -> float:
    """The values of one statistic of several objects as one value, combined by way()."""
    return float(WAYS[way(values[0])]([v.value for v in values]))


def way(value: Any) -> str:
    """The way in which values of a statistic are combined, a key of WAYS: counts are added, extremes remain extremes,
    and others are averaged. `value` has the attributes part, kind and unit of a Value."""
    if value.part in ("max", "peak") or value.kind in ("maximum", "longest"):
        return "highest"
    if value.part == "min":
        return "lowest"
    adds_up = value.part in ("count", "sum", "area") or value.kind in TOTALS or value.unit in ("Byte/s", "1/s")
    return "sum" if adds_up else "mean"


def open_runs(path: str, wanted: Iterable[str]) -> list[RunData]:
    """The runs with these ids, or first letters of ids, in this order; without ids all runs, the latest first.

    Raises Error if there is no such run.
    """
    database = connect_current(path)
    names = list(rows.columns()["run"])
    try:
        found = [
            dict(zip(names, row))
            for row in database.execute(
                f"SELECT {', '.join(names)} FROM run WHERE typeof(id) = 'text' ORDER BY started DESC, id"
            )
        ]
    except rows.SQL_ERRORS as e:
        raise Error(f"{path}: its runs cannot be read: {why_refused(e, database)}") from None
    if not found:
        raise Error(f"{path}: this database has no run yet")
    if wanted:
        found = [_named(name, found, path) for name in wanted]
    return [RunData(database, path, row) for row in found]


def _named(name: str, runs: list[dict[str, Any]], path: str) -> dict[str, Any]:
    found = [row for row in runs if row["id"].startswith(name)]
    if len(found) != 1:
        how = "several runs begin" if found else "no run begins"
        raise Error(f"{path}: {how} with '{name}': memsim sql {path} 'SELECT id, name, argv FROM run' lists them")
    return found[0]
