"""The points of ZnG's figures, which the studies of configs/studies/zng share: a platform running one or
more workloads of Table II.

    args = points.arguments(__doc__)
    fig = points.Points("fig10", args)
    fig.add("hybridgpu", "optane")
    fig.run()
    fig.judge("zng-03")
    fig.close()
"""

import math
import re

from ...study import study
from ...run.options import script_parser, whole
from ...systems.platform_study import PlatformStudy, config
from . import scale
from .workloads import PAIRS, TABLE_II, names

BETW_PAIRS = "betw-back", "bfs1-gaus", "bfs2-gaus", "bfs6-gaus"  # of zng-02

# What the claims compare: metric, subject, baseline, and the workloads if not all. A platform's variants
# are named by the study that adds them. Without a baseline a claim is the subject's mean.
CLAIMS = {
    "zng-01": ("ipc", "zng", "hybridgpu", None),
    "zng-02": ("ipc", "hybridgpu", "hetero", BETW_PAIRS),
    "zng-03": ("ipc", "optane", "hybridgpu", None),
    "zng-04": ("ipc", "zng-base", "hybridgpu", None),
    "zng-05": ("ipc", "zng-rdopt", "hybridgpu", None),
    "zng-06": ("ipc", "zng-wropt", "zng-rdopt", None),
    "zng-07": ("memory_bandwidth", "zng", "optane", None),
    "zng-08": ("array_bandwidth", "hybridgpu", None, None),
    "zng-09": ("array_bandwidth", "zng-rdopt", "hybridgpu", None),
    "zng-10": ("array_bandwidth", "zng-wropt", "zng-rdopt", None),
    "zng-11": ("array_bandwidth", "zng", "zng-wropt", None),
    "zng-12": ("engine_share", "hybridgpu", None, None),
    "zng-16": ("re_accesses", "zng STT-MRAM", "zng SRAM", None),
    "zng-17": ("re_accesses", "zng prefetch", "zng STT-MRAM", None),
    "zng-18": ("re_accesses", "zng", "zng prefetch", None),
    "zng-19": ("writes_per_page", "zng baseline", None, None),
    "zng-20": ("writes_per_page", "zng network", "zng baseline", None),
    "zng-21": ("writes_per_page", "zng", None, None),
    "zng-22": ("ipc", "zng fcnet", "zng swnet", None),
    "zng-23": ("ipc", "zng", "zng fcnet", None),
    "zng-26": ("ipc", "zng 1KBpref", "zng nopref", None),
    "zng-27": ("ipc", "zng 4KBpref", "zng nopref", None),
    "zng-38": ("ipc", "zng predict-4KBpref", "zng 4KBpref", None),
    "zng-24": ("accuracy", "ideal predicted", None, None),
}
# Of these the paper gives averages, so ratios are those of averages: a workload may have none.
AVERAGES = "re_accesses", "writes_per_page"


def arguments(doc, workloads=PAIRS, more=lambda parser: None):
    """What every study of a figure can be told; `more` adds options to the parser."""
    parser = study.add_options(script_parser(doc))
    parser.add_argument(
        "--workloads", nargs="+", default=list(workloads), metavar="NAME", help="such as betw, betw-back, betw*8"
    )
    parser.add_argument(
        "--whole", type=whole(1), default=scale.FOOTPRINT, help="bytes that the paper's programs touch (an assumption)"
    )
    more(parser)
    args = parser.parse_args()
    for text in args.workloads:
        names(text)
    args.all_workloads = list(workloads)  # over which the paper averages
    return args


