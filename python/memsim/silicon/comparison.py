"""Ours beside the measured figures of a chip: runs, a table, a page and a plot."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..files import os_error
from .benchmarks import BENCHMARKS
from .points import Point

CURVES = "read", "scale"  # benchmarks that a plot shows


@dataclass(frozen=True)
class Row:
    """A measured figure and ours."""

    point: Point
    ours: float

    @property
    def verdict(self) -> str:
        """'used' of figures from which the preset's parameters were inferred, else whether ours agrees."""
        if self.point.value is None:
            return "no measurement"
        return "used" if self.point.used else "agrees" if self.point.agrees(self.ours) else "differs"

    @property
    def difference(self) -> str:
        """The difference of our figure from the measured one in per cent; empty without a measured figure."""
        return "" if self.point.value is None else f"{100 * self.point.error(self.ours):+.1f}"


def measure(point: Point) -> Row:
    """Runs the benchmark of a point."""
    return Row(point, BENCHMARKS[point.benchmark].measure(point.chip, point.at))


def compare(points: Sequence[Point], processes: int) -> Iterator[Row]:
    """A row of each point, in order."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(measure, points)


HEADING = f"{'benchmark':14} {'at':>10} {'measured':>9} {'ours':>9} {'diff.':>7}  verdict"


def line(row: Row) -> str:
    """The row as a line of the table on the screen."""
    p = row.point
    measured = "" if p.value is None else f"{p.value:g}"
    difference = row.difference and f"{row.difference}%"
    return f"{p.benchmark:14} {p.at:>10} {measured:>9} {row.ours:>9.4g} {difference:>7}  {row.verdict}"


def summary(rows: Sequence[Row]) -> str:
    """How many judged figures agree."""
    verdicts = [row.verdict for row in rows]
    judged = verdicts.count("agrees") + verdicts.count("differs")
    used = verdicts.count("used")
    return f"{verdicts.count('agrees')} of {judged} judged figures agree; {used} were used to infer the preset"


def curves(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each benchmark that has points enough for a curve."""
    found = {name: [row for row in rows if row.point.benchmark == name] for name in CURVES}
    return {name: of for name, of in found.items() if len(of) > 2}


def page(chip: str, rows: Sequence[Row]) -> str:
    """The table as a page of Markdown."""
    lines = [
        f"# {chip}: memsim beside measured chips",
        "",
        f"Written by `memsim silicon {chip} --write docs/results/silicon`. {summary(rows)}. A figure agrees if it lies "
        "in the range of its sources, or within 10 % (latencies) or 5 % (rates) of their median.",
        "",
        *([f"![Streams](./{chip}.svg)", ""] if curves(rows) else []),
        "| benchmark | at | unit | measured | sources' range | ours | difference | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        p = row.point
        span = f"{p.low:g} to {p.high:g}" if p.low < p.high else ""
        measured = "" if p.value is None else f"{p.value:g}"
        difference = row.difference and f"{row.difference} %"
        lines.append(
            f"| {p.benchmark} | {p.at} | {BENCHMARKS[p.benchmark].unit} | {measured} | {span} | {row.ours:.4g} | "
            f"{difference} | {row.verdict} |"
        )
    lines += ["", *(f"- {name}: {benchmark.what}." for name, benchmark in BENCHMARKS.items()), ""]
    for name in dict.fromkeys(row.point.benchmark for row in rows):
        point = next(row.point for row in rows if row.point.benchmark == name)
        lines.append(f"- Source of {name}: {point.source}.{point.note and ' ' + point.note}")
    return "\n".join(lines) + "\n"


def write(chip: str, rows: Sequence[Row], folder: Path) -> Path:
    """Writes the page and its plot into the folder; returns the page's path."""
    from pandas import DataFrame

    from ..results import plot

    file = folder / f"{chip}.md"
    os_error(lambda: folder.mkdir(parents=True, exist_ok=True), folder)
    os_error(lambda: file.write_text(page(chip, rows)), file)
    tables = {
        benchmark: DataFrame(
            [[row.point.value for row in curve], [row.ours for row in curve]],
            index=["measured", "memsim"],
            columns=[float(row.point.at.rstrip("%")) for row in curve],
        )
        for benchmark, curve in curves(rows).items()
    }
    if tables:
        plot.lines(folder / f"{chip}.svg", tables, "% of the threads that an SM can hold", "GB/s")
    return file
