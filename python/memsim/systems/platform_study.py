"""A study whose points are a paper's platforms running its workloads: what the points.py of every system builds on."""

import math
import sys
from pathlib import Path

from .. import study


def config(name):
    """A script of configs, as seen from a study in configs/studies/<system>."""
    return Path(sys.argv[0]).resolve().parents[2] / name


class PlatformStudy(study.Study):
    """Points by `index`: platform (with its variant, if any) and workload, perhaps more before them.

    A system's own class says what a run shows (`metrics`) and what a claim compares (`measured`).
    """

    system = ""  # of claims/<system>.csv
    index = "platform", "workload"
    width = 10   # of a column of show()
    shown = ()   # metrics that show() printed, in order

    def __init__(self, name, args, every):
        """args: what study.add_options() parsed, and `workloads`; every: the workloads over which the paper averages"""
        super().__init__(self.system, name, jobs=args.jobs, seeds=args.seeds)
        self.args = args
        self.tables = {}  # by seed
        self.preview = study.preview(args, every)

    def metrics(self, point):
        """What the figures show of a finished point, by name."""
        raise NotImplementedError

    def rows(self, point):
        """Rows of the table that a finished point gives: one, unless a run says more."""
        return [self.metrics(point)]

    def measured(self, id):
        """What we have for a claim, of the seed that is looked at; None or NaN if a platform or all of its workloads are
        not there."""
        raise NotImplementedError

    def run(self):
        import pandas
        spent = super().run()
        tables = self.over_seeds(lambda: pandas.DataFrame(
            [dict(p.keys, **row) for p in self.selected for row in self.rows(p)]).set_index(list(self.index)).sort_index())
        self.tables = dict(zip(self.seeds, tables))
        return spent

    @property
    def table(self):
        """The metrics of the seed that is looked at, by `index`."""
        return self.tables[self.seed]

    def data(self):
        import pandas
        data = pandas.concat(self.tables, names=["seed"]).reset_index()
        first = ["seed", *self.index, *dict.fromkeys(self.shown)]  # what the figure is about comes first
        return data[first + [name for name in data if name not in first]]

    def judge(self, *ids):
        """Judges claims; those that nothing here measures are not modelled."""
        for id in ids:
            ours = self.over_seeds(lambda: self.measured(id))
            there = all(x is not None and not math.isnan(x) for x in ours)
            self.claim(id, ours) if there else self.not_modelled(id)

    def means(self, row, base):
        """The means that show() prints of a platform's values over workloads, by heading; base: another platform's."""
        return {"mean": row.mean() if base is None else self.mean_ratio(row, base)}

    def show(self, metric, relative_to=None):
        """Prints a table of text: platforms by workloads, and means."""
        self.shown = *self.shown, metric
        rows = self.table[metric].unstack("workload")[self.args.workloads]
        self.show_rows(metric, rows, dict.fromkeys(p.keys["platform"] for p in self.points), relative_to)

    def show_rows(self, heading, rows, platforms, relative_to):
        base = rows.loc[relative_to] if relative_to in rows.index else None
        shown = {p: self.means(rows.loc[p], base) for p in platforms}
        print(f"{heading + (f', of {relative_to}' if base is not None else ''):28}"
              + "".join(f"{w[:self.width - 1]:>{self.width}}" for w in rows)
              + "".join(f"{h:>16}" for h in next(iter(shown.values()))))
        for platform, means in shown.items():
            row = rows.loc[platform] if base is None else rows.loc[platform] / base
            print(f"{platform:28}" + "".join(f"{x:{self.width}.3g}" for x in row)
                  + "".join(f"{x:16.3g}" for x in means.values()))
