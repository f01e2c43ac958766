"""The points of Ohm-GPU's figures, which the studies of configs/studies/ohm share: a platform in a mode
running a workload of Table II.

    args = points.arguments(__doc__)
    fig = points.Points("fig17", args)
    fig.add("planar", "hetero", "ohm-base")
    fig.run()
    fig.judge("ohm-04")
    fig.close()
"""

import math

from ...study import study
from ...run.options import script_parser
from ...systems.platform_study import PlatformStudy, config
from . import cost, energy
from .workloads import TABLE_II

SCRIPTS = {"planar": "ohm_planar.py", "two-level": "ohm_two_level.py"}
MODES = tuple(SCRIPTS)
PLANAR, TWO_LEVEL = (MODES[0],), (MODES[1],)

# What the claims compare: metric, modes (the mean over both where the paper gives one figure), subject and
# baseline; a platform's variants are named by the study that adds them. Without a baseline a claim is the
# subject's mean over workloads, here in percent.
CLAIMS = {
    "ohm-01": ("ipc", MODES, "ohm-bw", "origin"),
    "ohm-02": ("ipc", MODES, "ohm-bw", "ohm-base"),
    "ohm-03": ("ipc", MODES, "origin", "hetero"),
    "ohm-04": ("ipc", MODES, "ohm-base", "hetero"),
    "ohm-05": ("ipc", PLANAR, "auto-rw", "ohm-base"),
    "ohm-06": ("ipc", TWO_LEVEL, "auto-rw", "ohm-base"),
    "ohm-07": ("ipc", PLANAR, "ohm-wom", "auto-rw"),
    "ohm-08": ("ipc", TWO_LEVEL, "ohm-wom", "auto-rw"),
    "ohm-09": ("ipc", PLANAR, "ohm-bw", "ohm-wom"),
    "ohm-10": ("ipc", MODES, "ohm-bw", "oracle"),
    "ohm-11": ("migration", PLANAR, "ohm-base", None),
    "ohm-12": ("migration", TWO_LEVEL, "ohm-base", None),
    "ohm-13": ("latency", PLANAR, "ohm-base", "ohm-base dedicated"),
    "ohm-14": ("latency", TWO_LEVEL, "ohm-base", "ohm-base dedicated"),
    "ohm-15": ("latency", PLANAR, "auto-rw", "ohm-base"),
    "ohm-16": ("latency", TWO_LEVEL, "auto-rw", "ohm-base"),
    "ohm-17": ("latency", PLANAR, "ohm-wom", "auto-rw"),
    "ohm-18": ("latency", TWO_LEVEL, "ohm-wom", "auto-rw"),
    "ohm-19": ("latency", PLANAR, "ohm-bw", "ohm-wom"),
    "ohm-20": ("latency", MODES, "ohm-base", "oracle"),
    "ohm-21": ("latency", MODES, "ohm-bw", "oracle"),
    "ohm-22": ("migration", PLANAR, "auto-rw", "ohm-base"),
    "ohm-23": ("migration", TWO_LEVEL, "auto-rw", "ohm-base"),
    "ohm-24": ("migration", PLANAR, "ohm-wom", "auto-rw"),
    "ohm-25": ("migration", TWO_LEVEL, "ohm-wom", None),
    "ohm-26": ("dma_power", MODES, "ohm-base", "hetero"),
    "ohm-27": ("static_energy", MODES, "ohm-wom", "ohm-base"),
    "ohm-28": ("static_energy", MODES, "ohm-wom", "auto-rw"),
    "ohm-29": ("energy", PLANAR, "ohm-wom", "ohm-base"),
    "ohm-30": ("energy", TWO_LEVEL, "ohm-wom", "ohm-base"),
    "ohm-31": ("ipc", MODES, "ohm-base x8", "hetero"),
    "ohm-32": ("ipc", MODES, "ohm-bw x8", "ohm-bw"),
    "ohm-43": ("cost_performance", MODES, "ohm-bw", "origin"),
    "ohm-44": ("cost_performance", MODES, "ohm-bw", "oracle"),
    "ohm-49": ("ipc", PLANAR, "ohm-wom", "ohm-wom not behind writes"),
    "ohm-51": ("ipc", TWO_LEVEL, "ohm-bw", "ohm-base"),  # 20 % is two-level's (reading notes)
}


def arguments(doc, more=lambda parser: None):
    """What every study of a figure can be told; `more` adds options to the parser."""
    parser = study.add_options(script_parser(doc))
    parser.add_argument(
        "--workloads",
        nargs="+",
        default=list(TABLE_II),
        choices=list(TABLE_II),
        metavar="NAME",
        help=f"of {', '.join(TABLE_II)}",
    )
    more(parser)
    return parser.parse_args()


