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
        lines.append(f"{number}. **{one.kind[0].upper()}{one.kind[1:]}.** {one.text} Rests on: {one.limit}.")
        if envelope:
            turns = _turns(one.kind, envelope)
            lines.append(f"   Turned by: {'; '.join(turns)}." if turns else "   No value of the envelope turns it.")
    return [*lines, ""]


def _turns(kind: str, envelope: envelope_.Envelope) -> list[str]:
    """The values of assumptions that make a finding another one, and its new subject."""
    values: dict[tuple[str, str], list[str]] = {}
    for outcome in envelope.outcomes:
        for of, now in outcome.findings:
            if of == kind:
                values.setdefault((outcome.what, now), []).append(outcome.value)
    return [f"{what} at {', '.join(at)}: {now}" for (what, now), at in values.items()]


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
        "| way | us of a step | of the first | nJ/byte | mJ of a step | W of the share | $/TB | dominated by |",
        "|---" * 8 + "|",
    ]
    for row in there:
        times = row.microseconds / there[0].microseconds
        lines.append(
            f"| {row.way} | {row.microseconds:.1f} | {times:.2f} | {row.energy:.3f} | "
            f"{row.millijoules:.3f} | {row.watts:.2f} | {row.dollars:.0f} | {by.get(row.way, '-')} |"
        )
    return [*lines, ""]


HOW_COST = (
    f"{cuts.LOCAL:g} GB of local memory (Ohm-GPU's DRAM) at the middle of its price; other dollars buy far memory, at "
    "the middle of its price, and in brackets at its highest and lowest. No way holds more than the largest ratio that "
    "was simulated; the last column is what that leaves. Times are linear in 1 / ratio between simulated ratios. "
    "GB/s and ms are those of the whole H100, for one step that reads all data."
)


def equal_cost(rows: Sequence[Row], budgets: Sequence[int], share: float) -> list[str]:
    """What each way gives for budgets of memory, if the ratios for it were simulated."""
    lines = ["## Equal cost", "", HOW_COST, ""]
    for dollars in budgets:
        try:
            bought = cuts.equal_cost(rows, KNOWN, dollars, share)
        except Error as error:
            lines += [f"No table for {dollars} dollars: {error}", ""]
            continue
        lines += [
            f"### {dollars} dollars of memory for a GPU",
            "",
            best_of(bought),
            "",
            "| way | GB of data | ratio | GB/s | ms of a step | dollars left |",
            "|---" * 6 + "|",
        ]
        for one in bought:
            span = f" ({one.least:.0f} to {one.most:.0f})" if round(one.least) != round(one.most) else ""
            lines.append(
                f"| {one.way} | {one.gigabytes:.0f}{span} | {one.ratio:.1f} | {one.rate:.0f} | "
                f"{one.milliseconds:.1f} | {one.left:.0f} |"
            )
        lines.append("")
    return lines


def best_of(bought: Sequence[cuts.Bought]) -> str:
    """The ways that hold the most, and the fastest of those that hold several times local memory."""
    most = max(bought, key=lambda one: one.gigabytes)
    text = f"Most data: {most.way}, {most.gigabytes:.0f} GB at {most.rate:.0f} GB/s."
    for ratio in (2, 4, 8):
        best = next((one for one in bought if one.ratio >= ratio and one.way != "hbm"), None)
        text += f" Fastest with {ratio} times local memory: {best.way}, {best.rate:.0f} GB/s." if best else ""
    return text


def energy_of_parts(rows: Sequence[Row], ratio: int, scale: str, share: float) -> list[str]:
    """Where the energy goes at one ratio."""
    there = cuts.at(rows, ratio)
    parts = [part for part in energy_.PARTS if any(part in row.joules for row in there)]
    if not parts:
        return []
    most = max(row.energy for row in there)
    low = ["The ways below a quarter of the most:", "", f"![Low energy](./{scale}-energy-low.svg)", ""]
    lines = [
        f"## Where the energy goes at {ratio}, nJ for a byte of the footprint",
        "",
        f"![Energy](./{scale}-energy.svg)",
        "",
        *(low if any(row.joules and row.energy < most / 4 for row in there) else []),
        "| way | " + " | ".join(parts) + " |",
        "|---" * (1 + len(parts)) + "|",
    ]
    for row in there:
        cells = (f"{row.of_byte(row.joules[part]):.4f}" if part in row.joules else "" for part in parts)
        lines.append(f"| {row.way} | " + " | ".join(cells) + " |")
    idle = energy_.IDLE * share
    less = ", ".join(row.way for row in there if row.watts < idle)
    lines += ["", f"Not counted: {energy_.NOT_COUNTED}"]
    if less:
        lines[-1] += f" {idle:g} W for the share of idle HBM are more than all that is counted of: {less}."
    return [*lines, ""]


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
        others = ", ".join(f"{factor:.3g} times" for factor in part.factors)
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
        f"{found.runs} runs took {found.seconds:.0f} s. Each assumption changes alone. A way that is now below "
        f"another was above it. Ways within {envelope_.SAME - 1:.0%} of each other have no order.",
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
