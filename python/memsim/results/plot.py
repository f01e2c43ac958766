"""Plots of figures, by matplotlib. Each function writes a file and returns its path. The ending of the path, .svg,
.png or .pdf, selects the format.

    plot.lines("out/hits.svg", {"bfs": table}, "MiB of DRAM", "hit ratio")
    plot.bars("out/ipc.png", table, "instructions a cycle, of ohm-base's", reference=1)
    plot.stacks("out/latency.pdf", table, "mean ns of a request")
    plot.points("out/load.svg", {"ohm-base": (x, y)}, "GB/s", "ns")
    plot.places("out/cost.svg", {"hbm": (17500, 69)}, "dollars", "us")

A table is a pandas.DataFrame. An index entry is a name in the legend (of stacks: a bar), a column a place on the x axis
(of stacks: a part of each bar). All functions raise Error if the file cannot be written.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import user_error
from ..files import check_output, os_error

Table: TypeAlias = Any  # a pandas.DataFrame; Debian has no type stubs of pandas
Place: TypeAlias = str | os.PathLike[str]

ENDINGS = ".svg", ".png", ".pdf"
WIDEST = 14  # inches
MOST_NAMED = 12  # lines of a panel that a legend can still name


def _figure(width: float, height: float) -> Any:
    """A matplotlib Figure; sizes in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise user_error(
            "plots require Debian's python3-matplotlib: run util/run once, which installs it, and use "
            "/usr/bin/python3"
        ) from None
    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: Place) -> Place:
    """Writes a figure, with one legend if all its panels have the same lines."""
    if Path(path).suffix not in ENDINGS:
        raise user_error(f"{path}: plots are written as {', '.join(ENDINGS)}: use one of these endings")
    check_output(path)
    handles, names = figure.axes[0].get_legend_handles_labels()
    named = [at for at in figure.axes if at.get_legend_handles_labels()[1]]
    if any(at.get_legend_handles_labels()[1] != names for at in named):
        for at in named:
            at.legend(fontsize=7)
    elif len(names) > 1:
        fit = int(10 * figure.get_figwidth() / (max(map(len, names)) + 5))
        figure.legend(
            handles, names, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=max(1, min(len(names), 6, fit))  # below
        )
    folder = Path(path).parent
    os_error(lambda: folder.mkdir(parents=True, exist_ok=True), path)
    dated = {"metadata": {"Date": None}} if Path(path).suffix == ".svg" else {}
    from matplotlib import rc_context

    def save() -> None:
        with rc_context({"svg.hashsalt": "memsim"}):  # the same identifiers each time
            figure.savefig(path, bbox_inches="tight", dpi=150, **dated)

    os_error(save, path)
    return path


def lines(path: Place, panels: Mapping[str, Table], x: str, y: str | Sequence[str], log: str = "") -> Place:
    """Draws panels side by side, with a line for each row of the panel's table.

    panels   {title: table}
    x, y     labels of the axes; y may be a list with a label for each panel
    log      logarithmic axes: "", "x", "y" or "xy"
    """
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = _figure(4 * columns + 2 * (len(panels) == 1), 3 * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True).flat
    for (title, table), text in zip(panels.items(), [y] * len(panels) if isinstance(y, str) else y):
        at = next(axes)
        for name, row in table.iterrows():
            at.plot(list(row.index), list(row.values), marker=".", label=name if len(table) <= MOST_NAMED else None)
        at.set(title=title + (f" ({len(table)} lines)" if len(table) > MOST_NAMED else ""), xlabel=x, ylabel=text)
        if "x" in log:
            at.set_xscale("log", base=2)
        if "y" in log:
            at.set_yscale("log")
    for unused in axes:
        unused.set_axis_off()
    return _save(figure, path)


def bars(
    path: Place,
    table: Table,
    y: str,
    reference: float | None = None,
    log: bool = False,
    title: str = "",
    spread: Sequence[Table] | None = None,
) -> Place:
    """Draws a group of bars for each column, with a bar for each row.

    y          label of the axis, which is logarithmic with `log`
    reference  a value marked by a dashed line
    spread     tables of the lowest and of the highest values, drawn as error bars
    """
    figure = _figure(min(WIDEST, max(5, 0.25 * table.size + 0.5 * len(table.columns) + 1)), 4)
    at = figure.subplots()
    width = 0.8 / len(table)
    for i, (name, row) in enumerate(table.iterrows()):
        errors = None
        if spread is not None:
            least, greatest = (of.loc[name].reindex(row.index).fillna(row) for of in spread)
            errors = [list((row - least).clip(0)), list((greatest - row).clip(0))]
        at.bar(
            [x + (i - (len(table) - 1) / 2) * width for x in range(len(row))],
            list(row),
            width,
            label=name,
            yerr=errors,
            capsize=2,
        )
    if reference is not None:
        at.axhline(reference, color="black", linewidth=0.8, linestyle="--")
    if log:
        at.set_yscale("log")
    many = max((len(str(c)) for c in table.columns), default=0) * len(table.columns) > 9 * figure.get_figwidth()
    at.set_xticks(range(len(table.columns)), table.columns, rotation=90 if many else 0)
    at.set_xlim(-0.6, len(table.columns) - 0.4)
    at.set(title=title)
    at.set_ylabel(y, wrap=True)
    return _save(figure, path)


