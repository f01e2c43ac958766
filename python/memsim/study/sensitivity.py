"""A sweep of a paper's assumptions, each changed alone: the claims that depend on each of them, and the envelope of
each claim.

The envelope is the lowest and the highest figure for a claim when one assumption changes within its range, and the
assumption with the largest effect.
"""

import contextlib
import dataclasses
import math
import sqlite3
import statistics
from collections.abc import Iterable, Iterator

from .assumptions import Assumption, chosen
from . import claimed
from .figure import Figure
from .tables import Points

MOVES = 0.05  # a claim depends on an assumption if its figure changes by more than this share


def points_of(fig: Figure, swept: Iterable[Assumption]) -> Iterator[Points]:
    """The figure's plain points under each assumption that applies to them."""
    plain = [one for one in fig.table_of.points if not (one.variant or one.name or one.each)]
    for a in swept:
        for one in plain:
            for mode in one.modes or list(fig.paper.table.modes) or [""]:
                if platforms := [p for p in one.platforms if a.applies(mode, p)]:
                    yield dataclasses.replace(
                        one,
                        platforms=platforms,
                        modes=[mode] if mode else [],
                        variant=a.variant.strip(),
                        arguments=[*one.arguments, *a.arguments],
                        options=[*one.options, *a.options],
                    )


@dataclasses.dataclass(frozen=True)
class Envelope:
    """The envelope of a claim's figures when each assumption is changed alone."""

    claim: str
    ours: float  # with all assumptions unchanged
    least: float
    greatest: float
    assumption: str  # the one with the largest effect, with its value; none if there is no effect
    verdict: str  # verdict of the comparison with that value


def figures_of(fig: Figure, swept: list[Assumption]) -> dict[str, dict[str, float]]:
    """{claim: {variant, '' for none: figure}}, the median over the seeds, for claims that the points measure."""

    def figure(id: str, variant: str) -> float | None:
        found = fig.over_seeds(lambda: fig.measured(id, variant))
        there = [x for x in found if x is not None and not math.isnan(x)]
        return float(statistics.median(there)) if len(there) == len(found) else None

    labels = fig.labels()
    ids = fig.table_of.claims or [
        id
        for id, claim in fig.paper.claims.items()
        if claim.subject in labels and claim.baseline in (*labels, "") and claim.metric
    ]
    variants = ["", *dict.fromkeys(a.variant for a in swept)]
    found = {id: {v: figure(id, v) for v in variants} for id in ids}
    return {id: {v: f for v, f in of.items() if f is not None} for id, of in found.items() if of[""]}


def show_moved(fig: Figure, figures: dict[str, dict[str, float]], swept: list[Assumption]) -> None:
    """Prints, for each value of each assumption, the claims whose figure changes by more than the share MOVES, with the
    resulting verdict."""
    stated = claimed.claims(fig.paper.name)
    print(f"{'assumption':34} claims that change: paper, default -> here")
    for variant in dict.fromkeys(a.variant for a in swept):
        moved = []
        for id, of in figures.items():
            before, after, claim = of[""], of.get(variant), stated[id]
            if after is not None and abs(after / before - 1) > MOVES:
                moved.append(f"{id} {claim.expected:.3g}: {before:.3g} -> {after:.3g} ({claim.compare(after)})")
        print(f"{variant.strip():34} " + ("; ".join(moved) or "none"))


def envelopes(fig: Figure, figures: dict[str, dict[str, float]]) -> list[Envelope]:
    """The envelope of each measured claim."""
    stated = claimed.claims(fig.paper.name)
    found = []
    for id, of in figures.items():
        most = max(of, key=lambda variant: abs(of[variant] / of[""] - 1))
        word = stated[id].compare(of[most])
        found.append(Envelope(id, of[""], min(of.values()), max(of.values()), most.strip(), word))
    return found


# Columns of the table `envelope` and of sensitivity.csv.
COLUMNS = {
    "claim": "TEXT PRIMARY KEY",
    "ours": "REAL",
    "least": "REAL",
    "greatest": "REAL",
    "assumption": "TEXT",
    "verdict": "TEXT",
    "swept": "INTEGER",  # number of values of assumptions
    "scale": "TEXT",
    "workloads": "TEXT",
    "judged": "TEXT",
}


def make(database: sqlite3.Connection) -> None:
    """Creates the table `envelope`."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    database.execute(f"CREATE TABLE IF NOT EXISTS envelope({columns}) WITHOUT ROWID")


def store(fig: Figure, swept: int, found: Iterable[Envelope]) -> None:
    """Stores envelopes in the table, replacing earlier ones of the same claims."""
    more = dict(swept=swept, scale=fig.args.scale, workloads=" ".join(fig.workloads))
    names = list(COLUMNS)[:-1]
    with contextlib.closing(sqlite3.connect(fig.database, timeout=60)) as database, database:
        make(database)
        database.executemany(
            f"INSERT OR REPLACE INTO envelope({', '.join(names)}, judged) VALUES("
            f"{', '.join(':' + name for name in names)}, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
            [dataclasses.asdict(envelope) | more for envelope in found],
        )


def carry_out(fig: Figure) -> None:
    """Runs the sweep, prints its result, and stores the envelopes."""
    swept = chosen(fig.args.only, fig.paper.variants)
    for points in points_of(fig, swept):
        fig.add(points)
    fig.run()
    figures = figures_of(fig, swept)
    if fig.table_of.show:
        fig.swept = swept
        fig.show_all()
    else:
        show_moved(fig, figures, swept)
    found = envelopes(fig, figures)
    if found:
        print(f"\n{'claim':14}{'ours':>10}{'least':>10}{'greatest':>10}  largest effect by, and the resulting verdict")
    for e in found:
        moved = f"{e.assumption} ({e.verdict})" if e.assumption else "nothing"
        print(f"{e.claim:14}{e.ours:10.4g}{e.least:10.4g}{e.greatest:10.4g}  {moved}")
    store(fig, len({a.variant for a in swept}), found)