def metrics(values):
    """What the figures show of a run, from its values by (path, name)."""

    def total(path, name):
        return sum(v for (p, n), v in values.items() if n == name and p.startswith(path))

    def share(part, whole):
        return part / whole if whole else 0.0

    packages = "flash.package["
    seconds = values["gpu.dispatcher", "cycles"] / 1.2e9
    sms = len({p for p, _ in values if p.startswith("gpu.sm[")})
    whole = scale.SMS / sms  # slices that the paper's machine is
    # What is neither the flash's (arrays, bus) nor the buffer's (DRAM): cores, and waiting for them.
    waited = total("memory.buffer", "drive_time.sum")
    flash = total("ssd.channel", "read_latency.sum")
    return dict(
        ipc=values["gpu.dispatcher", "ipc"],
        seconds=seconds,
        latency=share(total("gpu.l2", "miss_latency.sum"), total("gpu.l2", "miss_latency.count")),
        # Bytes of requests that the arrays serve, a second of the whole machine's, in GB/s: HybridGPU's buffer asks
        # for pages, the others for lines of what is sensed, and they write lines of what is programmed.
        array_bandwidth=whole
        * 1e-9
        * share(
            4096 * (total("ssd.channel", "reads") + total("ssd.channel", "programs"))
            + total(packages, "useful_bytes")
            + total(packages, "programmed_bytes"),
            seconds,
        ),
        # Of what is behind the L2: a read-only L2's writes never were in it.
        memory_bandwidth=whole
        * 1e-9
        * share(
            total("flash.controller[", "read_bytes") + total("flash.controller[", "write_bytes")
            if packages + "0]" in {p for p, _ in values}
            else total("gpu.l2", "fetched_bytes") + total("gpu.l2", "written_back_bytes"),
            seconds,
        ),
        useful_share=100 * share(total(packages, "useful_bytes"), total(packages, "sensed_bytes")),
        sensed_bandwidth=whole * 1e-9 * share(total(packages, "sensed_bytes"), seconds),
        useful_bandwidth=whole * 1e-9 * share(total(packages, "useful_bytes"), seconds),
        programming=100
        * share(
            total(packages, "program_time"),
            1e9 * seconds * scale.PLANES * len({p for p, _ in values if p.startswith(packages)}),
        ),
        re_accesses=share(total(packages, "page_reads") - total(packages, "pages_read"), total(packages, "pages_read")),
        writes_per_page=share(total(packages, "log_programs"), total(packages, "log_pages")),
        held=100 * share(sum(v for (p, n), v in values.items() if n.startswith("held_time[")), 1e9 * seconds),
        engine_share=100 * share(waited - flash, total("memory.buffer", "fetch_time.sum")),
        accuracy=100 * share(total("gpu.prefetcher", "predictions_right"), total("gpu.prefetcher", "predictions")),
        l2_miss_rate=share(total("gpu.l2", "misses"), total("gpu.l2", "accesses")),
    )


def named(id):
    """The workloads that a claim names one by one; none where it states what all of a figure have."""
    words = study.claims("zng")[id].workloads.split()
    return words if all(set(re.split(r"[-*]", word)) & TABLE_II.keys() for word in words) else []


class Points(PlatformStudy):
    """ZnG's points."""

    system, width = "zng", 11

    def __init__(self, name, args):
        super().__init__(name, args, args.all_workloads)

    def add(self, *platforms, arguments=(), options=(), variant="", name=None, workloads=None):
        """The platforms on all workloads, or on some. `arguments` are the script's, `options` memsim's;
        `variant` tells such a point from the plain one, or `name` names it."""
        for platform in platforms:
            for workload in workloads or self.args.workloads:
                whole = self.args.whole
                self.point(
                    config("zng.py"),
                    "--platform",
                    platform,
                    "--workload",
                    workload,
                    "--scale",
                    self.args.scale,
                    *study.limit(self.args),
                    *(["--whole", whole] if whole != scale.FOOTPRINT else []),
                    *arguments,
                    options=options,
                    platform=name or platform + variant,
                    workload=workload,
                )

    def metrics(self, point):
        return metrics(self.values(point))

    def _judge(self, id, figures):
        """A claim is judged if all workloads were run that it names, or over which its figure averages."""
        self.preview = study.preview(self.args, named(id) or self.args.all_workloads)
        super()._judge(id, figures)

    def measured(self, id, variant=""):
        metric, subject, baseline, only = CLAIMS[id]
        there = {p.keys["platform"] for p in self.points}
        subject, baseline = self.of_variant(variant, subject, baseline)
        chosen = [w for w in self.args.workloads if only is None or w in only]
        if not chosen or not {p for p in (subject, baseline) if p} <= there:
            return None
        column = self.frame[metric]
        ours = column.loc[subject].loc[chosen]
        if baseline is None:
            return float(ours.mean())
        theirs = column.loc[baseline].loc[chosen]
        if metric in AVERAGES:
            return float(ours.mean() / theirs.mean()) if theirs.mean() else math.nan
        return self.mean_ratio(ours, theirs)
