"""Claims of papers, and how a figure of ours compares with them.

    claim = claims("ohm")["ohm-05"]              # of memsim.study.claims
    verdict.judge(claim, [1.02, 1.03]).word      # a figure of each seed: 'ordering only'

A verdict is about the effect. A paper that states a gain of 21 % states a ratio of 1.21; a ratio of 1.027 is an
eighth of that effect and not met, although the two ratios lie within 20 % of each other. A share above a half is
judged by what it leaves: 99.9 % of hits are 0.1 % of misses, and 81 % are far from it.
"""
import dataclasses
import math
import re
import statistics
from collections.abc import Callable, Sequence

from ..results.claims import CHANGES


TOLERANCE = 0.2  # of the effect, of an absolute value, or of what a share leaves of the whole
POINTS = 0.02  # of a ratio: where a fifth of the effect is less, and for what is to be equal
BER_TOLERANCE = 0.033  # of a bit-error rate, in dB of light: the spread of the paper's own rates
BER_LIMIT = 1e-15  # what every bit-error rate must be below, whatever it is compared with

# What a claim's relation and value say about the ratio (or value) that is measured.
EXPECTED: dict[str, Callable[[float], float]] = {
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
    "used",  # a value of the machine was inferred from it
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
    stated_in: str  # 'Fig. 16a', 'Fig. 8, bfs mis color': of which workloads if not of all
    metric: str
    subject: str
    baseline: str
    relation: str
    value: float
    unit: str
    label: str  # of LABELS
    deviation: str = ""  # its number in docs/deviations.md, once there is one

    @property
    def expected(self) -> float:
        """What a figure of ours is compared with: the ratio of subject to baseline, or the value itself."""
        return EXPECTED[self.relation](self.value)

    @property
    def effect(self) -> float | None:
        """The change from 1 that the paper states; None where it states a value, equality or an order."""
        return self.expected - 1 if self.relation in CHANGES else None

    def share(self, ours: float) -> float | None:
        """What part of the paper's effect our figure shows: 1 is all of it, below 0 the wrong direction."""
        return (ours - 1) / self.effect + 0.0 if self.effect else None  # + 0.0: no share of -0 %

    def compare(self, ours: float) -> str:
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

    def compare_seeds(self, figures: Sequence[float]) -> str:
        """compare() of the median. A direction that not all seeds have is none."""
        word = self.compare(statistics.median(figures))
        astray = word == ORDERING and any((self.share(figure) or 0) <= 0 for figure in figures)
        return NOT_REPRODUCED if astray else word


def within(ours: float, paper: float, margin: float) -> bool:
    """Whether they differ by at most the margin; what binary fractions lose does not count."""
    return abs(ours - paper) <= margin * (1 + 1e-9)


def decibels(rate: float, other: float) -> float:
    """By how many dB of light two bit-error rates of a thermally limited receiver differ."""
    q, q_other = (-statistics.NormalDist().inv_cdf(r) for r in (rate, other))
    return 10 * math.log10(q / q_other)


def first_sentence(text: str) -> str:
    """Of a figure's text, its title: 'Fig. 10 of ZnG: ...'."""
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
    """A claim, our figures for it, one of each seed (none: nothing was measured), and the word."""

    claim: Claim
    figures: tuple[float, ...]
    word: str  # of WORDS
    envelope: Envelope | None = None  # where the assumptions were swept

    @property
    def ours(self) -> float | None:
        """The median over the seeds: one unusual input does not move it, and the median of a ratio is the
        inverse of its inverse's."""
        return statistics.median(self.figures) if self.figures else None

    @property
    def comparison(self) -> str | None:
        """The result of the comparison alone, whatever the label and the scale."""
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
        """The word; of what is no verdict of the model the comparison; the deviation's number."""
        met = self.comparison == MET
        notes = [self.comparison] if self.comparison and self.comparison != self.word else []
        if self.claim.deviation and not met:
            notes.append(self.claim.deviation)
        return self.word + (f" ({', '.join(notes)})" if notes else "")


def judge(claim: Claim, figures: Sequence[float], small: bool = False) -> Verdict:
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


def compared(subject: str, baseline: str) -> str:
    """What a claim compares, as text."""
    return subject + (f" / {baseline}" if baseline else "")