def beside(path: Place, panels: Mapping[str, Table], title: str = "") -> Place:
    """Draws values as horizontal bars, labelled with the value.

    panels  {unit: table}, one below the other, each with its own axis. A column is a line of text with a bar for each
            row of the table.
    """
    rows = [len(table.columns) for table in panels.values()]
    figure = _figure(9, 1.2 + 0.6 * sum(rows) + 0.6 * len(rows))
    for at, (unit, table) in zip(
        figure.subplots(len(panels), 1, squeeze=False, height_ratios=rows).flat, panels.items()
    ):
        height = 0.8 / len(table)
        for i, (name, row) in enumerate(table.iterrows()):
            drawn = at.barh(
                [y + (i - (len(table) - 1) / 2) * height for y in range(len(row))], list(row), height, label=name
            )
            at.bar_label(drawn, fmt=" %.4g", fontsize=8)
        at.set_yticks(range(len(table.columns)), table.columns, fontsize=8)
        at.invert_yaxis()
        at.margins(x=0.12)
        at.set(xlabel=unit)
    figure.suptitle(title, wrap=True)
    return _save(figure, path)


def stacks(path: Place, table: Table, y: str) -> Place:
    """Draws a bar for each row, made of the row's values. `y` is the label of the axis."""
    figure = _figure(min(WIDEST, max(5, 0.8 * len(table) + 2)), 4)
    at = figure.subplots()
    below = [0.0] * len(table)
    for i, part in enumerate(table.columns):
        heights = list(table[part])
        at.bar(list(table.index), heights, 0.7, bottom=below, label=part, color=f"C{i % 10}", hatch="//" * (i // 10))
        below = [b + h for b, h in zip(below, heights)]
    longest = max(max(map(len, str(name).split("\n"))) for name in table.index)
    at.tick_params(axis="x", rotation=90 if longest * len(table) > 9 * figure.get_figwidth() else 0)
    at.set(ylabel=y)
    return _save(figure, path)


def points(
    path: Place, groups: Mapping[str, tuple[Iterable[float], Iterable[float]]], x: str, y: str, log: bool = False
) -> Place:
    """Draws the points of each group, joined in the order of x.

    groups  {name: (xs, ys)}
    x, y    labels of the axes; the y axis is logarithmic with `log`
    """
    figure = _figure(6, 4)
    at = figure.subplots()
    for name, (xs, ys) in groups.items():
        pairs = sorted(zip(xs, ys))
        at.plot([p[0] for p in pairs], [p[1] for p in pairs], marker="o", label=name)
    at.set(xlabel=x, ylabel=y)
    if log:
        at.set_yscale("log")
    else:
        at.margins(y=0.1)
        at.set_ylim(bottom=0)
    return _save(figure, path)


def places(path: Place, named: Mapping[str, tuple[float, float]], x: str, y: str) -> Place:
    """Draws a point for each name, with the name beside it, on logarithmic axes. Names of points within 15 % of each
    other share a label.

    named  {name: (x, y)}
    x, y   labels of the axes
    """
    figure = _figure(11, 5)
    at = figure.subplots()
    labels: dict[tuple[float, float], list[str]] = {}
    for name, (right, up) in named.items():
        close = (p for p in labels if abs(p[0] / right - 1) < 0.15 and abs(p[1] / up - 1) < 0.15)
        labels.setdefault(next(close, (right, up)), []).append(name)
    for right, up in named.values():
        at.plot(right, up, marker="o", color="C0")
    for place, names in labels.items():
        at.annotate("\n".join(reversed(names)), place, (5, 4), textcoords="offset points", fontsize=7)
    at.set(xlabel=x, ylabel=y, xscale="log", yscale="log")
    at.margins(x=0.15, y=0.08)
    return _save(figure, path)
