"""Plots of figures, by matplotlib: each function writes a file, whose ending says what it is: .svg, .png or .pdf.

    plot.lines("out/hits.svg", {"bfs": table}, "MiB of DRAM", "hit ratio")
    plot.bars("out/ipc.png", table, "instructions a cycle, of ohm-base's", reference=1)
    plot.stacks("out/latency.pdf", table, "mean ns of a request")
    plot.points("out/load.svg", {"ohm-base": (x, y)}, "GB/s", "ns")

A table is one of pandas: an index entry is a name in the legend (of stacks: a bar), a column a place on the x axis
(of stacks: a part of each bar).
"""

from pathlib import Path

from ..errors import user_error
from ..files import check_output, os_error

ENDINGS = ".svg", ".png", ".pdf"
WIDEST = 14  # inches
MOST_NAMED = 12  # lines of a panel beyond which a legend says nothing


def _figure(width, height):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise user_error(
            "plots need Debian's python3-matplotlib: run util/run once, which installs it, and use " "/usr/bin/python3"
        ) from None
    return Figure(figsize=(width, height), layout="constrained")


def _save(figure, path):
    if Path(path).suffix not in ENDINGS:
        raise user_error(f"{path}: a plot is written as {', '.join(ENDINGS)}: name a file that ends so")
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
    os_error(lambda: Path(path).parent.mkdir(parents=True, exist_ok=True), path)
    os_error(
        lambda: figure.savefig(
            path, bbox_inches="tight", dpi=150, metadata={"Date": None} if str(path).endswith(".svg") else None
        ),
        path,
    )
    return path


def lines(path, panels, x, y, log=""):
    """One panel beside the other, a line for each row of its table.

    path     of the file
    panels   {title: table}
    x, y     texts of the axes; y may be a list, a text for each panel
    log      axes that are logarithmic: "", "x", "y" or "xy"

    Returns the path.
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


def bars(path, table, y, reference=None, log=False, title="", spread=None):
    """A group of bars for each column, a bar in it for each row. reference: a value with a line across. spread: the tables of
    the least and the greatest values, drawn as error bars."""
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


def beside(path, panels, title=""):
    """Values beside each other, as bars that lie: panels {unit: table}, one below the other, each with an axis of its
    own; a column is a line of text, a row of the table a bar at it. Bars have their value behind them."""
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


def stacks(path, table, y):
    """A bar for each row, its parts one on the other."""
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


def points(path, groups, x, y, log=False):
    """Points of each group, joined in the order of x. groups: {name: (xs, ys)}. log: of the y axis."""
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
