"""A study whose points are a paper's platforms running its workloads: what the points.py of every system builds on."""

import math
import statistics
import sys
from pathlib import Path

from . import study


def config(name):
    """A script of configs, as seen from a study in configs/studies/<system>."""
    return Path(sys.argv[0]).resolve().parents[2] / name


class PlatformStudy(study.Study):
    """Points by `index`: platform (with its variant, if any) and workload, perhaps more before them.

    A system's own class says what a run shows (`metrics`) and what a claim compares (`measured`).
    """

    system = ""  # of claims/<system>.csv
    index = "platform", "workload"
    width = 10  # of a column of show()
    shown = ()  # metrics that show() printed, in order

    def __init__(self, name, args, every):
        """args: what study.add_options() parsed, and `workloads`; every: the workloads over which the paper averages"""
        super().__init__(self.system, name, jobs=args.jobs, seeds=args.seeds)
        self.args = args
        self.frames = {}  # by seed
        self.preview = study.preview(args, every)

    def metrics(self, point):
        """What the figures show of a finished point, by name."""
        raise NotImplementedError

    def rows(self, point):
        """Rows of the table that a finished point gives: one, unless a run says more."""
        return [self.metrics(point)]

    def measured(self, id, variant=""):
        """What we have for a claim, of the seed that is looked at; None or NaN if a platform or all of its workloads are
        not there. With a variant: of the platforms with it, where they were added."""
        raise NotImplementedError

    def of_variant(self, variant, *platforms):
        """These platforms with the variant where points of it were added, without it elsewhere; None for None."""
        there = {p.keys["platform"] for p in self.points}
        return [p and (p + variant if p + variant in there else p) for p in platforms]

    def run(self):
        import pandas

        spent = super().run()
        frames = self.over_seeds(
            lambda: pandas.DataFrame([dict(p.keys, **row) for p in self.selected for row in self.rows(p)])
            .set_index(list(self.index))
            .sort_index()
        )
        self.frames = dict(zip(self.seeds, frames))
        return spent

    @property
    def frame(self):
        """What metrics() gave of the seed that is looked at: a pandas table by `index`."""
        return self.frames[self.seed]

    def data(self):
        import pandas

        data = pandas.concat(self.frames, names=["seed"]).reset_index()
        first = ["seed", *self.index, *dict.fromkeys(self.shown)]  # what the figure is about comes first
        return data[first + [name for name in data if name not in first]]

    def judge(self, *ids):
        """Judges claims; those that nothing here measures are not modelled."""
        for id in ids:
            ours = self.over_seeds(lambda: self.measured(id))
            there = all(x is not None and not math.isnan(x) for x in ours)
            self.claim(id, ours) if there else self.not_modelled(id)

    def show_moved(self, ids, variants, moves=0.05):
        """Prints, for each variant of the points, the claims whose figure it moves by more than a share of `moves`, with the
        verdict that they would then have."""

        def figure(id, variant=""):
            found = self.over_seeds(lambda: self.measured(id, variant))
            return None if None in found else statistics.median(found)

        default = {id: figure(id) for id in ids}
        print(f"{'assumption':34} claims that it moves: paper, default -> here")
        for variant in dict.fromkeys(variants):
            moved = []
            for id, before in default.items():
                after, claim = before and figure(id, variant), study.claims(self.system)[id]
                if before and abs(after / before - 1) > moves:
                    moved.append(f"{id} {claim.expected:.3g}: {before:.3g} -> {after:.3g} " f"({claim.compare(after)})")
            print(f"{variant.strip():34} " + ("; ".join(moved) or "none"))

    def means(self, row, base):
        """The means that show() prints of a platform's values over workloads, by heading; base: another platform's."""
        return {"mean": row.mean() if base is None else self.mean_ratio(row, base)}

    def show(self, metric, relative_to=None):
        """Prints a table of text: platforms by workloads, and means."""
        self.shown = *self.shown, metric
        rows = self.frame[metric].unstack("workload")[self.args.workloads]
        self.show_rows(metric, rows, dict.fromkeys(p.keys["platform"] for p in self.points), relative_to)

    def show_rows(self, heading, rows, platforms, relative_to):
        base = rows.loc[relative_to] if relative_to in rows.index else None
        shown = {p: self.means(rows.loc[p], base) for p in platforms}
        print(
            f"{heading + (f', of {relative_to}' if base is not None else ''):28}"
            + "".join(f"{w[:self.width - 1]:>{self.width}}" for w in rows)
            + "".join(f"{h:>16}" for h in next(iter(shown.values())))
        )
        for platform, means in shown.items():
            row = rows.loc[platform] if base is None else rows.loc[platform] / base
            print(
                f"{platform:28}"
                + "".join(f"{x:{self.width}.3g}" for x in row)
                + "".join(f"{x:16.3g}" for x in means.values())
            )
