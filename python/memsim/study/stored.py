"""Prints verdicts, and stores them in the table `claim` of a database."""

import sqlite3
from collections.abc import Iterable

from ..results.claims import COLUMNS, stated
from .verdict import Verdict


def report(verdicts: Iterable[Verdict]) -> str:
    """The verdicts as a table of text."""
    rows = [("claim", "metric", "subject / baseline", "paper", "ours", "min..max", "error", "effect", "verdict")]
    for v in verdicts:
        claim, several = v.claim, len(v.figures) > 1
        rows.append(
            (
                claim.id,
                claim.metric,
                claim.subject + (claim.baseline and f" / {claim.baseline}"),
                stated(claim.relation, f"{claim.expected:.4g}"),
                "-" if v.ours is None else f"{v.ours:.4g}",
                f"{min(v.figures):.4g}..{max(v.figures):.4g}" if several else "-",
                "-" if v.error is None else f"{v.error:+.0%}",
                "-" if v.share is None else f"{v.share:.0%}",
                v.text,
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def store(database: sqlite3.Connection, study: str, verdicts: Iterable[Verdict]) -> None:
    """Writes the verdicts of a study into the table `claim`. Adds missing columns, and replaces earlier rows of the
    same claims."""
    database.execute(
        "CREATE TABLE IF NOT EXISTS claim("
        + ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        + ") WITHOUT ROWID"
    )
    there = {row[1] for row in database.execute("PRAGMA table_info(claim)")}
    for name, kind in COLUMNS.items():
        if name not in there:
            database.execute(f"ALTER TABLE claim ADD COLUMN {name} {kind}")
    names = list(COLUMNS)[:-1]
    for v in verdicts:
        c = v.claim
        row = dict(
            id=c.id,
            study=study,
            metric=c.metric,
            subject=c.subject,
            baseline=c.baseline,
            relation=c.relation,
            unit=c.unit,
            label=c.label,
            stated_in=c.stated_in,
            paper=c.expected,
            ours=v.ours,
            lowest=min(v.figures, default=None),
            highest=max(v.figures, default=None),
            seeds=len(v.figures),
            relative_error=v.error,
            effect_share=v.share,
            comparison=v.comparison,
            verdict=v.word,
            deviation=c.deviation,
        )
        database.execute(
            f"INSERT OR REPLACE INTO claim({', '.join(names)}, judged) VALUES("
            f"{', '.join(':' + n for n in names)}, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
            row,
        )
