"""Combines the values of a claim's subject and baseline on each workload into one figure."""

import math
from collections.abc import Callable
from typing import Any

from ..errors import user_error

Series = Any  # of pandas: a value for each workload


def geometric_mean_of_ratios(subject: Series, baseline: Series) -> float:
    """Workloads in which both are 0 are ignored."""
    pairs = [(s, b) for s, b in zip(subject, baseline.loc[subject.index]) if s or b]
    if any(not b for _, b in pairs):
        raise user_error("a ratio to 0: the baseline is 0 but the subject is not")
    if any(not s for s, _ in pairs):
        return 0.0
    return math.exp(sum(math.log(s / b) for s, b in pairs) / len(pairs)) if pairs else 1.0


def mean_of_ratios(subject: Series, baseline: Series) -> float:
    """The arithmetic mean; workloads in which the baseline is 0 are ignored."""
    ratios = (subject / baseline)[baseline != 0]
    return float(ratios.mean()) if len(ratios) else math.nan


def ratio_of_means(subject: Series, baseline: Series) -> float:
    return float(subject.mean() / baseline.mean()) if baseline.mean() else math.nan


def farthest(ratios: Series) -> float:
    """The ratio with the largest distance from 1."""
    return float(max(map(float, ratios), key=lambda ratio: abs(ratio - 1)))


# Without a baseline: combinations of the subject's values.
ALONE: dict[str, Callable[[Series], float]] = {
    "mean": lambda subject: float(subject.mean()),
    "most": lambda subject: float(subject.max()),
    "least": lambda subject: float(subject.min()),
}
# With a baseline: combinations of both.
COMPARED: dict[str, Callable[[Series, Series], float]] = {
    "geometric mean of ratios": geometric_mean_of_ratios,
    "mean of ratios": mean_of_ratios,
    "mean of inverse ratios": lambda subject, baseline: mean_of_ratios(baseline, subject),
    "ratio of means": ratio_of_means,
    "most of ratios": lambda subject, baseline: float((subject / baseline).max()),
    "most of inverse ratios": lambda subject, baseline: float((baseline / subject).max()),
    "least of ratios": lambda subject, baseline: float((subject / baseline).min()),
    "farthest of ratios": lambda subject, baseline: farthest(subject / baseline),
}
NAMES = (*ALONE, *COMPARED)
