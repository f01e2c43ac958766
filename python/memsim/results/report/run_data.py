"""A run as it stands in the database, read once."""
import dataclasses
import functools
import json

from .. import rows
from ...errors import Error
from ..database import connect_current, why_refused
from ...model.schema import TYPES
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

    def __init__(self, database, path, row):
        self._database, self._path, self.info, self.id = database, path, row, row["id"]

    def check(self):
        """Refuses rows that memsim does not write: what follows counts on them."""
        rows.check(self._database, self._path, self.id)
        if not all(isinstance(word, str) for word in self.argv):
            raise self._wrong("argv")
        self._json("arguments", dict)

    @functools.cached_property
    def argv(self):
        return self._json("argv", list)

    @functools.cached_property
    def arguments(self):
        """{name: value} of the script's arguments, defaults included; nothing where it gave none."""
        return self._json("arguments", dict)

    def _json(self, column, kind):
        try:
            found = json.loads(self.info[column]) if self.info[column] is not None else kind()
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, kind):
            raise self._wrong(column)
        return found

    def _wrong(self, column):
        right = {"argv": "a list of texts", "arguments": "an object"}[column]
        return rows.wrong(
            self._path, self.id, f"run.{column} is {rows.shown(self.info[column])}, where {right} in JSON is right"
        )

    def _rows(self, query):
        try:
            return self._database.execute(query, [self.id]).fetchall()
        except rows.SQL_ERRORS as e:
            raise rows.wrong(self._path, self.id, why_refused(e, self._database)) from None

    @functools.cached_property
    def objects(self):
        """{path: type} in the order of the tree."""
        return dict(self._rows("SELECT path, type FROM object WHERE run = ? ORDER BY id"))

    @functools.cached_property
    def parameters(self):
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
    def links(self):
        return [
            Link(*row)
            for row in self._rows(
                "SELECT sender, sender_port, receiver, receiver_port, latency_fs, bytes_per_second, depth "
                "FROM link WHERE run = ?"
            )
        ]

    @functools.cached_property
    def connections(self):
        """[(source, target)]: who asks, or sends, and whom; a row of the database has them in either order."""
        return [
            (target, source) if self._answers(source, port) else (source, target)
            for source, port, target in self._rows("SELECT source, source_port, target FROM connection WHERE run = ?")
        ]

    def _answers(self, path, port):
        declared = TYPES.get(self.objects[path])
        found = declared and declared._ports.get(port.partition("[")[0])  # an older version's may have another name
        return found and found["role"] in ("responder", "in")

    @functools.cached_property
    def values(self):
        """Of the last dump, in the order of the tree."""
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
    def by_name(self):
        return {(v.path, v.name): v.value for v in self.values}

    @functools.cached_property
    def series(self):
        """{(path, name): (unit, [(tick, value)])}. Of a total, the value is its growth since the sample before."""
        found, before = {}, {}
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
    def stages(self):
        """{stage: mean time in ns of all requests that were stamped}, in the order of the database."""
        return {v.name.removesuffix(".mean"): v.value for v in self.values if v.path == "stages" and v.part == "mean"}

    @functools.cached_property
    def energy(self):
        """{part: nJ} of what says what it spends."""
        return dict(
            self._rows(
                "SELECT part, sum(energy_nj) FROM energy WHERE run = ? GROUP BY part" " HAVING sum(energy_nj) > 0"
            )
        )

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


def _named(name, runs, path):
    found = [row for row in runs if row["id"].startswith(name)]
    if len(found) != 1:
        how = "several runs begin" if found else "no run begins"
        raise Error(f"{path}: {how} with '{name}': memsim sql {path} 'SELECT id, name, argv FROM run' lists them")
    return found[0]
