"""Claims of papers, and the comparison of our figures with them.

    claim = claims("ohm")["ohm-05"]              # of memsim.study.claims
    verdict.judge(claim, [1.02, 1.03]).word      # a figure of each seed: 'ordering only'

A verdict refers to the effect. A gain of 21 % is a ratio of 1.21; a ratio of 1.027 is an eighth of that effect and does
not meet the claim, although the two ratios differ by less than 20 %. A share above a half is judged by its complement:
99.9 % of hits are 0.1 % of misses, which differs widely from 81 % of hits.
"""
import dataclasses
import math
import re
import statistics
import sys
from collections.abc import Callable, Sequence

from ..results.claims import CHANGES


TOLERANCE = 0.2  # of the effect, of an absolute value, or of the complement of a share
POINTS = 0.02  # of a ratio: where a fifth of the effect is less, and for equality
BER_TOLERANCE = 0.033  # of a bit-error rate, in dB of light: the spread of the paper's own rates
BER_LIMIT = 1e-15  # upper limit of every bit-error rate, regardless of the comparison

# A claim's relation and value as conditions on the measured ratio (or value).
EXPECTED: dict[str, Callable[[float], float]] = {
    "gain": lambda v: 1 + v / 100,
    "reduction": lambda v: 1 - v / 100,
    "ratio": lambda v: v,
    "equal": lambda v: v,
    "absolute": lambda v: v,
    "above": lambda v: v,
    "below": lambda v: v,
}

# The origin of our figure (docs/studies.md). Only a measured one can meet a claim.
LABELS = (
    "measured",  # the result of a simulation; no parameter was chosen for it
    "calibrated",  # a decisive parameter was chosen for it, or changed after it was seen
    "used",  # a value of the machine was inferred from it
    "computed",  # it follows from layouts, prices or formulas
    "by construction",  # it restates an input, or follows from how the machine is built
)
MET, ORDERING, NOT_REPRODUCED = "met", "ordering only", "not reproduced"
TOO_SMALL, NOT_MODELLED, NOT_JUDGED = "too small to judge", "not modelled", "not judged"
WORDS = (MET, ORDERING, NOT_REPRODUCED, *LABELS[1:], TOO_SMALL, NOT_MODELLED, NOT_JUDGED)


@dataclasses.dataclass(frozen=True)
class Claim:
    """A figure stated by a paper. `value` is as printed there."""

    id: str
    stated_in: str  # 'Fig. 16a', 'Fig. 8, bfs mis color': with the workloads if not all
    metric: str
    subject: str
    baseline: str
    relation: str
    value: float
    unit: str
    label: str  # of LABELS
    deviation: str = ""  # its number in docs/deviations.md, if any

    @property
    def expected(self) -> float:
        """The value compared with our figure: the ratio of subject to baseline, or the value itself."""
        return EXPECTED[self.relation](self.value)

    @property
    def effect(self) -> float | None:
        """The change from 1 that the paper states; None if it states a value, equality or an order."""
        return self.expected - 1 if self.relation in CHANGES else None

    def share(self, ours: float) -> float | None:
        """The share of the paper's effect that our figure shows: 1 is all of it, below 0 the wrong direction."""
        return (ours - 1) / self.effect + 0.0 if self.effect else None  # + 0.0 avoids a share of -0 %

    def compare(self, ours: float) -> str:
        """MET, ORDERING (the paper's direction, another size) or NOT_REPRODUCED, regardless of the label."""
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
        elif self.unit == "BER":  # compared by received light: rates differ by a factor for 0.05 dB
            met = ours < BER_LIMIT and abs(decibels(ours, paper)) <= BER_TOLERANCE
        elif self.unit == "%" and paper > 50:
            # By the complement: 80 % of hits are 200 times the misses of 99.9 %.
            met = within(ours, paper, max(100 * POINTS, TOLERANCE * (100 - paper)))
        else:
            met = within(ours, paper, TOLERANCE * abs(paper))
        return MET if met else NOT_REPRODUCED

    def compare_seeds(self, figures: Sequence[float]) -> str:
        """compare() of the median. A direction counts only if all seeds have it."""
        word = self.compare(statistics.median(figures))
        astray = word == ORDERING and any((self.share(figure) or 0) <= 0 for figure in figures)
        return NOT_REPRODUCED if astray else word


