"""The plots of the page, as plain values for Chart.js."""
import math
import statistics
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ..stages import along_the_way
from .groups import pattern
from .run_data import RunData
from .tables import MAIN_PARTS

Points: TypeAlias = list[tuple[int, float]]  # (tick, value)
MOST_LINES, MOST_POINTS = 8, 800
# Unit of a statistic -> (factor, unit of an axis).
AXES: dict[str, tuple[float, str]] = {
    "Count": (1, ""),
    "Ratio": (1, ""),
    "ns": (1e-3, "µs"),
    "Byte/s": (1e-9, "GB/s"),
    "Cycle": (1, "cycles"),
}


def series(run: RunData) -> list[dict[str, Any]]:
    """[{title, unit, main, lines: [{label, points: [[ms, value]]}], note}], one for each statistic of a group, with a
    line for each element of a list."""
    grouped: dict[tuple[str, str], tuple[str, list[tuple[str, Points]]]] = {}
    for (path, name), (unit, points) in run.series.items():
        label = path if pattern(name) == name else f"{path} {name}"
        grouped.setdefault((pattern(path), pattern(name)), (unit, []))[1].append((label, points))
    plots = []
    for (group, name), (unit, lines) in grouped.items():
        scale, shown = AXES.get(unit, (1, unit))
        notes = []
        if len(lines) > MOST_LINES:
            notes.append(f"mean, lowest and highest of {len(lines)}")
            lines = _summary(lines)
        step = -(-max(len(points) for _, points in lines) // MOST_POINTS)
        if step > 1:
            notes.append(f"each point is the mean of {step} samples")
        alone = len(lines) == 1
        plots.append(
            dict(
                title=f"{lines[0][0].partition(' ')[0] if alone else group} {name}",
                unit=shown,
                note="; ".join(notes),
                main=name.rpartition(".")[2] in MAIN_PARTS or "." not in name,
                lines=[dict(label=label, points=_thinned(points, step, scale)) for label, points in lines],
            )
        )
    return plots


def _summary(lines: list[tuple[str, Points]]) -> list[tuple[str, Points]]:
    at: dict[int, list[float]] = {}
    for _, points in lines:
        for tick, value in points:
            at.setdefault(tick, []).append(value)
    ways: dict[str, Callable[[list[float]], float]] = {"mean": statistics.fmean, "lowest": min, "highest": max}
    return [(label, [(tick, how(at[tick])) for tick in sorted(at)]) for label, how in ways.items()]


def _thinned(points: Points, step: int, scale: float) -> list[list[float | None]]:
    parts = [points[i : i + step] for i in range(0, len(points), step)]
    return [[short(part[-1][0] * 1e-12), short(sum(v for _, v in part) / len(part) * scale)] for part in parts]


def short(value: float | None) -> float | None:
    """The value with six digits; None for no value and for one beyond a double."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")


def latency_stack(runs: list[RunData], labels: list[str]) -> Any:
    """The mean time of a request in each stage, in ns, of the runs whose requests were stamped."""
    return _stack([(label, run.stages) for run, label in zip(runs, labels)], "ns per request", along_the_way)


def energy_stack(runs: list[RunData], labels: list[str]) -> Any:
    """The energy of each part, in µJ, of the runs whose energy is known."""
    made = [(label, {part: nj * 1e-3 for part, nj in run.energy.items()}) for run, label in zip(runs, labels)]
    return _stack(made, "µJ", lambda names: sorted(names, key=lambda name: -max(of.get(name, 0) for _, of in made)))


def _stack(rows: list[tuple[str, dict[str, float]]], unit: str, in_order: Callable[[Iterable[str]], list[str]]) -> Any:
    """{unit, bars: [label], parts: [{label, values}]}; [] if no run has any."""
    rows = [(label, parts) for label, parts in rows if parts]
    order = in_order(dict.fromkeys(name for _, parts in rows for name in parts))
    return rows and dict(
        unit=unit,
        bars=[label for label, _ in rows],
        parts=[dict(label=name, values=[short(parts.get(name, 0)) for _, parts in rows]) for name in order],
    )
