"""Sections of the page of `memsim across`: findings, cuts, energy, envelope."""

from collections.abc import Sequence
from typing import Any

from ..errors import Error
from ..model.provenance import source_of
from . import cuts
from . import energy as energy_
from . import envelope as envelope_
from .findings import all_of
from .points import Row
from .ways import KNOWN


def findings(rows: Sequence[Row], ratio: int, envelope: envelope_.Envelope | None) -> list[str]:
    """What the tables show, with the assumptions that turn it where there is an envelope."""
    found = all_of(rows, ratio)
    if not found:
        return []
    lines = ["## Findings", "", "Computed from the tables below.", ""]
    for number, one in enumerate(found, 1):
        lines.append(f"{number}. **{one.kind.capitalize()}.** {one.text} Rests on: {one.limit}.")
        if envelope:
            turns = [
                f"{outcome.what} at {outcome.value}: {now}"
                for outcome in envelope.outcomes
                for kind, now in outcome.findings
                if kind == one.kind
            ]
            lines.append(f"   Turned by: {'; '.join(turns)}." if turns else "   No value of the envelope turns it.")
    return [*lines, ""]


def equal_capacity(rows: Sequence[Row], ratio: int, scale: str) -> list[str]:
    """All ways at one ratio, the fastest first."""
    there = cuts.at(rows, ratio)
    if not there:
        return []
    by = cuts.dominated(there)
    lines = [
        f"## Equal capacity: {ratio} times local memory",
        "",
        f"![Dollars and time](./{scale}-cost.svg)",
        "",
        "Dominated by: the fastest way that takes no more time and no more dollars.",
        "",
        "| way | us of a step | times the first | nJ for a byte | mJ of a step | W of the share | dollars of a terabyte | "
        "dominated by |",
        "|---" * 8 + "|",
    ]
    for row in there:
        lines.append(
            f"| {row.way} | {row.microseconds:.1f} | {row.microseconds / there[0].microseconds:.2f} | {row.energy:.3f} | "
            f"{row.millijoules:.3f} | {row.watts:.2f} | {row.dollars:.0f} | {by.get(row.way, '-')} |"
        )
    return [*lines, ""]


def equal_cost(rows: Sequence[Row], budgets: Sequence[int], share: float) -> list[str]:
    """What each way gives for budgets of memory, if the ratios for it were simulated."""
    lines: list[str] = []
    for dollars in budgets:
        try:
            bought = cuts.equal_cost(rows, KNOWN, dollars, share)
        except Error as error:
            return [*lines, "## Equal cost", "", f"No table for {dollars} dollars: {error}", ""]
        lines += [
            f"## Equal cost: {dollars} dollars of memory for a GPU",
            "",
            f"{cuts.LOCAL:g} GB of local memory (DRAM of Ohm-GPU) at the middle of its price; all other dollars buy far "
            "memory, at the middle of its price, and in brackets at its highest and lowest. No way holds more than the "
            "largest ratio that was simulated: what that leaves is the last column. Times lie on a line in 1 / ratio "
            "between the nearest simulated ratios. GB/s and ms are those of the whole H100, for one step that reads all "
            "data.",
            "",
            "| way | GB of data | ratio | GB/s | ms of a step | dollars left |",
            "|---" * 6 + "|",
        ]
        for one in bought:
            span = f" ({one.least:.0f} to {one.most:.0f})" if round(one.least) != round(one.most) else ""
            lines.append(
                f"| {one.way} | {one.gigabytes:.0f}{span} | {one.ratio:.1f} | {one.rate:.0f} | {one.milliseconds:.1f} | "
                f"{one.left:.0f} |"
            )
        lines.append("")
    return lines


def energy_of_parts(rows: Sequence[Row], ratio: int, scale: str) -> list[str]:
    """Where the energy goes at one ratio."""
    there = cuts.at(rows, ratio)
    parts = [part for part in energy_.PARTS if any(part in row.joules for row in there)]
    if not parts:
        return []
    lines = [
        f"## Where the energy goes at {ratio}, nJ for a byte of the footprint",
        "",
        f"![Energy](./{scale}-energy.svg)",
        "",
        "| way | " + " | ".join(parts) + " |",
        "|---" * (1 + len(parts)) + "|",
    ]
    for row in there:
        cells = (f"{row.of_byte(row.joules[part]):.4f}" if part in row.joules else "" for part in parts)
        lines.append(f"| {row.way} | " + " | ".join(cells) + " |")
    return [*lines, "", f"Not counted: {energy_.NOT_COUNTED}", ""]


def energy_of_bits() -> list[str]:
    """The figures of energy, with their sources."""
    lines = [
        "## Energy of a bit",
        "",
        "| part | counted | pJ of a bit | other values | source |",
        "|---|---|---|---|---|",
    ]
    for name, part in energy_.PARTS.items():
        sources = dict.fromkeys(_source(figure) for figure in part.figures.values())
        values = ", ".join(f"{float(figure):g} {what}".strip() for what, figure in part.figures.items())
        others = ", ".join(f"{factor:.2g} times" for factor in part.factors)
        lines.append(
            f"| {name} | {part.counts} | {values or '-'} | {others or '-'} | {'; '.join(sources) or part.source} |"
        )
    return lines


def _source(figure: Any) -> str:
    source = source_of(figure)
    return f"{source.kind}: {source.text}" if source else ""


UNITS = {"us": "microseconds", "dollars": "dollars of a terabyte", "nJ/byte": "nJ for a byte"}


def envelope(found: envelope_.Envelope | None) -> list[str]:
    """Which assumptions turn which orders."""
    if found is None:
        return []
    lines = [
        f"## Envelope: the assumptions at other values, at {found.ratio}",
        "",
        f"{found.runs} runs took {found.seconds:.0f} s. Each assumption changes alone. Below: it was more and is now "
        f"less. Ways within {envelope_.SAME - 1:.0%} of each other have no order.",
    ]
    for unit, title in UNITS.items():
        of = [one for one in found.outcomes if one.unit == unit]
        if not of:
            continue
        lines += ["", f"| assumption | value | {title} | order |", "|---|---|---|---|"]
        lines += [f"| {one.what} | {one.value} | {_changes(one)} | {_pairs(one)} |" for one in of]
    return [*lines, ""]


def _changes(one: envelope_.Outcome) -> str:
    digits = {"us": ".0f", "dollars": ".0f", "nJ/byte": ".3f"}[one.unit]
    groups: dict[str, list[str]] = {}
    for way, (before, after) in one.changed.items():
        groups.setdefault(f"{format(before, digits)} to {format(after, digits)}", []).append(way)
    return "; ".join(f"{', '.join(ways)} {change}" for change, ways in groups.items()) or "none"


def _pairs(one: envelope_.Outcome) -> str:
    texts = []
    for way, over, under in one.pairs:
        now = [f"above {', '.join(over)}"] if over else []
        now += [f"below {', '.join(under)}"] if under else []
        texts.append(f"{way} is now {' and '.join(now)}")
    return "; ".join(texts) or "as before"
