"""Writes the verdicts on all claims into docs/studies.md, from docs/judged.csv and the claims of each paper.

    build/memsim util/verdicts.py docs/studies.md

docs/judged.csv holds our last figure for each claim: at which scale, on which workloads if not all over which
the paper averages, and where it comes from. The text between the two markers is replaced.
"""
import csv
import sys
from collections import Counter
from pathlib import Path

from memsim import verdict

BEGIN, END = "<!-- verdicts: written by util/verdicts.py -->\n", "<!-- end of verdicts -->\n"
PAPERS = {"ohm": "Ohm-GPU", "zng": "ZnG", "cmd": "CMD", "cxl_gpu": "CXL-GPU", "sap": "SAP"}
WHOLE = "", "judge"  # scales at which a claim is judged: none, or the paper's


def judged():
    """The verdicts by paper, each with its row of docs/judged.csv."""
    with (Path(__file__).parents[1] / "docs/judged.csv").open(newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    return {system: [(judge(claim, rows[id]), rows[id]) for id, claim in verdict.claims(system).items()]
            for system in PAPERS}


def judge(claim, row):
    """The verdict on a claim by its row; one without a figure keeps its label, or is not judged."""
    if not row["ours"]:
        word = verdict.NOT_JUDGED if claim.label == "measured" else claim.label
        return verdict.Verdict(claim, (), word)
    return verdict.judge(claim, [row["ours"]], small=row["scale"] not in WHOLE or bool(row["workloads"]))


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


def table(verdicts):
    """A row a claim."""
    lines = ["| claim | metric | paper | ours | effect | verdict | figure from |", "|---|---|---|---|---|---|---|"]
    for v, row in verdicts:
        c = v.claim
        compared = c.subject + (f" / {c.baseline}" if c.baseline else "")
        paper = f"{c.relation} " * (c.relation in ("above", "below")) + f"{c.expected:.4g}"
        where = ", ".join(filter(None, (row["scale"] or "no scale", row["workloads"])))
        lines.append(f"| {c.id} | {c.metric}, {compared} | {paper} | "
                     f"{'-' if v.ours is None else f'{v.ours:.4g}'} | "
                     f"{'-' if v.share is None else f'{v.share:.0%}'} | {v.text} | {where}: {row['source']} |")
    return lines


def section():
    """The text between the markers."""
    papers = judged()
    lines = [*counts(papers)]
    for system, name in PAPERS.items():
        lines += ["", f"### {name}, claim by claim", "", *table(papers[system])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    document = Path(sys.argv[1])
    text = document.read_text()
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(f"{document} has no place for the verdicts: it needs the lines {BEGIN!r} and {END!r}.")
    document.write_text(before + BEGIN + section() + END + after)