def within(ours: float, paper: float, margin: float) -> bool:
    """Whether both differ by at most the margin, up to rounding of binary fractions."""
    return abs(ours - paper) <= margin * (1 + 1e-9)


def decibels(rate: float, other: float) -> float:
    """The difference in received light, in dB, between two bit-error rates of a thermally limited receiver."""
    q, q_other = (-statistics.NormalDist().inv_cdf(max(r, sys.float_info.min)) for r in (rate, other))
    return 10 * math.log10(q / q_other)


def first_sentence(text: str) -> str:
    """The title of a figure: the first sentence of its text, such as 'Fig. 10 of ZnG: ...'."""
    found = re.match(r"(Figs?\.? )?.*?(\. |$)", " ".join(text.strip().split("\n\n")[0].split()))
    return found[0].strip() if found else ""


@dataclasses.dataclass(frozen=True)
class Envelope:
    """Of a claim's figure while each assumption alone takes each of its other values."""

    claim: str
    ours: float  # with all assumptions as they are
    least: float
    greatest: float
    assumption: str  # that moves it most, with the value; none where nothing moves it
    verdict: str  # that the comparison would give under it
    scale: str = ""
    workloads: str = ""  # that were run
    swept: int = 0  # values of assumptions

    @property
    def text(self) -> str:
        """The figure with its least and greatest value, and the assumption that moves it most."""
        moved = f", most by {self.assumption}: {self.verdict}" if self.assumption else ""
        where = ", ".join(filter(None, (self.scale, self.workloads)))
        return f"{self.ours:.4g} ({self.least:.4g} to {self.greatest:.4g}{moved}; {where})"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A claim, our figures for it, one per seed (none: nothing was measured), and the word."""

    claim: Claim
    figures: tuple[float, ...]
    word: str  # of WORDS
    envelope: Envelope | None = None  # where the assumptions were swept

    @property
    def ours(self) -> float | None:
        """The median over the seeds: a single unusual input does not change it, and the median of a ratio is the
        inverse of the median of the inverse ratio."""
        return statistics.median(self.figures) if self.figures else None

    @property
    def comparison(self) -> str | None:
        """The result of the comparison alone, regardless of label and scale."""
        return self.claim.compare_seeds(self.figures) if self.figures else None

    @property
    def share(self) -> float | None:
        return None if self.ours is None else self.claim.share(self.ours)

    @property
    def error(self) -> float | None:
        paper = self.claim.expected
        return self.ours / paper - 1 if self.ours is not None and paper else None

    @property
    def text(self) -> str:
        """The word, the comparison if the word is not a verdict, and the deviation's number."""
        met = self.comparison == MET
        notes = [self.comparison] if self.comparison and self.comparison != self.word else []
        if self.claim.deviation and not met:
            notes.append(self.claim.deviation)
        return self.word + (f" ({', '.join(notes)})" if notes else "")


def judge(claim: Claim, figures: Sequence[float], small: bool = False) -> Verdict:
    """The verdict on a claim by our figures, one per seed. `small`: they are from a machine or a choice of workloads
    from which claims are not judged."""
    figures = tuple(map(float, figures))
    if not figures:
        word = NOT_MODELLED
    elif claim.label != "measured":
        word = claim.label
    else:
        word = TOO_SMALL if small else claim.compare_seeds(figures)
    return Verdict(claim, figures, word)


def compared(subject: str, baseline: str) -> str:
    """The compared quantities of a claim, as text."""
    return subject + (f" / {baseline}" if baseline else "")
