"""A figure of a paper: runs its points, prints its tables and judges its claims.

A function of special.py is given the Figure; command.py runs it.
"""

import argparse
import dataclasses
import functools
import math
import os
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from ..run.session import session
from .assumptions import Assumption
from . import combine
from .metric import Run, convert, root
from .paper import Paper
from .options import limit, preview
from .study import Point, Study
from .tables import ClaimTable, FigureTable, Points

__all__ = ["ClaimTable", "Figure", "Points", "config", "limit"]  # names that special.py of a paper imports


class Figure(Study):
    """Points identified by mode (if the paper has several), platform with its variant, and workload; by other keys if
    special.py adds the points."""

    def __init__(self, paper: Paper, table: FigureTable, args: argparse.Namespace) -> None:
        super().__init__(paper.name, table.name, jobs=args.jobs, seeds=getattr(args, "seeds", 1))
        self.paper, self.table_of, self.args = paper, table, args
        self.every: list[str] = getattr(args, "all_workloads", [])
        self.workloads: list[str] = getattr(args, "workloads", [])
        self.preview = table.scaled and preview(args, self.every)
        self.index = list(paper.table.index)
        self.shown: dict[str, None] = {}  # metrics that were printed, in order
        self.swept: list[Assumption] = []  # values of assumptions, in a sweep
        self._machines: dict[int, tuple[str, str]] = {}  # platform and mode of each point
        self._frames: dict[int, Any] = {}  # by seed

    @property
    def folder(self) -> str:
        return os.path.join(session.options.outdir, self.paper.name, self.name)

    # ---- points ----------------------------------------------------------------------------------

    def add(self, points: Points) -> None:
        """Adds each platform on each workload, in each mode."""
        options = self.options
        for one in points.expanded():
            for mode in one.modes or list(self.paper.table.modes) or [""]:
                for platform in one.platforms:
                    for workload in self._of_points(one):
                        words = dict(options, platform=platform, workload=workload, scale=self.args.scale, mode=mode)
                        parameters = self.parameters(one)
                        self._add_point(dataclasses.replace(one, parameters=parameters), words | parameters)

    @property
    def options(self) -> dict[str, Any]:
        """The values of the options of this figure and of its paper."""
        given = self.table_of.options | self.paper.table.options
        return {name: getattr(self.args, name.replace("-", "_"), None) for name in given}

    def parameters(self, points: Points) -> dict[str, str]:
        """The parameters of points, with the options that their values name."""
        return {name: value.format_map(self.options) for name, value in points.parameters.items()}

    def _of_points(self, points: Points) -> list[str]:
        if not points.workloads:
            return self.workloads
        return self.paper.workloads(points.workloads, self.paper.place(self.name))

    def _add_point(self, points: Points, words: dict[str, Any]) -> None:
        paper, platform, mode = self.paper.table, words["platform"], words["mode"]
        script = points.script or paper.modes.get(paper.modeless.get(platform, mode), paper.script)
        given = [
            word
            for name, option in paper.options.items()
            if words[name] not in (None, option.default)
            for word in option.arguments
        ]
        arguments = [*(points.base or paper.arguments), *limit(self.args), *given, *points.arguments]
        keys = {"mode": mode} if paper.modes else {}
        keys |= {"platform": points.label(platform, paper.parameters), "workload": words["workload"]}
        before = len(self.points)
        self.point(
            config(script),
            *(str(word).format_map(words) for word in arguments),
            options=[
                *points.options,
                *(word for change in points.set for word in ("--set", change.format_map(words))),
            ],
            seeded=points.seeded or words["workload"] not in paper.seedless,
            **{key: keys.get(key, "") for key in self.index if key in keys or key == "variant"},
        )
        for point in self.points[before:]:
            self._machines[id(point)] = platform, mode

    # ---- measurements ----------------------------------------------------------------------------

    def run_of(self, point: Point) -> Run:
        """The finished run of a point."""
        platform, mode = self._machines.get(id(point), ("", ""))
        return Run(self.database, point.run, point.keys, platform, mode)

    def runs(self, **keys: object) -> Iterable[Run]:
        """The runs of the selected seed whose points have these keys."""
        return [self.run_of(p) for p in self.selected if all(p.keys[k] == v for k, v in keys.items())]

    @property
    def frame(self) -> Any:
        """All metrics of the selected seed: a pandas table by `index`."""
        import pandas

        if self.seed not in self._frames:
            metrics = self.paper.metrics.values()
            rows = [
                dict(point.keys, **keys, **{m.name: m.of(part) for m in metrics})
                for point in self.selected
                for keys, part in self.paper.parts(self.run_of(point))
            ]
            self._frames[self.seed] = pandas.DataFrame(rows).set_index(self.index).sort_index()
        return self._frames[self.seed]

    def data(self) -> Any:
        import pandas

        if not self._machines:
            return super().data()
        frames: list[Any] = self.over_seeds(lambda: self.frame)
        data = pandas.concat(dict(zip(self.seeds, frames)), names=["seed"]).reset_index()
        first = ["seed", *self.index, *self.shown]  # the metrics that the figure prints come first
        return data[first + [name for name in data if name not in first]]

    def labels(self, mode: str = "") -> list[str]:
        """The platforms, with their variants, of one mode or of all."""
        found = [p.keys["platform"] for p in self.points if not mode or p.keys["mode"] == mode]
        return list(dict.fromkeys(found))

    # ---- claims ----------------------------------------------------------------------------------

    def judge(self, *ids: str) -> None:
        """Judges claims. Claims without a measurement here are not modelled."""
        for id in ids:
            found = self.over_seeds(functools.partial(self.measured, id))
            ours = [x for x in found if x is not None and not math.isnan(x)]
            self.claim(id, ours) if len(ours) == len(found) else self.not_modelled(id)

    def _judge(self, id: str, figures: Sequence[float]) -> None:
        """Whether a claim is judged: all of its own workloads, or else all over which the figure averages, were run,
        and its requirements are met."""
        before = self.preview
        claim = self.paper.claims.get(id)
        if claim and claim.workloads and self.table_of.scaled:
            self.preview = preview(self.args, self.paper.workloads(claim.workloads, self.paper.place(id)))
        if claim and claim.requires and not self.paper.special(claim.requires, self.paper.place(id))(self, claim):
            self.preview = True
        super()._judge(id, figures)
        self.preview = before

    def measured(self, id: str, variant: str = "") -> float | None:
        """Our figure for a claim, for the selected seed. None or NaN if a platform or all of its workloads are missing.
        With a variant: of the platforms with this variant, if they were added."""
        claim = self.paper.claims[id]
        place = self.paper.place(id, "claims.toml")
        if claim.combine and claim.combine not in combine.NAMES:
            value: float | None = self.paper.special(claim.combine, place)(self, claim, variant)
            return value
        found = [self.compare(claim, mode, variant) for mode in claim.modes or list(self.paper.table.modes) or [""]]
        values = [value for value in found if value is not None]
        if len(values) < len(found):
            return None
        if len(values) == 1:
            return values[0]
        return math.prod(values) ** (1 / len(values)) if claim.baseline else statistics.fmean(values)

    def chosen(self, claim: ClaimTable) -> list[str]:
        """The workloads of a claim that are run."""
        own = self.paper.workloads(claim.workloads, self.paper.place(claim.id)) if claim.workloads else self.workloads
        return [w for w in self.workloads if w in own]

    def compare(self, claim: ClaimTable, mode: str = "", variant: str = "") -> float | None:
        """A claim's metric of its subject, compared with its baseline if it has one, in one mode."""
        there = self.labels(mode)
        subject, baseline = (p + variant if p + variant in there else p for p in (claim.subject, claim.baseline))
        chosen = self.chosen(claim)
        if not chosen or not {subject, baseline or subject} <= set(there):
            return None
        column = self.frame[claim.metric]
        column = column.loc[mode] if mode else column
        ours, unit = column.loc[subject].loc[chosen], self.paper.metrics[claim.metric].unit
        if not baseline:
            return convert(combine.ALONE[claim.combine or "mean"](ours), unit, claim.unit)
        return combine.COMPARED[claim.combine or self.paper.table.combine](ours, column.loc[baseline].loc[chosen])

    # ---- output ----------------------------------------------------------------------------------

    def show_all(self) -> None:
        for show in self.table_of.show:
            if show.text:
                print(show.text)
            if show.metric:
                self.show(show.metric, show.relative_to)
            if show.function:
                self.paper.special(show.function, self.paper.place(self.name))(self)

    def show(self, metric: str, relative_to: str = "") -> None:
        """Prints tables of text, one per mode: platforms by workloads, and means."""
        self.shown[metric] = None
        rows = self.frame[metric].unstack("workload")[self.workloads]
        for mode in rows.index.unique("mode") if self.paper.table.modes else [""]:
            heading = f"{metric}, {mode}" if mode else metric
            self.show_rows(heading, rows.loc[mode] if mode else rows, self.labels(mode), relative_to)
        if below := getattr(self.paper.submodule("special"), "below", None):
            below(self, metric, relative_to)

    def show_rows(self, heading: str, rows: Any, platforms: Iterable[str], relative_to: str = "") -> None:
        """Prints the rows of a table, and means() of each row."""
        width = self.paper.table.width
        base = rows.loc[relative_to] if relative_to in rows.index else None
        shown = {p: self.means(rows.loc[p], base) for p in platforms}
        print(
            f"{heading + (f', of {relative_to}' if base is not None else ''):28}"
            + "".join(f"{w[:width - 1]:>{width}}" for w in rows)
            + "".join(f"{h:>16}" for h in next(iter(shown.values())))
        )
        for platform, means in shown.items():
            row = rows.loc[platform] if base is None else rows.loc[platform] / base
            print(
                f"{platform:28}"
                + "".join(f"{x:{width}.3g}" for x in row)
                + "".join(f"{x:16.3g}" for x in means.values())
            )

    def means(self, row: Any, base: Any) -> dict[str, float]:
        """The columns that show() prints after a platform's values, by heading: the paper's mean, or the result of
        `means` of its special.py. base: values of another platform."""
        if own := getattr(self.paper.submodule("special"), "means", None):
            found: dict[str, float] = own(row, base)
            return found
        return {"mean": float(row.mean()) if base is None else combine.COMPARED[self.paper.table.combine](row, base)}


def config(name: str) -> str:
    """The path of a script of configs."""
    return str(root() / "configs" / name)
