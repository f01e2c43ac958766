"""Comparison of runs: their names, and the parameters and statistics in which they differ."""
from collections.abc import Callable, Iterable
from typing import TypeVar

from . import quantities
from .groups import pattern
from .run_data import Parameter, RunData, Value, combined
from .tables import MAIN_PARTS

MOST_ROWS = 500
E = TypeVar("E", Value, Parameter)
T = TypeVar("T")


def labels(runs: list[RunData]) -> list[str]:
    """Names of runs: the script if there are several scripts, the arguments that not all runs have, and the id if names
    are equal otherwise."""
    words = [_words(run) for run in runs]
    sets = [set(of) for of in words]
    common = set.intersection(*sets) if len(runs) > 1 else set().union(*sets)
    scripts = [run.info["name"] for run in runs]
    names = [
        " ".join([script] * (len(set(scripts)) > 1) + [w for w in of if w not in common]) or script
        for script, of in zip(scripts, words)
    ]
    return [f"{name} ({run.id[:8]})" if names.count(name) > 1 else name for name, run in zip(names, runs)]


def _words(run: RunData) -> list[str]:
    """The script's arguments, defaults included; otherwise those of its command line."""
    if not run.arguments:
        return _options(run.argv)
    return [f"{name} {value}" for name, value in run.arguments.items() if value not in (None, False, [])]


def _options(argv: list[str]) -> list[str]:
    """Options with their values: ['--scale tiny', '--fast']."""
    words: list[str] = []
    for argument in argv:
        if words and words[-1].startswith("-") and " " not in words[-1] and not argument.startswith("-"):
            words[-1] += f" {argument}"
        else:
            words.append(argument)
    return words


def parameters(runs: list[RunData]) -> list[tuple[str, str, list[str]]]:
    """[(group, name, [text of each run])] of the parameters that differ, of objects that the first run has."""
    return [
        (*key, [", ".join(text) if text else "–" for text in texts])
        for key, texts in _by_key(runs, lambda run: run.parameters, _texts).items()
        if texts[0] and any(text != texts[0] for text in texts)
    ]


def _texts(alike: list[Parameter]) -> list[str]:
    return list(dict.fromkeys(p.text or "–" for p in alike))


def statistics(runs: list[RunData]) -> list[tuple[str, str, list[str], list[float | None], list[float | None]]]:
    """[(group, name, [text of each run], [change from the first run], [value])] of the statistics that differ and that
    the first run has, the largest change first."""
    rows = []
    for (group, name), found in _by_key(runs, lambda run: run.values, _sample).items():
        first = found[0]
        if not first:
            continue
        values = [sample[0] if sample else None for sample in found]
        unit, part = first[1:]
        if part not in MAIN_PARTS or all(value == values[0] for value in values):
            continue
        base = values[0]
        changes = [None if not base or value is None else value / base - 1 for value in values]
        size = max((abs(c) for c in changes if c is not None), default=0)
        rows.append((size, (group, name, [quantities.quantity(v, unit) for v in values], changes, values)))
    rows.sort(key=lambda row: -row[0])
    return [row for _, row in rows[:MOST_ROWS]]


def _sample(alike: list[Value]) -> tuple[float, str, str]:
    """(value, unit, part)."""
    return combined(alike), alike[0].unit, alike[0].part


def _by_key(
    runs: list[RunData], entries: Callable[[RunData], Iterable[E]], made_of: Callable[[list[E]], T]
) -> dict[tuple[str, str], list[T | None]]:
    """{(group, name): [made_of(entries of the group) for each run, or None]}"""
    found: dict[tuple[str, str], list[T | None]] = {}
    for at, run in enumerate(runs):
        alike: dict[tuple[str, str], list[E]] = {}
        for entry in entries(run):
            alike.setdefault((pattern(entry.path), entry.name), []).append(entry)
        for key, group in alike.items():
            found.setdefault(key, [None] * len(runs))[at] = made_of(group)
    return found
