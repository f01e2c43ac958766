"""Statistics and parameters as tables, a table for each group of alike objects."""
import dataclasses

from . import quantities
from .groups import pattern
from .run_data import combined, way

MAIN_PARTS = ("", "mean", "p50", "p90", "p99", "peak")  # what is shown without being searched for


@dataclasses.dataclass
class Table:
    """Of one group: `rows` of its statistics or of its parameters."""

    group: str
    kind: str
    objects: int
    rows: list
    headings: tuple


@dataclasses.dataclass
class StatisticRow:
    name: str
    shown: str  # of all objects
    spread: str  # lowest and highest of the objects, if there are several
    doc: str
    how: str  # what `shown` is, of several objects
    minor: bool  # shown only when it is asked for: a zero, or no main part
    each: list  # (path, text) of each object, if there are several

    @property
    def words(self):
        return f"{self.name} {self.doc}"


@dataclasses.dataclass
class ParameterRow:
    name: str
    text: str
    default: str  # if it is another one
    doc: str

    @property
    def words(self):
        return f"{self.name} {self.text} {self.doc}"

    @property
    def minor(self):
        return not self.default


def statistics(run):
    """Of the last dump."""
    return _tables(
        run,
        run.values,
        _statistic,
        lambda several: (
            "statistic",
            "all together" if several else "value",
            "lowest … highest" if several else "",
            "meaning",
        ),
    )


def parameters(run):
    return _tables(
        run,
        run.parameters,
        _parameter,
        lambda several: ("parameter", "value", "default, if another", "meaning and source"),
    )


def _tables(run, entries, row_of, headings):
    grouped, members = {}, {}
    for entry in entries:
        grouped.setdefault(pattern(entry.path), {}).setdefault(entry.name, []).append(entry)
        members.setdefault(pattern(entry.path), {})[entry.path] = None
    return [
        Table(
            group if len(members[group]) > 1 else next(iter(members[group])),
            run.objects[alike[0].path],
            len(members[group]),
            [row_of(rows) for rows in names.values()],
            headings(len(members[group]) > 1),
        )
        for group, names in grouped.items()
        for alike in [next(iter(names.values()))]
    ]


def _statistic(values):
    first, several = values[0], len(values) > 1
    numbers = [v.value for v in values]

    def text(number):
        return quantities.quantity(number, first.unit)

    return StatisticRow(
        first.name,
        text(combined(values)),
        f"{text(min(numbers))} … {text(max(numbers))}" if several else "",
        first.doc,
        way(first) if several else "",
        not any(numbers) or first.part not in MAIN_PARTS,
        [(v.path, text(v.value)) for v in values] if several else [],
    )


def _parameter(alike):
    texts = list(dict.fromkeys(p.text for p in alike))
    text = ", ".join(texts) if len(texts) <= 4 else f"{texts[0]}, {texts[1]}, … {texts[-1]}"
    changed = any(p.changed for p in alike)
    return ParameterRow(alike[0].name, text or "–", (alike[0].default or "–") if changed else "", alike[0].doc)
