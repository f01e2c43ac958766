"""The figures of `memsim reproduce`: those of the papers' tables."""

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path

from ..errors import Error, did_you_mean
from ..run.progress import duration
from . import claimed, paper, results, toml

SCALES = {
    "quick": ["--scale", "tiny", "--max-instructions", "300000"],
    **{scale: ["--scale", scale] for scale in ("tiny", "small", "default", "judge", "half", "twice")},
}
LISTED = "quick", "default", "judge"


@dataclasses.dataclass(frozen=True)
class Known:
    """A figure and its description."""

    system: str
    figure: str
    title: str
    takes_a_scale: bool
    is_sweep: bool  # a sweep of assumptions: judges nothing and runs only if named

    @property
    def name(self) -> str:
        """The argument of `memsim sweep`, and the folder of its files below OUTDIR."""
        return f"{self.system}/{self.figure}"


def figures() -> dict[str, Known]:
    """All figures, sorted by name."""
    found = [
        Known(name, table.name, table.title, table.scaled, table.sweep)
        for name in toml.names()
        for table in paper.load(name).figures.values()
    ]
    return {f.name: f for f in sorted(found, key=_number)}


def _number(known: Known) -> list[tuple[bool, int, str]]:
    """The sort key of a figure: numbers are compared by value."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", known.name)]


def canonical(name: str) -> str:
    """The canonical name of a figure or paper given by an alias, such as cxl/fig9a."""
    system, slash, figure = name.partition("/")
    return paper.aliases().get(system, system) + slash + figure


def chosen(names: Iterable[str]) -> list[Known]:
    """The figures named by 'ohm/fig16', 'ohm' or 'all', without repetitions."""
    known = figures()
    found: dict[str, Known] = {}
    for given in names:
        name = canonical(given)
        some = [f for f in known.values() if name in (f.name, f.system, "all") and (not f.is_sweep or f.name == name)]
        if not some:
            near = did_you_mean(name, [*known, *claimed.PAPERS])
            raise Error(f"there is no figure or paper '{given}'{near}: --list lists them")
        found.update((f.name, f) for f in some)
    return list(found.values())


def listing(names: list[str], outdir: str) -> None:
    """Prints the figures with the CPU time and memory measured earlier."""
    known = results.all_costs(Path(outdir, "costs.csv"))
    rows = [["figure", *(f"{s}: CPU time, memory" for s in LISTED), "what it shows"]]
    for f in chosen(names or ["all"]) + [f for f in figures().values() if f.is_sweep and not names]:
        cells = [
            f"{duration(known[f.name, s][0])}, {known[f.name, s][1]:.0f} MB" if (f.name, s) in known else "not measured"
            for s in LISTED
        ]
        rows.append([f.name, *cells, f.title])
    widths = [max(map(len, column)) for column in zip(*rows)]
    print("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows))
    if unknown := sum(row.count("not measured") for row in rows):
        print(
            f"{unknown} of {(len(rows) - 1) * len(LISTED)} times are not known: running a figure measures them, into "
            f"{outdir}/costs.csv"
        )
