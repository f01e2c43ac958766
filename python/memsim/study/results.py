"""docs/results/<paper>: the measurements of `memsim reproduce` as files.

judged.csv      our last figure for each claim: its scale, its workloads if not all over which the paper averages, and
                the figure; for several seeds the lowest, the median and the highest value
quick.csv       the same at the quick scale; half.csv, twice.csv: at half and twice of the judged inputs
costs.csv       CPU time and memory of a figure at each scale
sensitivity.csv the envelope of each claim over the assumptions
points/         the values of each point of a figure at judge, because the database of such runs takes hours to make
"""

import contextlib
import csv
import dataclasses
import io
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import Error
from ..files import replacing
from . import claimed, sensitivity, verdict
from .metric import root

RESULTS = root() / "docs" / "results"
WHOLE = "", "judge"  # scales at which claims are judged: none, or the paper's
COLUMNS = "id", "ours", "scale", "workloads", "source"
ENVELOPE = [name for name in sensitivity.COLUMNS if name != "judged"]
Rows = dict[str, dict[str, str]]


def file_of(system: str, scale: str) -> Path:
    return RESULTS / system / f"{'judged' if scale == 'judge' else scale}.csv"


def read(file: Path) -> list[dict[str, str]]:
    """The rows of a file; none if it does not exist."""
    if not file.exists():
        return []
    text = file.read_text()
    if not text.endswith("\n"):
        line = text.count("\n") + 1
        raise Error(
            f"{file}:{line}: the last line is cut off: restore the file, or delete it and record its figures again"
        )
    return list(csv.DictReader(io.StringIO(text)))


def rows_of(file: Path, key: str = "id") -> Rows:
    """The rows of a file, by their first column."""
    return {row[key]: row for row in read(file)}


def write(file: Path, columns: Iterable[str], rows: Iterable[dict[str, Any]]) -> None:
    """Replaces a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as f:
        writer = csv.DictWriter(f, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ---- claims --------------------------------------------------------------------------------------


def judge(claim: verdict.Claim, row: dict[str, str]) -> verdict.Verdict:
    """The verdict on a claim by its row. A claim without a figure keeps its label, or is not judged. If its study ran
    at a scale without a measurement, it is not modelled."""
    if not row["ours"]:
        word = verdict.NOT_MODELLED if row["scale"] else verdict.NOT_JUDGED
        word = word if claim.label == "measured" else claim.label
        return verdict.Verdict(claim, (), word)
    small = row["scale"] not in WHOLE or bool(row["workloads"])
    return verdict.judge(claim, [float(figure) for figure in row["ours"].split()], small)


def judged(scale: str = "judge") -> dict[str, list[tuple[verdict.Verdict, dict[str, str]]]]:
    """The verdicts by paper with their envelopes, each with its row of the file; one that has none was not measured."""
    found = {}
    for system in claimed.PAPERS:
        rows, swept = rows_of(file_of(system, scale)), recorded_envelopes(system)
        found[system] = [
            (dataclasses.replace(judge(claim, rows[id]), envelope=swept.get(id)), rows[id])
            for id, claim in claimed.claims(system).items()
            if id in rows
        ]
    return found


def recorded(scale: str) -> dict[str, verdict.Verdict]:
    """{claim: verdict} from the recorded figures of this scale."""
    return {
        v.claim.id: v
        for of_paper in judged(scale).values()
        for v, row in of_paper
        if scale != "judge" or row["scale"] in (scale, "")
    }


def record(found: dict[str, tuple[dict[str, Any], Any]], scale: str) -> None:
    """Records figures of a scale, {claim: (row of `claim`, figure)}, in docs. At judge only figures of all workloads
    count."""
    by_paper: dict[str, Rows] = defaultdict(dict)
    for id, (row, figure) in found.items():
        if scale == "judge" and row["verdict"] == verdict.TOO_SMALL:
            continue
        figures = [row["ours"]] if (row["seeds"] or 0) < 2 else [row["lowest"], row["ours"], row["highest"]]
        by_paper[figure.system][id] = dict(
            id=id,
            ours=" ".join(f"{f:.6g}" for f in figures if f is not None),
            scale=("tiny" if scale == "quick" else scale) if figure.takes_a_scale else "",
            workloads="",
            source=figure.name,
        )
    for system, new in by_paper.items():
        file = file_of(system, scale)
        rows = rows_of(file) | new
        write(file, COLUMNS, (rows[id] for id in claimed.claims(system) if id in rows))


def record_points(figure: Any, data: Path) -> None:
    """Records a figure's points, a CSV file, in docs, with six digits and without the ids of runs."""
    import pandas

    file = RESULTS / figure.system / "points" / f"{figure.figure}.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    pandas.read_csv(data).drop(columns="run", errors="ignore").to_csv(file, index=False, float_format="%.6g")


def envelopes(database: Path) -> Rows:
    """The rows of the table `envelope` by claim."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'envelope'").fetchone():
            return {}
        rows = db.execute(f"SELECT {', '.join(ENVELOPE)} FROM envelope")
        return {
            row[0]: {n: f"{v:.6g}" if isinstance(v, float) else str(v) for n, v in zip(ENVELOPE, row)} for row in rows
        }


def envelope_file(system: str) -> Path:
    return RESULTS / system / "sensitivity.csv"


def recorded_envelopes(system: str) -> dict[str, verdict.Envelope]:
    """{claim: envelope} as docs have it."""
    found = {}
    for id, row in rows_of(envelope_file(system), "claim").items():
        numbers: dict[str, Any] = {name: float(row[name]) for name in ("ours", "least", "greatest")}
        values: dict[str, Any] = row | numbers | {"swept": int(row["swept"] or 0)}
        found[id] = verdict.Envelope(**values)
    return found


def record_envelopes(system: str, new: Rows) -> None:
    """Records envelopes of a paper's claims in docs, replacing earlier ones."""
    rows = rows_of(envelope_file(system), "claim") | new
    write(envelope_file(system), ENVELOPE, (rows[id] for id in claimed.claims(system) if id in rows))


# ---- costs of figures ----------------------------------------------------------------------------

Costs = dict[tuple[str, str], tuple[float, float]]


def costs(*files: Path) -> Costs:
    """{(figure, scale): (CPU seconds, MB)} as measured earlier. Later files take precedence."""
    found: Costs = {}
    for file in files:
        for row in read(file):
            found[row["figure"], row["scale"]] = float(row["cpu_seconds"]), float(row["megabytes"])
    return found


def all_costs(own: Path) -> Costs:
    """The costs of docs, overridden by those of the user's own file."""
    return costs(*(RESULTS / system / "costs.csv" for system in claimed.PAPERS), own)


def add_cost(file: Path, figure: str, scale: str, seconds: float, megabytes: float) -> None:
    known = costs(file)
    known[figure, scale] = seconds, megabytes
    write(
        file,
        ("figure", "scale", "cpu_seconds", "megabytes"),
        (
            dict(figure=name, scale=at, cpu_seconds=f"{s:.1f}", megabytes=f"{m:.0f}")
            for (name, at), (s, m) in sorted(known.items())
        ),
    )
