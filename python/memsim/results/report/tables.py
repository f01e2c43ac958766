"""Statistics and parameters as tables, one for each group of similar objects."""
import dataclasses
from collections.abc import Callable, Iterable
from typing import Generic, TypeAlias, TypeVar

from . import quantities
from .groups import pattern
from .run_data import Parameter, RunData, Value, combined, way

MAIN_PARTS = ("", "mean", "p50", "p90", "p99", "peak")  # shown without a search


@dataclasses.dataclass
class StatisticRow:
    """One statistic of a group."""

    name: str
    shown: str  # of all objects
    spread: str  # lowest and highest value of the objects, if there are several
    doc: str
    how: str  # the way in which `shown` combines several objects
    minor: bool  # shown only on request: zero, or not a main part
    each: list[tuple[str, str]]  # (path, text) of each object, if there are several

    @property
    def words(self) -> str:
        """The text that a search examines."""
        return f"{self.name} {self.doc}"


@dataclasses.dataclass
class ParameterRow:
    """One parameter of a group."""

    name: str
    text: str
    default: str  # if it differs from the value
    doc: str

    @property
    def words(self) -> str:
        """The text that a search examines."""
        return f"{self.name} {self.text} {self.doc}"

    @property
    def minor(self) -> bool:
        """Shown only on request: the parameter has its default."""
        return not self.default


E = TypeVar("E", Value, Parameter)
R = TypeVar("R", StatisticRow, ParameterRow)
Headings: TypeAlias = tuple[str, ...]


@dataclasses.dataclass
class Table(Generic[R]):
    """The statistics or the parameters of one group."""

    group: str
    kind: str
    objects: int
    rows: list[R]
    headings: Headings


def statistics(run: RunData) -> list[Table[StatisticRow]]:
    """Tables of the statistics of the last dump."""
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


def parameters(run: RunData) -> list[Table[ParameterRow]]:
    """Tables of the parameters."""
    return _tables(
        run,
        run.parameters,
        _parameter,
        lambda several: ("parameter", "value", "default, if different", "meaning and source"),
    )


def _tables(
    run: RunData,
    entries: Iterable[E],
    row_of: Callable[[list[E]], R],
    headings: Callable[[bool], Headings],
) -> list[Table[R]]:
    grouped: dict[str, dict[str, list[E]]] = {}
    members: dict[str, dict[str, None]] = {}
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


def _statistic(values: list[Value]) -> StatisticRow:
    first, several = values[0], len(values) > 1
    numbers = [v.value for v in values]

    def text(number: float) -> str:
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


def _parameter(alike: list[Parameter]) -> ParameterRow:
    texts = list(dict.fromkeys(p.text for p in alike))
    text = ", ".join(texts) if len(texts) <= 4 else f"{texts[0]}, {texts[1]}, … {texts[-1]}"
    changed = any(p.changed for p in alike)
    return ParameterRow(alike[0].name, text or "–", (alike[0].default or "–") if changed else "", alike[0].doc)
