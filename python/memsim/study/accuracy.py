"""docs/accuracy.md: the verdicts on all claims, as tables, from the files of docs/results."""

import re
from collections import Counter
from collections.abc import Iterable

from ..results.claims import stated
from . import results, verdict
from .metric import root
from .claimed import APART, PAPERS, SYSTEMS, claims

PAGE = root() / "docs" / "accuracy.md"
README = root() / "README.md"
JUDGEMENTS = (verdict.MET, verdict.ORDERING, verdict.NOT_REPRODUCED)
Judged = dict[str, list[tuple[verdict.Verdict, dict[str, str]]]]  # by paper
PLACE = re.compile(r"(?<=^<!-- accuracy -->\n).*?(?=^<!-- end of accuracy -->$)", re.M | re.S)  # of the README
HEAD = """# Accuracy

Every number that the five papers state about their systems, beside ours; then those of papers that model no system of
memsim, which are counted on their own. `memsim reproduce --page` writes this page from the files of
`docs/results/<paper>`:

- `judged.csv`: our last value for each claim, at the paper's scale (judge) unless another one is named; of several
  seeds the median, with the least and the greatest value.
- `quick.csv`: the values of `memsim reproduce all --scale quick --record`. They show that everything runs and that
  nothing has moved; no claim is judged by them.
- `half.csv`, `twice.csv`: values at half and at twice of the judged inputs. Values that differ much from the judged
  ones depend on the size of the inputs.
- `sensitivity.csv`: the envelopes of `memsim reproduce FIGURE --envelope --record`: the least and the greatest value
  while each assumption alone takes its other values, and the assumption that moves the value most.

[studies.md](studies.md#verdicts) defines verdicts, and [deviations.md](deviations.md) explains differences.
[models/ohm-readings.md](models/ohm-readings.md) and [models/zng-readings.md](models/zng-readings.md) give the sources
of the models' readings.
"""


def counts(papers: Judged, chosen: Iterable[str]) -> list[str]:
    """The number of claims with each verdict, of the chosen papers; for those without a verdict, the result of the
    comparison."""
    names = list(chosen)
    lines = ["| verdict | " + " | ".join(PAPERS[name] for name in names) + " |", "|---|" + "---|" * len(names)]
    for word in verdict.WORDS:
        cells = []
        for system in names:
            found = [v for v, _ in papers[system] if v.word == word]
            inside = Counter(v.comparison or "no figure" for v in found if v.comparison != word)
            named = ", ".join(f"{n} {what}" for what, n in sorted(inside.items()))
            cells.append(f"{len(found)}" + (f" ({named})" if named and word != verdict.NOT_JUDGED else ""))
        lines.append(f"| {word} | " + " | ".join(cells) + " |")
    lines.append("| **claims** | " + " | ".join(str(len(papers[s])) for s in names) + " |")
    return lines


def summary() -> str:
    """One sentence: the number of claims of memsim's systems that are met."""
    papers = results.judged()
    return _sentence("the five papers", [papers[system] for system in SYSTEMS])


def apart() -> list[str]:
    """The same for each paper that is about no system of memsim."""
    papers = results.judged()
    return [_sentence(what, [papers[name]]) for name, what in APART.items()]


def _sentence(what: str, judged: Iterable[list[tuple[verdict.Verdict, dict[str, str]]]]) -> str:
    words = Counter(v.word for of_paper in judged for v, _ in of_paper)
    judgements = [words[w] for w in JUDGEMENTS]
    return (
        f"Of the {sum(words.values())} claims of {what} {sum(judgements)} are judged: {judgements[0]} are "
        f"met, {judgements[1]} show the paper's ordering only, and {judgements[2]} are not reproduced."
    )


def block() -> str:
    """The README's block: the sentence of summary(), the verdicts on the judged claims of each paper, and the sentences
    of apart()."""
    lines = [summary(), "", "| paper | claims | judged | " + " | ".join(JUDGEMENTS) + " |", "|---|" + "---|" * 5]
    judged = results.judged()
    for system, title in SYSTEMS.items():
        words = Counter(v.word for v, _ in judged[system])
        cells = [len(judged[system]), sum(words[w] for w in JUDGEMENTS), *(words[w] for w in JUDGEMENTS)]
        lines.append(f"| {title} | " + " | ".join(map(str, cells)) + " |")
    for sentence in apart():
        lines += ["", sentence]
    return "\n".join(lines) + "\n"


def write() -> None:
    """Writes docs/accuracy.md and the README's block."""
    PAGE.write_text(page())
    text = README.read_text()
    README.write_text(PLACE.sub(lambda _: block(), text))


def _paper(claim: verdict.Claim) -> str:
    return str(stated(claim.relation, f"{claim.expected:.4g}"))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _figures(v: verdict.Verdict) -> str:
    """The median over the seeds, and their range."""
    if len(v.figures) < 2 or min(v.figures) == max(v.figures):
        return _number(v.ours)
    return f"{_number(v.ours)} ({_number(min(v.figures))} to {_number(max(v.figures))})"


def page() -> str:
    """docs/accuracy.md: each claim with our figure at the paper's scale and at the quick scale."""
    papers, quick = results.judged(), results.recorded("quick")
    lines = [*HEAD.splitlines(), "", summary(), "", *counts(papers, SYSTEMS)]
    for name, sentence in zip(APART, apart()):
        lines += ["", sentence, "", *counts(papers, [name])]
    for system, name in PAPERS.items():
        swept = any(v.envelope for v, _ in papers[system])
        sources = results.rows_of(results.file_of(system, "quick"))
        lines += [
            "",
            f"## {name}, claim by claim",
            "",
            "| claim | stated in | metric | paper | ours | effect | verdict | figure from | quick | study |"
            + (" envelope |" if swept else ""),
            "|---|---|---|---|---|---|---|---|---|---|" + ("---|" if swept else ""),
        ]
        for v, row in papers[system]:
            c, small = v.claim, quick.get(v.claim.id)
            where = ", ".join(filter(None, (row["scale"] or "no scale", row["workloads"])))
            lines.append(
                f"| {c.id} | {c.stated_in} | {c.metric}, {verdict.compared(c.subject, c.baseline)} | {_paper(c)} | "
                f"{_figures(v)} | {'-' if v.share is None else f'{v.share:.0%}'} | {v.text} | "
                f"{where}: {row['source']} | "
                f"{_number(small.ours if small else None)} | {sources[c.id]['source'] if c.id in sources else '-'} |"
                + (f" {v.envelope.text if v.envelope else '-'} |" if swept else "")
            )
        lines += sizes(system, name)
    return "\n".join(lines) + "\n"


def sizes(system: str, name: str) -> list[str]:
    """A table of the claims of a paper that were measured at half or at twice of the judged inputs."""
    at = {scale: results.recorded(scale) for scale in ("half", "judge", "twice")}
    ids = [id for id in claims(system) if id in at["half"] or id in at["twice"]]
    if not ids:
        return []
    lines = [
        "",
        f"### {name}: other sizes of inputs",
        "",
        "| claim | paper | half | judged | twice |",
        "|---|---|---|---|---|",
    ]
    for id in ids:
        cells = [_figures(at[scale][id]) if id in at[scale] else "-" for scale in at]
        lines.append(f"| {id} | {_paper(claims(system)[id])} | {' | '.join(cells)} |")
    return lines
