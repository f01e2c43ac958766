"""Claims of papers, and what a figure of ours says about them.

    claim = verdict.claims("ohm")["ohm-05"]      # a row of claims/ohm.csv
    verdict.judge(claim, [1.02, 1.03]).word      # a figure of each seed: 'ordering only'

A verdict is about the effect. A paper that states a gain of 21 % states a ratio of 1.21; a ratio of 1.027 is an
eighth of that effect and not met, although the two ratios lie within 20 % of each other. A share above a half is
judged by what it leaves: 99.9 % of hits are 0.1 % of misses, and 81 % are far from it.
"""
import csv
import dataclasses
import functools
import math
import statistics
from pathlib import Path

from ..errors import PACKAGE, did_you_mean, user_error
from ..results.claims import CHANGES, COLUMNS, stated

TOLERANCE = 0.2  # of the effect, of an absolute value, or of what a share leaves of the whole
POINTS = 0.02  # of a ratio: where a fifth of the effect is less, and for what is to be equal
BER_TOLERANCE = 0.033  # of a bit-error rate, in dB of light: the spread of the paper's own rates
BER_LIMIT = 1e-15  # what every bit-error rate must be below, whatever it is compared with

# What a claim's relation and value say about the ratio (or value) that is measured.
EXPECTED = {
    "gain": lambda v: 1 + v / 100,
    "reduction": lambda v: 1 - v / 100,
    "ratio": lambda v: v,
    "equal": lambda v: v,
    "absolute": lambda v: v,
    "above": lambda v: v,
    "below": lambda v: v,
}

# How our figure comes about (docs/studies.md). Only a measured one can be met.
LABELS = (
    "measured",  # a simulation gives it, and nothing was chosen for it
    "calibrated",  # what decides it was chosen for it, or changed after it had been seen
    "computed",  # it follows from layouts, prices or formulas
    "by construction",
)  # it restates an input, or follows from how the machine is built
MET, ORDERING, NOT_REPRODUCED = "met", "ordering only", "not reproduced"
TOO_SMALL, NOT_MODELLED, NOT_JUDGED = "too small to judge", "not modelled", "not judged"
WORDS = (MET, ORDERING, NOT_REPRODUCED, *LABELS[1:], TOO_SMALL, NOT_MODELLED, NOT_JUDGED)


@dataclasses.dataclass(frozen=True)
class Claim:
    """One figure that a paper states. `value` is as printed there."""

    id: str
    figure: str
    workloads: str
    metric: str
    subject: str
    baseline: str
    relation: str
    value: float
    unit: str
    label: str  # of LABELS
    deviation: str = ""  # its number in docs/deviations.md, once there is one

    @property
    def stated_in(self):
        """Where the paper says it, and of which workloads if not of all: 'Fig. 16a', 'Fig. 8, bfs mis color'."""
        where = f"Fig. {self.figure}" if self.figure[:1].isdigit() else self.figure
        return where if self.workloads in ("", "-", "all") else f"{where}, {self.workloads}"

    @property
    def expected(self):
        """What a figure of ours is compared with: the ratio of subject to baseline, or the value itself."""
        return EXPECTED[self.relation](self.value)

    @property
    def effect(self):
        """The change from 1 that the paper states; None where it states a value, equality or an order."""
        return self.expected - 1 if self.relation in CHANGES else None

    def share(self, ours):
        """What part of the paper's effect our figure shows: 1 is all of it, below 0 the wrong direction."""
        return (ours - 1) / self.effect + 0.0 if self.effect else None  # + 0.0: no share of -0 %

    def compare(self, ours):
        """MET, ORDERING (the paper's direction, another size) or NOT_REPRODUCED, whatever the label."""
        paper, effect = self.expected, self.effect
        if effect:
            if (ours - 1) * effect <= 0:
                return NOT_REPRODUCED
            return MET if within(ours, paper, max(POINTS, TOLERANCE * abs(effect))) else ORDERING
        if self.relation == "above":
            met = ours > paper
        elif self.relation == "below":
            met = ours < paper
        elif self.relation == "equal":
            met = within(ours, paper, 100 * POINTS if self.unit == "%" else POINTS)
        elif self.unit == "BER":  # by the light that it takes: rates differ by a factor for 0.05 dB
            met = ours < BER_LIMIT and abs(decibels(ours, paper)) <= BER_TOLERANCE
        elif self.unit == "%" and paper > 50:  # 80 % of hits have not a fifth more misses than 99.9 %, but 200 times
            met = within(ours, paper, max(100 * POINTS, TOLERANCE * (100 - paper)))
        else:
            met = within(ours, paper, TOLERANCE * abs(paper))
        return MET if met else NOT_REPRODUCED

    def compare_seeds(self, figures):
        """compare() of the median. A direction that not all seeds have is none."""
        word = self.compare(statistics.median(figures))
        astray = word == ORDERING and any(self.share(figure) <= 0 for figure in figures)
        return NOT_REPRODUCED if astray else word


