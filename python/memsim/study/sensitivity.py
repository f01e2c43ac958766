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

from ..errors import Error
from .assumptions import Assumption, chosen
from . import claimed
from .figure import Figure
from .tables import Points
from .verdict import Envelope

MOVES = 0.05  # a claim depends on an assumption if its figure changes by more than this share


def points_of(fig: Figure, swept: Iterable[Assumption]) -> Iterator[Points]:
    """The figure's points under each assumption that applies to them. Points with a variant are included if a claim
    of the figure names them."""
    claims = [fig.paper.claims[id] for id in fig.table_of.claims]
    claimed_labels = {label for claim in claims for label in (claim.subject, claim.baseline)}

    def varied(one: Points, mode: str, platform: str, a: Assumption) -> bool:
        plain = dataclasses.replace(one, parameters=fig.parameters(one), variant="")
        label = plain.label(platform, fig.paper.table.parameters)
        return a.applies(mode, label) and (not one.variant or f"{label} {one.variant}" in claimed_labels)

    for a in swept:
        for one in (one for one in fig.table_of.points if not (one.name or one.each)):
            for mode in one.modes or list(fig.paper.table.modes) or [""]:
                if platforms := [p for p in one.platforms if varied(one, mode, p, a)]:
                    yield dataclasses.replace(
                        one,
                        platforms=platforms,
                        modes=[mode] if mode else [],
                        variant=(one.variant + a.variant).strip(),
                        arguments=[*one.arguments, *a.arguments],
                        options=[*one.options, *a.options],
                    )


def relative_change(after: float, before: float) -> float:
    """By which share a figure moves."""
    return abs(after / before - 1) if before else math.inf if after else 0.0


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
    return {id: {v: f for v, f in of.items() if f is not None} for id, of in found.items() if of[""] is not None}


def show_moved(fig: Figure, figures: dict[str, dict[str, float]], swept: list[Assumption]) -> None:
    """Prints, for each value of each assumption, the claims whose figure changes by more than the share MOVES, with the
    resulting verdict."""
    stated = claimed.claims(fig.paper.name)
    print(f"{'assumption':34} claims that change: paper, default -> here")
    for variant in dict.fromkeys(a.variant for a in swept):
        moved = []
        for id, of in figures.items():
            before, after, claim = of[""], of.get(variant), stated[id]
            if after is not None and relative_change(after, before) > MOVES:
                moved.append(f"{id} {claim.expected:.3g}: {before:.3g} -> {after:.3g} ({claim.compare(after)})")
        print(f"{variant.strip():34} " + ("; ".join(moved) or "none"))


def envelopes(fig: Figure, figures: dict[str, dict[str, float]], swept: int) -> list[Envelope]:
    """Of each claim that is measured. `swept`: how many values of assumptions there are."""
    stated = claimed.claims(fig.paper.name)
    found = []
    for id, of in figures.items():
        most = max(of, key=lambda variant: relative_change(of[variant], of[""]))
        found.append(
            Envelope(
                id,
                of[""],
                min(of.values()),
                max(of.values()),
                most.strip(),
                stated[id].compare(of[most]),
                fig.args.scale,
                "" if set(fig.every) <= set(fig.workloads) else " ".join(fig.workloads),
                swept,
            )
        )
    return found


# Of the table `envelope`; sensitivity.csv has all but the last.
COLUMNS = {
    "claim": "TEXT PRIMARY KEY",
    "ours": "REAL",
    "least": "REAL",
    "greatest": "REAL",
    "assumption": "TEXT",
    "verdict": "TEXT",
    "swept": "INTEGER",
    "scale": "TEXT",
    "workloads": "TEXT",
    "judged": "TEXT",
}


def create_table(database: sqlite3.Connection) -> None:
    """Creates the table `envelope`."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    database.execute(f"CREATE TABLE IF NOT EXISTS envelope({columns}) WITHOUT ROWID")


def store(path: str, found: Iterable[Envelope]) -> None:
    """Puts envelopes into the table, in place of earlier ones of the same claims."""
    names = list(COLUMNS)[:-1]
    with contextlib.closing(sqlite3.connect(path, timeout=60)) as database, database:
        create_table(database)
        database.executemany(
            f"INSERT OR REPLACE INTO envelope({', '.join(names)}, judged) VALUES("
            f"{', '.join(':' + name for name in names)}, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
            [dataclasses.asdict(envelope) for envelope in found],
        )


def of_figure(fig: Figure) -> Figure:
    """A figure's own points and claims as a sweep of the assumptions, whose points `fig` has run already.

    Raises Error if the figure has no points or claims that a sweep could vary.
    """
    table = fig.table_of
    if table.special or not table.claims or not list(points_of(fig, fig.paper.variants)):
        raise Error(
            f"{fig.paper.name}/{fig.name} has no envelope: none of its points and claims depend on platforms alone; "
            f"'memsim reproduce {fig.paper.name}/sensitivity' sweeps the paper's assumptions"
        )
    made = Figure(fig.paper, dataclasses.replace(table, sweep=True, show=[]), fig.args)
    for points in table.points:
        made.add(points)
    return made


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
    found = envelopes(fig, figures, len({a.variant for a in swept}))
    if found:
        print(f"\n{'claim':14}{'ours':>10}{'least':>10}{'greatest':>10}  largest effect by, and the resulting verdict")
    for e in found:
        moved = f"{e.assumption} ({e.verdict})" if e.assumption else "nothing"
        print(f"{e.claim:14}{e.ours:10.4g}{e.least:10.4g}{e.greatest:10.4g}  {moved}")
    store(fig.database, found)
