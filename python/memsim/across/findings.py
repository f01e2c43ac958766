"""Findings of a table of rows in words, computed, each with its limit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .cuts import at, dominated
from .points import Row

WITHIN = 2.0  # times HBM's time

SOLD = "c2c", "cxl", "pcie", "ssd-behind"  # ways whose parts can be bought in 2026


@dataclass(frozen=True)
class Finding:
    """A sentence.

    kind     which finding it is
    text     the finding
    subject  what would have to change for it to be another one, such as the name of the fastest way
    limit    what it rests on
    """

    kind: str
    text: str
    subject: tuple[str, ...]
    limit: str


# What the place of a way rests on, by the beginning of its name.
RESTS = {
    "hbf+cxl": "HBF's times and the latency of CXL memory",
    "hbf": "HBF's times, DASH's: no HBF was measured",
    "sap-hbf": "HBF's times, DASH's: no HBF was measured",
    "c2c": "a latency measured on a GH200-class machine and a rate, without headers and contention",
    "cxl-ssd": "the four loads at once of an endpoint, inferred from CXL-GPU's figures",
    "sap-cxl": "the four loads at once of an endpoint, inferred from CXL-GPU's figures",
    "cxl": "the latency and the rate of CXL memory, without contention",
    "pcie": "a latency that was measured on an H200, without headers and contention",
    "ssd": "SSDs as a latency and a rate, 40 us of TLC NAND",
    "sap-behind": "SSDs as a latency and a rate, 40 us of TLC NAND",
    "ohm": "as many optical channels for an SM as Ohm-GPU has; no such memory was built",
    "zng": "as many packages for an SM as ZnG has; no such GPU was built",
}


def rests(way: str) -> str:
    """What the place of a way rests on."""
    return next((text for name, text in RESTS.items() if way.startswith(name)), "the timing of an H100's HBM")


def fastest(rows: Sequence[Row], ratio: int) -> Finding | None:
    """The fastest way to a larger memory at each ratio, and how much slower the next is."""
    ahead: dict[str, list[int]] = {}
    behind: dict[str, list[str]] = {}
    for one in sorted({row.ratio for row in rows if row.ratio > 1}):
        first, *others = larger(rows, one) or [rows[0]]
        if others:
            ahead.setdefault(first.way, []).append(one)
            behind.setdefault(others[0].way, []).append(f"{others[0].microseconds / first.microseconds:.2f} ({one})")
    best = next((way for way, there in ahead.items() if ratio in there), None)
    if best is None:
        return None
    firsts = "; ".join(f"at {', '.join(map(str, there))} {way}" for way, there in ahead.items())
    seconds = "; ".join(f"{way} {', '.join(times)}" for way, times in behind.items())
    return Finding(
        "fastest",
        f"The fastest way to a larger memory is, by ratio, {firsts}. At {ratio} it takes "
        f"{times_hbm(rows, ratio, best)} times HBM's time. The next takes so many times as long: {seconds}.",
        (best,),
        f"{best}: {rests(best)}",
    )


def larger(rows: Sequence[Row], ratio: int) -> list[Row]:
    """The rows of a ratio without those of HBM alone, the fastest first."""
    return [row for row in at(rows, ratio) if not row.way.startswith("hbm")]


def times_hbm(rows: Sequence[Row], ratio: int, way: str) -> str:
    """The time of a way over that of HBM, if there is HBM."""
    times = {row.way: row.microseconds for row in at(rows, ratio)}
    return f"{times[way] / times['hbm']:.2f}" if "hbm" in times else "not known"


def sold(rows: Sequence[Row], ratio: int) -> Finding | None:
    """The fastest of the ways whose parts are sold."""
    there = [row for row in larger(rows, ratio) if row.way in SOLD]
    if len(there) < 2:
        return None
    best, others = there[0], [f"{row.way} {row.microseconds / there[0].microseconds:.1f}" for row in there[1:]]
    return Finding(
        "fastest of what is sold",
        f"At {ratio} the fastest way whose parts are sold is {best.way}, at {times_hbm(rows, ratio, best.way)} times "
        f"HBM's time and {best.dollars:.0f} dollars a terabyte; the others take so many times as long: "
        f"{', '.join(others)}.",
        (best.way,),
        f"{best.way}: {rests(best.way)}",
    )


def cheapest(rows: Sequence[Row], ratio: int) -> Finding | None:
    """The cheapest way within WITHIN times HBM's time."""
    hbm = next((row for row in at(rows, ratio) if row.way == "hbm"), None)
    if hbm is None or not larger(rows, ratio):
        return None
    near = [row for row in larger(rows, ratio) if row.microseconds <= WITHIN * hbm.microseconds]
    if not near:
        return Finding(
            "cheapest within twice HBM's time",
            f"At {ratio} no way is within {WITHIN:g} times HBM's time.",
            (),
            "the ways that were run",
        )
    best = min(near, key=lambda row: row.dollars)
    others = ", ".join(f"{row.way} ({row.dollars:.0f})" for row in sorted(near, key=lambda row: row.dollars)[1:])
    return Finding(
        "cheapest within twice HBM's time",
        f"At {ratio} the cheapest way within {WITHIN:g} times HBM's time is {best.way}: {best.dollars:.0f} dollars a "
        f"terabyte, {best.dollars / hbm.dollars:.2f} times HBM's, at {best.microseconds / hbm.microseconds:.2f} times "
        f"its time. " + (f"Also within: {others}." if others else "There is no other."),
        (best.way,),
        f"prices, most of them assumed or of one source; {best.way}: {rests(best.way)}",
    )


