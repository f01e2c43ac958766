"""The assumptions of the ways at other values: which orders they turn.

Assumptions about parts run again, at one ratio. Those about prices and energy of a bit are computed.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import energy, prices
from .findings import all_of
from .machine import Assumed
from .points import Point, Row
from .prices import Price
from .runs import run
from .ways import KNOWN

SAME = 1.01  # times: what is nearer has no order
HBF = "hbf-beside", "hbf-behind", "sap-hbf", "hbf+cxl"
CXL_SSD = "cxl-ssd", "cxl-ssd-sr", "cxl-ssd-behind", "sap-cxl-ssd"
OHM = "ohm-planar", "ohm-2level", "ohm-2level-behind"
LINKED = "c2c", "cxl", "pcie", "ssd-behind", "sap-behind", "hbf+cxl"


@dataclass(frozen=True)
class Assumption:
    """A part's assumption.

    what    it is, with the value of the tables
    ways    whose time it may change, by base name
    field   of Assumed
    values  other ones
    """

    what: str
    ways: tuple[str, ...]
    field: str
    values: tuple[Any, ...]

    def concerns(self, way: str) -> bool:
        """Whether it may change the time of a way."""
        return way.removesuffix("+cmd") in self.ways

    def changed(self, value: Any) -> Assumed:
        """All assumptions with this value."""
        return Assumed(**{self.field: value})


ASSUMPTIONS = (
    Assumption("tR of HBF (3 us)", HBF, "hbf_read", ("1us", "8us", "15us", "30us")),
    Assumption("loads at once of an endpoint (4)", CXL_SSD, "loads", (2, 8, 32)),
    Assumption("endpoints of Z-NAND for the share of the GPU (1)", CXL_SSD, "endpoints", (2, 4)),
    Assumption("rate of links over the GPU's share (1)", LINKED, "links", (0.5, 2.0)),
    Assumption("optical channels over Ohm-GPU's for an SM (1)", OHM, "optics", (0.5, 2.0)),
    Assumption("packages over ZnG's for an SM (1)", ("zng",), "packages", (0.5, 2.0)),
)
# Prices that are low or high together.
TOGETHER: dict[str, tuple[Price, ...]] = {
    "HBM": (prices.HBM,),
    "DDR5": (prices.DDR5,),
    "CXL memory": (prices.CXL,),
    "SSD": (prices.SSD,),
    "HBF": (prices.HBF, prices.HBF_AND_CXL),
    "Z-NAND and its drives": (prices.ZNAND, prices.SLC_SSD),
    "XPoint": (prices.XPOINT, prices.XPOINT_AND_DDR5),
}
# XPoint is not sold, so its price has no range.
NO_RANGE = {id(one): (2 * one.middle, 4 * one.middle) for one in (prices.XPOINT, prices.XPOINT_AND_DDR5)}


@dataclass(frozen=True)
class Outcome:
    """What an assumption at another value changes.

    what, value  the assumption
    unit         of what it changes: "us", "dollars" or "nJ/byte"
    changed      {way: (before, after)} of the ways that it changes
    pairs        (way, other ways that it was below and is now above, those it was above and is now below)
    findings     (kind, new subject) of the findings that become others
    """

    what: str
    value: str
    unit: str
    changed: Mapping[str, tuple[float, float]]
    pairs: Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]
    findings: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Envelope:
    """Outcomes at a ratio, and how long the runs took."""

    ratio: int
    outcomes: Sequence[Outcome]
    runs: int
    seconds: float


def turned(
    before: Mapping[str, float], after: Mapping[str, float]
) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Of each way that changed: the ways that it was below and is above, and those that it was above and is below.
    A pair is named once."""
    found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    seen: set[str] = set()
    for way in before:
        if before[way] == after[way]:
            continue
        others = [one for one in before if one != way and one not in seen]
        over = tuple(o for o in others if _less(before[way], before[o]) and _less(after[o], after[way]))
        under = tuple(o for o in others if _less(before[o], before[way]) and _less(after[way], after[o]))
        seen.add(way)
        if over or under:
            found.append((way, over, under))
    return found


def _less(one: float, other: float) -> bool:
    return one * SAME < other


def outcome(what: str, value: str, unit: str, rows: Sequence[Row], after: Sequence[Row], ratio: int) -> Outcome:
    """Compares the rows of a ratio with the same rows under an assumption's other value."""
    read: Callable[[Row], float] = {
        "us": lambda row: row.microseconds,
        "dollars": lambda row: row.dollars,
        "nJ/byte": lambda row: row.energy,
    }[unit]
    old, new = {row.way: read(row) for row in rows}, {row.way: read(row) for row in after}
    subjects = {found.kind: found for found in all_of(after, ratio)}
    others = []
    for found in all_of(rows, ratio):
        now = subjects.get(found.kind)
        if now is None or now.subject != found.subject:
            others.append((found.kind, ", ".join(now.subject) if now and now.subject else "none"))
    changed = {way: (old[way], new[way]) for way in old if old[way] != new[way]}
    return Outcome(what, value, unit, changed, turned(old, new), others)


def envelope(scale: str, rows: Sequence[Row], ratio: int, folder: str, processes: int) -> Envelope:
    """Runs and computes all assumptions at a ratio. `rows` has those of the tables at that ratio."""
    begin, there = time.monotonic(), [row for row in rows if row.ratio == ratio]
    changes = [(one, value) for one in ASSUMPTIONS for value in one.values if any(one.concerns(r.way) for r in there)]
    points = [
        Point(row.way, ratio, scale, one.changed(value))
        for one, value in changes
        for row in there
        if one.concerns(row.way)
    ]
    found = dict(zip(points, run(points, f"{scale}-envelope", folder, processes))) if points else {}
    outcomes = []
    for one, value in changes:
        after = [found.get(Point(row.way, ratio, scale, one.changed(value)), row) for row in there]
        outcomes.append(outcome(one.what, str(value), "us", there, after, ratio))
    seconds = time.monotonic() - begin
    return Envelope(ratio, [*outcomes, *_of_prices(there, ratio), *_of_energy(there, ratio)], len(points), seconds)


def _of_prices(rows: Sequence[Row], ratio: int) -> Iterator[Outcome]:
    for name, together in TOGETHER.items():
        for end in (0, 1):

            def price(of: Price, together: tuple[Price, ...] = together, end: int = end) -> float:
                return _ends(of)[end] if any(of is one for one in together) else of.middle

            after = [replace(row, dollars=KNOWN[row.way].dollars(ratio, price)) for row in rows]
            what = f"price of {name} ({together[0].middle:g} dollars a GB)"
            made = outcome(what, f"{price(together[0]):g}", "dollars", rows, after, ratio)
            if made.changed:
                yield made


def _ends(of: Price) -> tuple[float, float]:
    return NO_RANGE.get(id(of), (of.low, of.high))


def _of_energy(rows: Sequence[Row], ratio: int) -> Iterator[Outcome]:
    for name, part in energy.PARTS.items():
        for factor in part.factors:
            after = [
                replace(row, joules={p: j * (factor if p == name else 1) for p, j in row.joules.items()})
                for row in rows
            ]
            made = outcome(f"energy of {name}", f"{factor:.3g} times", "nJ/byte", rows, after, ratio)
            if made.changed:
                yield made
