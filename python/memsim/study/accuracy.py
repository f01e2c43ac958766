"""How near our figures are to the papers': the verdicts on all claims, as tables for docs.

docs/judged.csv holds our last figure for each claim: at which scale, on which workloads if not all over which the paper
averages, and where it comes from; of several seeds the least, the median and the greatest. docs/quick.csv holds the
figures of the quick scale. `memsim reproduce --record` writes both, and at judge docs/judged/<paper>/<figure>.csv: what
each point of the figure gave, since the database of such runs takes hours to make again.
"""
import contextlib
import csv
import sqlite3
from collections import Counter
from pathlib import Path

from . import verdict
from ..errors import PACKAGE
from ..files import replacing
from ..results.claims import stated, unit_of

PAPERS = {"ohm": "Ohm-GPU", "zng": "ZnG", "cmd": "CMD", "cxl_gpu": "CXL-GPU", "sap": "SAP"}
SYSTEMS = {"cxl": "cxl_gpu"}  # of a folder of configs/studies, where it is named otherwise
WHOLE = "", "judge"  # scales at which a claim is judged: none, or the paper's
DOCS = Path(PACKAGE, "__init__.py").resolve().parents[2] / "docs"
JUDGED, QUICK, PAGE, POINTS = DOCS / "judged.csv", DOCS / "quick.csv", DOCS / "accuracy.md", DOCS / "judged"
COLUMNS = "id", "ours", "scale", "workloads", "source"
HEAD = """# Accuracy

Every number that the five papers state about their systems, beside ours. `memsim reproduce --page` writes this page:
`docs/judged.csv` has our last figure for each claim, at judge, the paper's scale, where not said otherwise, and of several seeds the
median with least and greatest; `docs/quick.csv` has those of `memsim reproduce all --scale quick --record`. What a verdict means stands in [studies.md](studies.md#verdicts), why a figure differs in
[deviations.md](deviations.md). The quick scale shows that all works and that nothing has moved; no claim is judged by it.

Ohm-GPU's claims are judged with the readings of [models/ohm-readings.md](models/ohm-readings.md), ZnG's with those of [models/zng-readings.md](models/zng-readings.md),
both in the column 'now', which the models have.
"""


def rows_of(file):
    if not file.exists():
        return {}
    with file.open(newline="") as f:
        return {row["id"]: row for row in csv.DictReader(f)}


def judged(file=None):
    """The verdicts by paper, each with its row of the file; one that has none was not measured."""
    rows = rows_of(file or JUDGED)
    return {
        system: [(judge(claim, rows[id]), rows[id]) for id, claim in verdict.claims(system).items() if id in rows]
        for system in PAPERS
    }


def judge(claim, row):
    """The verdict on a claim by its row. One without a figure keeps its label, or is not judged; where its study ran at a
    scale and had nothing to measure, it is not modelled."""
    if not row["ours"]:
        word = verdict.NOT_MODELLED if row["scale"] else verdict.NOT_JUDGED
        word = word if claim.label == "measured" else claim.label
        return verdict.Verdict(claim, (), word)
    return verdict.judge(claim, row["ours"].split(), small=row["scale"] not in WHOLE or bool(row["workloads"]))


def recorded(scale):
    """{claim: verdict} by the figures that docs have of this scale."""
    return {
        v.claim.id: v
        for of_paper in judged(QUICK if scale == "quick" else JUDGED).values()
        for v, row in of_paper
        if scale == "quick" or row["scale"] in (scale, "")
    }


def judged_by(database, script):
    """What a study has judged: rows of the table `claim`."""
    known = verdict.claims(SYSTEMS.get(script.parent.name, script.parent.name))
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.row_factory = sqlite3.Row
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'claim'").fetchone():
            return []
        return [
            dict(row)
            for row in db.execute("SELECT * FROM claim WHERE study = ? ORDER BY id", [script.stem])
            if row["id"] in known
        ]


