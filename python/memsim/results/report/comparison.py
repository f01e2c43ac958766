"""Runs beside each other: how they are called, where their parameters and results differ."""
from . import quantities
from .groups import pattern
from .run_data import combined
from .tables import MAIN_PARTS

MOST_ROWS = 500


def labels(runs):
    """Each run's script, if there are several, and those of its arguments that not all have; its id where that says
    nothing."""
    words = [_words(run) for run in runs]
    common = set.intersection(*map(set, words)) if len(runs) > 1 else set().union(*words)
    scripts = [run.info["name"] for run in runs]
    names = [
        " ".join([script] * (len(set(scripts)) > 1) + [w for w in of if w not in common]) or script
        for script, of in zip(scripts, words)
    ]
    return [f"{name} ({run.id[:8]})" if names.count(name) > 1 else name for name, run in zip(names, runs)]


def _words(run):
    """Its arguments as the script has them, defaults included; else those of its command line."""
    if not run.arguments:
        return _options(run.argv)
    return [f"{name} {value}" for name, value in run.arguments.items() if value not in (None, False, [])]


def _options(argv):
    """Options with their values: ['--scale tiny', '--fast']."""
    words = []
    for argument in argv:
        if words and words[-1].startswith("-") and " " not in words[-1] and not argument.startswith("-"):
            words[-1] += f" {argument}"
        else:
            words.append(argument)
    return words


def parameters(runs):
    """[(group, name, [text of each run])] of those that differ, of objects that the first run has."""
    return [
        (*key, [", ".join(text) if text else "–" for text in texts])
        for key, texts in _by_key(runs, lambda run: run.parameters, _texts).items()
        if texts[0] and any(text != texts[0] for text in texts)
    ]


def _texts(alike):
    return list(dict.fromkeys(p.text or "–" for p in alike))


def statistics(runs):
    """[(group, name, [text of each run], [change from the first run], [value])] of those that the first run has and that
    differ, the largest change first."""
    rows = []
    for (group, name), found in _by_key(runs, lambda run: run.values, _sample).items():
        if not found[0]:
            continue
        values = [sample and sample[0] for sample in found]
        unit, part = found[0][1:]
        if part not in MAIN_PARTS or all(value == values[0] for value in values):
            continue
        changes = [None if not values[0] or value is None else value / values[0] - 1 for value in values]
        size = max((abs(c) for c in changes if c is not None), default=0)
        rows.append((size, (group, name, [quantities.quantity(v, unit) for v in values], changes, values)))
    rows.sort(key=lambda row: -row[0])
    return [row for _, row in rows[:MOST_ROWS]]


def _sample(alike):
    return combined(alike), alike[0].unit, alike[0].part


def _by_key(runs, entries, made_of):
    """{(group, name): [what is made of each run's alike entries, or None]}"""
    found = {}
    for at, run in enumerate(runs):
        alike = {}
        for entry in entries(run):
            alike.setdefault((pattern(entry.path), entry.name), []).append(entry)
        for key, group in alike.items():
            found.setdefault(key, [None] * len(runs))[at] = made_of(group)
    return found