def front(rows: Sequence[Row], ratio: int) -> Finding | None:
    """The ways that are worse than another in time and dollars."""
    there = at(rows, ratio)
    by = dominated(there)
    if not by:
        return None
    left = [row.way for row in there if row.way not in by]
    groups: dict[str, list[str]] = {}
    for way, better in by.items():
        groups.setdefault(better, []).append(way)
    parts = [
        f"{' and '.join([', '.join(ways[:-1]), ways[-1]] if ways[1:] else ways)} by {b}" for b, ways in groups.items()
    ]
    return Finding(
        "not dominated",
        f"At {ratio}, in time and dollars, {len(by)} of {len(there)} ways are dominated: {'; '.join(parts)}. "
        f"Not dominated: {', '.join(left)}.",
        tuple(sorted(left)),
        "prices at the middle of their ranges, of memory alone: no optics, sockets, switches or hosts",
    )


def least_energy(rows: Sequence[Row], ratio: int) -> Finding | None:
    """The ways that take the least and the most energy, and whether energy has the order of time."""
    there = [row for row in larger(rows, ratio) if row.total]
    if len(there) < 2:
        return None
    order = sorted(there, key=lambda row: row.total)
    low, high, quick = order[0], order[-1], there[0]
    hbm = next((f"{row.energy:.3f} nJ" for row in at(rows, ratio) if row.way == "hbm"), "not known")
    most = max(high.joules, key=lambda part: high.joules[part])
    return Finding(
        "least and most energy",
        f"At {ratio} {low.way} takes the least energy for a byte of the footprint, {low.energy:.3f} nJ, and {high.way} "
        f"the most, {high.energy:.2f} nJ, of which {most} {high.joules[most] / high.total:.0%}. Of HBM alone it is "
        f"{hbm}, of the fastest way, {quick.way}, {quick.energy:.3f} nJ.",
        (low.way, high.way),
        "energy of a bit, mostly assumed, and without controllers of memory and power of idle memory",
    )


def soonest_worn(rows: Sequence[Row], ratio: int) -> Finding | None:
    """The ways that wear their medium out."""
    there = sorted((row for row in at(rows, ratio) if row.years < float("inf")), key=lambda row: row.years)
    if not there:
        return None
    parts = ", ".join(f"{row.way} {row.years:.2g} years" for row in there)
    return Finding(
        "first worn out",
        f"At {ratio} these ways write to a medium that wears out: {parts}. The others write to none.",
        (there[0].way,),
        "even wear, no pause, and 2.5 TiB of each medium; a page cache evicts the few pages that a step writes",
    )


def gain_of_a_range(rows: Sequence[Row], ratio: int) -> Finding | None:
    """HBF as a range of addresses against HBF behind a page cache."""
    of = {row.way: row for row in at(rows, ratio)}
    if not {"hbf-beside", "hbf-behind"} <= set(of):
        return None
    beside, behind = of["hbf-beside"], of["hbf-behind"]
    faster = beside.microseconds <= behind.microseconds
    first, second = (beside, behind) if faster else (behind, beside)
    return Finding(
        "range or page cache",
        f"At {ratio} {second.way} takes {second.microseconds / first.microseconds:.2f} times as long as {first.way} "
        f"and {second.total / first.total:.2f} times the energy: the same medium behind a page cache or as a range of "
        "addresses.",
        (first.way,),
        "batch 1, where a page cache finds no reuse within a step",
    )


Find = Callable[[Sequence[Row], int], Finding | None]
FINDINGS: tuple[Find, ...] = (fastest, sold, cheapest, front, least_energy, soonest_worn, gain_of_a_range)


def all_of(rows: Sequence[Row], ratio: int) -> list[Finding]:
    """The findings that the rows allow."""
    return [found for one in FINDINGS if (found := one(rows, ratio))]