def record(found, scale):
    """Puts figures of a scale, {claim: (row of `claim`, study)}, into docs, and writes the page. At judge only those
    of all workloads count."""
    file = QUICK if scale == "quick" else JUDGED
    rows = rows_of(file)
    for id, (row, figure) in found.items():
        if scale != "quick" and row["verdict"] == verdict.TOO_SMALL:
            continue
        figures = [row["ours"]] if (row["seeds"] or 0) < 2 else [row["lowest"], row["ours"], row["highest"]]
        at = {"quick": "tiny"}.get(scale, scale) if figure.takes_a_scale else ""
        rows[id] = dict(
            id=id,
            ours=" ".join(f"{f:.6g}" for f in figures if f is not None),
            scale=at,
            workloads="",
            source=figure.name,
        )
    order = [id for system in PAPERS for id in verdict.claims(system)]
    with replacing(file) as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[id] for id in order if id in rows)
    PAGE.write_text(page())


def record_points(figure, data):
    """Puts a figure's points, a CSV file, into docs, with six digits and without the runs that gave them."""
    import pandas

    file = POINTS / f"{figure.name}.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    pandas.read_csv(data).drop(columns="run", errors="ignore").to_csv(file, index=False, float_format="%.6g")


# ---- tables --------------------------------------------------------------------------------------


def counts(papers):
    """How many claims have each verdict; of those that are none, what the comparison says."""
    lines = ["| verdict | " + " | ".join(PAPERS.values()) + " |", "|---|" + "---|" * len(PAPERS)]
    for word in verdict.WORDS:
        cells = []
        for system in PAPERS:
            found = [v for v, _ in papers[system] if v.word == word]
            inside = Counter(v.comparison or "no figure" for v in found if v.comparison != word)
            named = ", ".join(f"{n} {what}" for what, n in sorted(inside.items()))
            cells.append(f"{len(found)}" + (f" ({named})" if named and word != verdict.NOT_JUDGED else ""))
        lines.append(f"| {word} | " + " | ".join(cells) + " |")
    lines.append("| **claims** | " + " | ".join(str(len(papers[s])) for s in PAPERS) + " |")
    return lines


def summary():
    """One sentence: how many of the papers' claims are met."""
    words = Counter(v.word for of_paper in judged().values() for v, _ in of_paper)
    judgements = [words[w] for w in (verdict.MET, verdict.ORDERING, verdict.NOT_REPRODUCED)]
    return (
        f"Of the {sum(words.values())} claims of the five papers {sum(judgements)} are judged: {judgements[0]} are met, "
        f"{judgements[1]} show the paper's direction only, and {judgements[2]} are not reproduced."
    )


def _compared(claim):
    return compared(claim.subject, claim.baseline)


def compared(subject, baseline):
    return subject + (f" / {baseline}" if baseline else "")


def _paper(claim):
    return stated(claim.relation, f"{claim.expected:.4g}")


def _number(value):
    return "-" if value is None else f"{value:.4g}"


def _figures(v):
    """The median over the seeds, and how far apart they are."""
    if len(v.figures) < 2 or min(v.figures) == max(v.figures):
        return _number(v.ours)
    return f"{_number(v.ours)} ({_number(min(v.figures))} to {_number(max(v.figures))})"


def page():
    """docs/accuracy.md: each claim with our figure at the paper's scale and at the quick one."""
    papers, quick, sources = judged(), recorded("quick"), rows_of(QUICK)
    lines = [*HEAD.splitlines(), "", summary(), "", *counts(papers)]
    for system, name in PAPERS.items():
        lines += [
            "",
            f"## {name}, claim by claim",
            "",
            "| claim | stated in | metric | paper | ours | effect | verdict | figure from | quick | study |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for v, row in papers[system]:
            c, small = v.claim, quick.get(v.claim.id)
            where = ", ".join(filter(None, (row["scale"] or "no scale", row["workloads"])))
            lines.append(
                f"| {c.id} | {c.stated_in} | {c.metric}, {_compared(c)} | {_paper(c)} | {_figures(v)} | "
                f"{'-' if v.share is None else f'{v.share:.0%}'} | {v.text} | {where}: {row['source']} | "
                f"{_number(small and small.ours)} | {sources[c.id]['source'] if c.id in sources else '-'} |"
            )
    return "\n".join(lines) + "\n"
