"""The page of `memsim across`: tables, a plot, prices, what limits them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..files import os_error
from . import cuts, energy, prices, sections
from .envelope import Envelope
from .points import SCALES, Row
from .prices import Price
from .ways import KNOWN

HEADING = (
    f"{'way':17} {'ratio':>5} {'us a step':>10} {'GB/s':>8} {'nJ/byte':>8} {'W of share':>10} {'years':>8} {'$/TB':>7}"
)
PRICES = ("HBM", "DDR5", "CXL", "NAND", "SSD", "HBF", "ZNAND", "SLC_SSD", "XPOINT")
BUDGETS = 2000, 2800  # dollars of memory of a GPU; 80 GB of HBM are 1400


ASSUMED = (
    "No HBF was measured: times are DASH's (tR 3 us, 100 GB/s a channel, 128 banks). HBF-Sim has 15 us and 32 banks.",
    "The CXL-SSD's endpoint serves four loads at once, a value inferred for CXL-GPU's own GPU of eight cores. Without "
    "that limit a step at scale quick and ratio 4 takes a fifth of the time, with speculative reads two thirds.",
    "An H100 has an endpoint of Z-NAND for each lane of its port: the paper's endpoint does not become smaller.",
    "Ohm-GPU and ZnG have about as many channels for an SM as in their papers (6 and 16 for 16 SMs), of the papers' "
    "own rates. An SM of an H100 asks for more than theirs. Neither has been built.",
    "Prices without a source, as marked below; XPoint is not sold any more.",
    "Most energies of a bit, as marked below. No power of idle memory is counted.",
    "SSDs bear one write a day for five years, and XPoint 1e8 writes of a line.",
    "Links have the share of the GPU, but that of the CXL-SSD is a whole lane (quick) or two (default), which is a "
    "quarter more. The queues that the L2 sends to are not the limit.",
    "One sequence (batch 1): each weight is used once a step, so caches, migration and deduplication find no reuse "
    "within a step. Weights are random: no two blocks are equal.",
)


def line(row: Row) -> str:
    """The row as a line of the table on the screen."""
    years = "-" if row.years == float("inf") else f"{row.years:.3g}"
    return (
        f"{row.way:17} {row.ratio:>5} {row.microseconds:>10.1f} {row.rate:>8.1f} {row.energy:>8.3f} {row.watts:>10.2f} "
        f"{years:>8} {row.dollars:>7.0f}"
    )


def table(title: str, rows: Sequence[Row], value: str, show: str) -> list[str]:
    """A table of Markdown: a line for each way, a column for each ratio."""
    ratios = sorted({row.ratio for row in rows})
    lines = [
        f"## {title}",
        "",
        "| way | " + " | ".join(f"{r}" for r in ratios) + " |",
        "|---" * (1 + len(ratios)) + "|",
    ]
    for way in dict.fromkeys(row.way for row in rows):
        of = {row.ratio: getattr(row, value) for row in rows if row.way == way}
        cells = ("" if r not in of else "-" if of[r] in (0, float("inf")) else format(of[r], show) for r in ratios)
        lines.append(f"| {way} | " + " | ".join(cells) + " |")
    return [*lines, ""]


@dataclass(frozen=True)
class Cut:
    """Where the tables are cut: a ratio, dollars of memory, and what the assumptions turn there."""

    ratio: int = 8
    budgets: Sequence[int] = BUDGETS
    envelope: Envelope | None = None


def page(scale: str, rows: Sequence[Row], cut: Cut = Cut()) -> str:
    """The page of Markdown."""
    s = SCALES[scale]
    more = " --envelope" if cut.envelope else ""
    lines = [
        "# Ways to a larger GPU memory",
        "",
        f"Written by `memsim across --scale {scale}{more} --write docs/results/across`. One decode step (the second of "
        f"two tokens, batch 1, context 64) of {s.layers} layer(s) with {s.model['hidden']} hidden elements, on "
        f"1/{1 / s.share:.0f} of an H100 SXM: {s.sms} SMs, {s.channels} channels of memory, that share of every link. "
        "Columns of tables without other names: footprint over local memory.",
        "",
        *sections.findings(rows, cut.ratio, cut.envelope),
        f"![Bandwidth](./{scale}.svg)",
        "",
        *table("GB/s of the footprint", rows, "rate", ".1f"),
        *table("Microseconds of a step", rows, "microseconds", ".1f"),
        *table("Energy of memories and links, nJ for a byte of the footprint", rows, "energy", ".3f"),
        *table("Millijoules of a step: a token", rows, "millijoules", ".3f"),
        *table(f"Watts of 1/{1 / s.share:.0f} of an H100's memories and links during a step", rows, "watts", ".2f"),
        *table(
            "Years until 2.5 TiB of the far medium are worn out, evenly, by an H100's work without a pause",
            rows,
            "years",
            ".3g",
        ),
        *table("Dollars of memory for a terabyte of data", rows, "dollars", ".0f"),
        *sections.equal_capacity(rows, cut.ratio, scale),
        *sections.equal_cost(rows, cut.budgets, s.share),
        *sections.energy_of_parts(rows, cut.ratio, scale, s.share),
        *sections.envelope(cut.envelope),
        "## The ways",
        "",
        *(f"- {name}: {KNOWN[name].what}." for name in dict.fromkeys(row.way for row in rows)),
        "",
        "Beside: of each array of weights the last part lies in far memory. Behind: pages of 4 KiB come and go by "
        "least recent use. In place: there is no HBM. HBF has a channel of 100 GB/s for each channel of HBM: five "
        "stacks at an H100. [Parts and sizes of each way](../../models/across.md). Wear is that of HBF, TLC NAND and "
        "XPoint, each with the capacity of those stacks; a dash: nothing is written to such a medium.",
        "",
        "## What is assumed",
        "",
        *(f"- {one}" for one in ASSUMED),
        "",
        "## Prices of a gigabyte",
        "",
        "| memory | dollars | source |",
        "|---|---|---|",
        *(price_line(name, getattr(prices, name)) for name in PRICES),
        "",
        *sections.energy_of_bits(),
    ]
    return "\n".join(lines) + "\n"


def price_line(name: str, price: Price) -> str:
    """A line of the table of prices."""
    kind = "assumed: " if price.assumed else ""
    return f"| {name} | {price.low:g} to {price.high:g} | {kind}{price.source} |"


def write(scale: str, rows: Iterable[Row], folder: Path, cut: Cut = Cut()) -> Path:
    """Writes the page and its plots into the folder; returns the page's path."""
    from pandas import DataFrame

    from ..results import plot

    all_rows = list(rows)
    file = folder / f"{scale}.md"
    os_error(lambda: folder.mkdir(parents=True, exist_ok=True), folder)
    os_error(lambda: file.write_text(page(scale, all_rows, cut)), file)
    panels = {}
    for title in dict.fromkeys(panel(row.way) for row in all_rows):
        points = [(row.way, row.ratio, row.rate) for row in all_rows if panel(row.way) == title]
        frame = DataFrame(points, columns=["way", "ratio", "rate"])
        panels[title] = frame.pivot(index="way", columns="ratio", values="rate")
    plot.lines(folder / f"{scale}.svg", panels, "footprint over local memory", "GB/s", log="xy")
    there = cuts.at(all_rows, cut.ratio)
    if there:
        places = {row.way: (row.dollars, row.microseconds) for row in there}
        plot.places(folder / f"{scale}-cost.svg", places, "dollars for a terabyte of data", "us of a step")
        most = max(row.energy for row in there)
        for name, shown in ("energy", there), ("energy-low", [row for row in there if row.energy < most / 4]):
            parts = [part for part in energy.PARTS if any(part in row.joules for row in shown)]
            if parts:
                values = [[row.of_byte(row.joules.get(part, 0.0)) for part in parts] for row in shown]
                stacked = DataFrame(values, index=[row.way for row in shown], columns=parts)
                plot.stacks(folder / f"{scale}-{name}.svg", stacked, "nJ for a byte of the footprint")
    return file


def panel(name: str) -> str:
    """The part of the plot in which a way is drawn: no more lines than a legend names."""
    way = KNOWN[name]
    if way.far in (prices.SSD, prices.SLC_SSD):
        return "drives"
    return "behind or in place of HBM" if way.behind or way.local is not prices.HBM else "HBM, and beside it"
