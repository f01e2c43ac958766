"""Plots of figures, by matplotlib: `plot.lines(path, panels, ...)` writes a file that any browser shows."""

from pathlib import Path

from .errors import user_error


def lines(path, panels, x, y, log=""):
    """One panel beside the other, a line for each row of its table.

    path     of the file; its ending says what it is: .svg, .png or .pdf
    panels   {title: pandas table}: an index entry is a line's name, a column a place on the x axis
    x, y     texts of the axes
    log      axes that are logarithmic: "", "x", "y" or "xy"

    Returns the path.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise user_error("plots need Debian's python3-matplotlib: run util/run once, which installs it, and use "
                         "/usr/bin/python3") from None
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4 * columns, 3 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True).flat
    for title, table in panels.items():
        at = next(axes)
        for name, row in table.iterrows():
            at.plot(list(row.index), list(row.values), marker=".", label=name)
        at.set(title=title, xlabel=x, ylabel=y)
        if "x" in log:
            at.set_xscale("log", base=2)
        if "y" in log:
            at.set_yscale("log")
    for unused in axes:
        unused.set_axis_off()
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=len(names))  # below all panels
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if str(path).endswith(".svg") else None)
    return path