def within(ours, paper, margin):
    """Whether they differ by at most the margin; what binary fractions lose does not count."""
    return abs(ours - paper) <= margin * (1 + 1e-9)


def decibels(rate, other):
    """By how many dB of light two bit-error rates of a thermally limited receiver differ."""
    q, q_other = (-statistics.NormalDist().inv_cdf(r) for r in (rate, other))
    return 10 * math.log10(q / q_other)


@functools.cache
def claims(system):
    """The claims of one paper by id."""
    path = Path(PACKAGE) / "claims" / f"{system}.csv"
    if not path.exists():
        known = sorted(p.stem for p in path.parent.glob("*.csv"))
        raise user_error(f"there are no claims of '{system}'{did_you_mean(system, known)}: of " f"{', '.join(known)}")
    with path.open(newline="") as file:
        return {row["id"]: Claim(**{**row, "value": float(row["value"])}) for row in csv.DictReader(file)}


@functools.cache
def places():
    """{id: where the paper says it}, of the claims of all papers."""
    return {
        id: claim.stated_in
        for path in (Path(PACKAGE) / "claims").glob("*.csv")
        for id, claim in claims(path.stem).items()
    }


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A claim, our figures for it, one of each seed (none: nothing was measured), and the word."""

    claim: Claim
    figures: tuple
    word: str  # of WORDS

    @property
    def ours(self):
        """The median over the seeds: one unusual input does not move it, and the median of a ratio is the
        inverse of its inverse's."""
        return statistics.median(self.figures) if self.figures else None

    @property
    def comparison(self):
        """What the comparison alone says, whatever the label and the scale."""
        return self.claim.compare_seeds(self.figures) if self.figures else None

    @property
    def share(self):
        return self.claim.share(self.ours) if self.figures else None

    @property
    def error(self):
        paper = self.claim.expected
        return self.ours / paper - 1 if self.figures and paper else None

    @property
    def text(self):
        """The word; of what is no verdict of the model what the comparison says; the deviation's number."""
        met = self.comparison == MET
        notes = [] if self.comparison in (self.word, None) else [self.comparison]
        if self.claim.deviation and not met:
            notes.append(self.claim.deviation)
        return self.word + (f" ({', '.join(notes)})" if notes else "")


def judge(claim, figures, small=False):
    """The verdict on a claim by our figures, one of each seed. `small`: of a machine or of a choice of
    workloads from which no claim is judged."""
    figures = tuple(map(float, figures))
    if not figures:
        word = NOT_MODELLED
    elif claim.label != "measured":
        word = claim.label
    else:
        word = TOO_SMALL if small else claim.compare_seeds(figures)
    return Verdict(claim, figures, word)


def report(verdicts):
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


def store(database, study, verdicts):
    """Writes the verdicts of a study into the table `claim`, which gets the columns that it lacks; what
    stands there of the same claims is replaced."""
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
