"""A run as it stands in the database, read once."""
import dataclasses
import functools
import json
import sqlite3

from ..errors import Error
from ..results import connect_current
from ..schema import TYPES
from .groups import pattern


@dataclasses.dataclass(frozen=True)
class Parameter:
    path: str
    name: str
    text: str
    value: float | None  # of the base unit
    unit: str
    default: str
    doc: str  # with its source, as the declaration says it

    @property
    def changed(self):
        return self.text != self.default


@dataclasses.dataclass(frozen=True)
class Value:
    """Of the last dump: a statistic or a part of one."""

    path: str
    name: str
    value: float
    unit: str
    kind: str
    part: str
    doc: str


@dataclasses.dataclass(frozen=True)
class Link:
    """One direction of a connection; no rate: without limit."""

    sender: str
    sender_port: str
    receiver: str
    receiver_port: str
    latency: int
    rate: float | None
    depth: int | None


class RunData:
    """One run: `info` is its row, the rest is read when it is asked for."""

    def __init__(self, database, row):
        self._database, self.info = database, row
        self.id, self.argv = row["id"], json.loads(row["argv"] or "[]")

    def _rows(self, query):
        return self._database.execute(query, [self.id])

    @functools.cached_property
    def objects(self):
        """{path: type} in the order of the tree."""
        return dict(self._rows("SELECT path, type FROM object WHERE run = ? ORDER BY id"))

    @functools.cached_property
    def parameters(self):
        found = []
        for path, kind, name, text, value, unit in self._rows(
                "SELECT path, type, name, text, value, unit FROM param JOIN object ON object.id = object WHERE run = ?"
                " ORDER BY object.id"):
            declared = TYPES[kind]._params.get(name, {}) if kind in TYPES else {}
            found.append(Parameter(path, name, text, value, unit, declared.get("initial", text), declared.get("doc", "")))
        return found

    @functools.cached_property
    def links(self):
        return [Link(*row) for row in self._rows(
            "SELECT sender, sender_port, receiver, receiver_port, latency_fs, bytes_per_second, depth "
            "FROM link WHERE run = ?")]

    @functools.cached_property
    def connections(self):
        """[(source, target)]: who asks, or sends, and whom; a row of the database has them in either order."""
        return [(target, source) if self._answers(source, port) else (source, target) for source, port, target in
                self._rows("SELECT source, source_port, target FROM connection WHERE run = ?")]

    def _answers(self, path, port):
        declared = TYPES.get(self.objects[path])
        return declared and declared._ports[port.partition("[")[0]]["role"] in ("responder", "in")

    @functools.cached_property
    def values(self):
        """Of the last dump, in the order of the tree."""
        return [Value(*row) for row in self._rows(
            "SELECT path, full_name, value, part.unit,"
            " kind, part.name, doc FROM value JOIN part ON part.id = value.part JOIN stat ON stat.id = part.stat"
            " JOIN object ON object.id = stat.object"
            " WHERE dump = (SELECT max(id) FROM dump WHERE run = ?) ORDER BY object.id, stat.id, part.id")]

    @functools.cached_property
    def by_name(self):
        return {(v.path, v.name): v.value for v in self.values}

    @functools.cached_property
    def series(self):
        """{(path, name): (unit, [(tick, value)])}. Of a total, the value is its growth since the sample before."""
        found, before = {}, {}
        for path, name, unit, kind, tick, value in self._rows(
                "SELECT path, name, unit, kind, tick, value FROM samples WHERE run = ? ORDER BY path, name, tick"):
            grown = value
            if grows(kind, name):
                last = before.get((path, name), 0)
                before[path, name] = value
                grown = value - last if value >= last else value  # after a reset it begins at 0
            found.setdefault((path, name), (unit, []))[1].append((tick, grown))
        return found

    @functools.cached_property
    def stages(self):
        """{stage: mean time in ns of all requests that were stamped}, in the order of the database."""
        return {v.name.removesuffix(".mean"): v.value for v in self.values
                if v.path == "stages" and v.part == "mean"}

    @functools.cached_property
    def energy(self):
        """{part: nJ} of what says what it spends."""
        return dict(self._rows("SELECT part, sum(energy_nj) FROM energy WHERE run = ? GROUP BY part"
                               " HAVING sum(energy_nj) > 0"))

    def total(self, group, name):
        """Of all objects of a group; None if they have no such value."""
        found = [v for v in self.values if v.name == name and pattern(v.path) == group]
        return combined(found) if found else None


TOTALS = "counter", "elapsed", "gathered"  # kinds of statistics that grow with what is counted
WAYS = {"sum": sum, "mean": lambda values: sum(values) / len(values), "highest": max, "lowest": min}


def grows(kind, name):
    """Whether the value of a statistic, or of a part of one, grows over a run with what is counted."""
    return kind in TOTALS or name.endswith((".count", ".sum", ".area"))


def combined(values):
    """Alike values of several objects as one, in the way that means something for them."""
    return WAYS[way(values[0])]([v.value for v in values])


def way(value):
    """How its like are combined: what is counted adds up, extremes stay extremes, of the rest the mean."""
    if value.part in ("max", "peak") or value.kind in ("maximum", "longest"):
        return "highest"
    if value.part == "min":
        return "lowest"
    adds_up = value.part in ("count", "sum", "area") or value.kind in TOTALS or value.unit in ("Byte/s", "1/s")
    return "sum" if adds_up else "mean"


def open_runs(path, wanted):
    """The runs that are named, by id or the beginning of one, the first first; without a name all,
    the latest first."""
    database = connect_current(path)
    database.row_factory = sqlite3.Row
    rows = [dict(row) for row in database.execute("SELECT * FROM run ORDER BY started DESC, id")]
    database.row_factory = None
    if not rows:
        raise Error(f"{path}: this database has no run yet")
    if wanted:
        rows = [_named(name, rows, path) for name in wanted]
    return [RunData(database, row) for row in rows]


def _named(name, rows, path):
    found = [row for row in rows if row["id"].startswith(name)]
    if len(found) != 1:
        how = "several runs begin" if found else "no run begins"
        raise Error(f"{path}: {how} with '{name}': memsim sql {path} 'SELECT id, name, argv FROM run' lists them")
    return found[0]