def metrics(values, mode, platform):
    """What the figures show of a run, from its values by (path, name)."""

    def total(path, name):
        return sum(v for (p, n), v in values.items() if n == name and p.startswith(path))

    def share(part, whole):
        return part / whole if whole else 0.0

    spent = energy.energy(values, mode, platform)
    costs = platform in ("origin", "ohm-base", "ohm-bw", "oracle")
    seconds = values["gpu.dispatcher", "cycles"] / 1.2e9
    return dict(
        ipc=values["gpu.dispatcher", "ipc"],
        seconds=seconds,
        cost_performance=(
            cost.performance_per_cost(values["gpu.dispatcher", "ipc"], platform, mode) if costs else math.nan
        ),
        # From an L2's miss to the last of its sectors: the same place on every platform.
        latency=share(total("gpu.l2", "miss_latency.sum"), total("gpu.l2", "miss_latency.count")),
        migration=share(total("memory.controller", "migration_time"), total("memory.controller", "channel_time")),
        migration_of_time=share(
            total("memory.controller", "migration_time") * 1e-9, seconds * max(1, len(_controllers(values)))
        ),
        requests=total("gpu.sm", "requests"),
        hit_rate=share(
            total("memory.controller", "dram_hits") + total("memory.controller", "hits"),
            total("memory.controller", "requests"),
        ),
        dma_power=spent.wires / seconds,
        static_energy=spent.dram_static,
        dynamic_energy=spent.dram_dynamic,
        xpoint_energy=spent.xpoint,
        wires_energy=spent.wires,
        energy=spent.total,
        total_by_power=spent.total - spent.xpoint + spent.xpoint_by_power,
        dynamic_and_xpoint=spent.dram_dynamic + spent.xpoint,
    )


def _controllers(values):
    return {p for p, n in values if p.startswith("memory.controller") and n == "channel_time"}


class Points(PlatformStudy):
    """Ohm-GPU's points, by mode, platform (with its variant, if any) and workload."""

    system, width = "ohm", 9
    index = "mode", "platform", "workload"

    def __init__(self, name, args):
        super().__init__(name, args, TABLE_II)

    def add(self, mode, *platforms, arguments=(), options=(), variant=""):
        """The platforms in this mode on all workloads. `arguments` are the script's, `options` memsim's;
        `variant` tells such a point from the plain one."""
        for platform in platforms:
            # Origin has no mode: one run serves both.
            script = SCRIPTS["planar" if platform == "origin" else mode]
            for workload in self.args.workloads:
                self.point(
                    config(script),
                    "--platform",
                    platform,
                    "--workload",
                    workload,
                    "--scale",
                    self.args.scale,
                    *study.limit(self.args),
                    *arguments,
                    options=options,
                    mode=mode,
                    platform=platform + variant,
                    workload=workload,
                )

    def metrics(self, point):
        return metrics(self.values(point), point.keys["mode"], self._platform(point))

    @staticmethod
    def _platform(point):
        return point.arguments[point.arguments.index("--platform") + 1]

    def ratio(self, metric, mode, subject, baseline=None):
        """Over the workloads: the geometric mean of subject / baseline; without a baseline the
        arithmetic mean of subject."""
        if baseline is None:
            return float(self.frame[metric].loc[mode, subject].mean())
        return self.mean_ratio(self.frame[metric].loc[mode, subject], self.frame[metric].loc[mode, baseline])

    def has(self, modes, *platforms):
        """Whether all of them were added and are there."""
        there = {(p.keys["mode"], p.keys["platform"]) for p in self.points}
        return all((mode, p) in there for mode in modes for p in platforms if p)

    def measured(self, id, variant=""):
        metric, modes, subject, baseline = CLAIMS[id]
        if not self.has(modes, subject, baseline):
            return None
        found = [
            self.ratio(
                metric,
                mode,
                *(p and (p + variant if self.has([mode], p + variant) else p) for p in (subject, baseline)),
            )
            for mode in modes
        ]
        if baseline is None:
            return 100 * sum(found) / len(found)
        return math.prod(found) ** (1 / len(found))

    def means(self, row, base):
        if base is None:
            return {"mean": row.mean()}
        return {"geo mean": self.mean_ratio(row, base), "ratio of means": row.sum() / base.sum()}

    def show(self, metric, relative_to=None):
        self.shown = *self.shown, metric
        column = self.frame[metric].unstack("workload")[self.args.workloads]
        for mode in column.index.unique("mode"):
            self.show_rows(
                f"{metric}, {mode}",
                column.loc[mode],
                dict.fromkeys(p.keys["platform"] for p in self.points if p.keys["mode"] == mode),
                relative_to,
            )
