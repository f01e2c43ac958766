"""The drawings of `memsim reproduce` for a figure: claims.svg, our figures and the paper's, and data.svg."""

from pathlib import Path
from typing import Any

from ..results import plot
from ..results.claims import stated, unit_of
from . import claimed, verdict
from .catalog import Known


def draw(figure: Known, rows: list[dict[str, Any]], folder: Path) -> None:
    """claims.csv and claims.svg: the paper's values and ours, with a panel for each unit."""
    import pandas

    columns = (
        "id",
        "metric",
        "subject",
        "baseline",
        "relation",
        "unit",
        "paper",
        "ours",
        "lowest",
        "highest",
        "seeds",
        "comparison",
        "verdict",
        "deviation",
    )
    pandas.DataFrame(rows, columns=[*columns]).to_csv(folder / "claims.csv", index=False)
    panels: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows:
        if row["ours"] is not None:
            unit = unit_of(row["relation"], row["unit"])
            bound = stated(row["relation"], "").strip()
            name = f"{row['metric']}, {verdict.compared(row['subject'], row['baseline'])}"
            panels.setdefault({"×": "ratio", "": "count"}.get(unit, unit), {})[
                f"{name}\n({row['id']}, {claimed.places()[row['id']]}{', paper: ' + bound if bound else ''})"
            ] = (row["paper"], row["ours"])
    if panels:
        plot.beside(
            folder / "claims.svg",
            {unit: pandas.DataFrame(of, index=["paper", "ours"]) for unit, of in panels.items()},
            title=figure.title.rstrip("."),
        )


def draw_data(figure: Known, folder: Path) -> None:
    """data.svg of a study with a row for each workload on each platform or policy: the first metric that the study
    prints, as the mean over the seeds."""
    import pandas

    data = pandas.read_csv(folder / "data.csv") if (folder / "data.csv").exists() else pandas.DataFrame()
    by = next((name for name in ("platform", "policy") if name in data), None)
    if not by or "workload" not in data:
        return
    figures = data.select_dtypes("number").columns.drop("seed", errors="ignore")
    metric = next(iter(figures), None)
    more = [name for name in data.select_dtypes(exclude="number") if name not in (by, "workload", "run")]
    groups = data.fillna({name: "" for name in more}).groupby([by, *more, "workload"], sort=False)
    if metric and groups.size().max() == max(1, data.get("seed", pandas.Series([1])).nunique()):
        table = groups[metric].mean().unstack([*more, "workload"])
        table.columns = [" ".join(filter(None, map(str, c))) if more else c for c in table.columns]
        plot.bars(folder / "data.svg", table, metric, title=figure.title.rstrip("."))
