"""The points of CXL-GPU's figures, which the studies of configs/studies/cxl share: a configuration, with its medium and
controller, running a workload of the evaluation.

    args = points.arguments(__doc__)
    fig = points.Points("fig9a", args)
    fig.add("gpu-dram", "cxl", media="dram")
    fig.run()
    fig.judge("cxl-07")
    fig.close()
"""

import argparse
import math

from ... import study
from ..platform_study import PlatformStudy, config
from .workloads import AROUND, COMPUTE, LOADS, RANDOM, SEQUENTIAL, STORES, names

ALL = tuple(names())
PATTERNS = (*SEQUENTIAL, *AROUND, *RANDOM)
THREE = "vadd", "path", "bfs"  # of Fig. 9c

# What the claims compare: metric, subject, baseline, workloads. A platform stands with its medium, if that is not DRAM,
# and its variant. `time`: subject's over baseline's; `speed`: the inverse; without a baseline the subject's mean.
CLAIMS = {
    "cxl-01": ("speed of means", "cxl", "uvm 25us", ALL),
    "cxl-02": ("speed", "cxl", "cxl smt", ALL),
    "cxl-05": ("time", "uvm", "gpu-dram", ALL),
    "cxl-06": ("speed of means", "cxl", "uvm", ALL),
    "cxl-07": ("time", "cxl", "gpu-dram", COMPUTE),
    "cxl-08": ("time", "cxl", "gpu-dram", LOADS),
    "cxl-09": ("time", "cxl", "gpu-dram", STORES),
    "cxl-10": ("speed", "cxl-sr z-nand", "cxl z-nand", ALL),
    "cxl-11": ("speed", "cxl-sr z-nand", "cxl z-nand", SEQUENTIAL),
    "cxl-12": ("speed", "cxl-sr z-nand", "cxl z-nand", RANDOM),
    "cxl-13": ("speed", "cxl-ds z-nand", "cxl-sr z-nand", COMPUTE),
    "cxl-14": ("speed", "cxl-ds z-nand", "cxl-sr z-nand", LOADS),
    "cxl-15": ("speed", "cxl-ds z-nand", "cxl-sr z-nand", STORES),
    "cxl-16": ("speed", "cxl-sr optane", "cxl optane", THREE),
    "cxl-17": ("speed", "cxl-sr z-nand", "cxl z-nand", THREE),
    "cxl-18": ("speed", "cxl-sr nand", "cxl nand", THREE),
    "cxl-19": ("time", "cxl-sr nand", "gpu-dram", ("vadd",)),
    "cxl-20": ("speed", "cxl-ds", "cxl-sr", ("bfs",)),
    "cxl-21": ("speed", "cxl-naive z-nand", "cxl z-nand", PATTERNS),
    "cxl-22-seq": ("hits", "cxl z-nand", None, SEQUENTIAL),
    "cxl-22-around": ("hits", "cxl z-nand", None, AROUND),
    "cxl-22-rand": ("hits", "cxl z-nand", None, RANDOM),
    "cxl-23-seq": ("hits", "cxl-naive z-nand", None, SEQUENTIAL),
    "cxl-23-around": ("hits", "cxl-naive z-nand", None, AROUND),
    "cxl-23-rand": ("hits", "cxl-naive z-nand", None, RANDOM),
    "cxl-24": ("time", "cxl-naive z-nand", "gpu-dram", PATTERNS),
    "cxl-25": ("speed", "cxl-dyn z-nand", "cxl-naive z-nand", SEQUENTIAL),
    "cxl-26": ("speed", "cxl-dyn z-nand", "cxl-naive z-nand", AROUND),
    "cxl-27": ("speed", "cxl-dyn z-nand", "cxl-naive z-nand", RANDOM),
    "cxl-28-seq": ("hits", "cxl-dyn z-nand", None, SEQUENTIAL),
    "cxl-28-around": ("hits", "cxl-dyn z-nand", None, AROUND),
    "cxl-28-rand": ("hits", "cxl-dyn z-nand", None, RANDOM),
    "cxl-29": ("hits", "cxl-dyn z-nand fixed", None, RANDOM),
    "cxl-30": ("speed", "cxl-sr z-nand", "cxl-dyn z-nand", AROUND),
    "cxl-31": ("hits", "cxl-sr z-nand", None, AROUND),
    "cxl-32": ("gc_latency", "cxl-ds z-nand", "cxl-sr z-nand", ("bfs",)),
    "cxl-36": ("time over all", "uvm", "gpu-dram", ("gemm", "vadd", "saxpy")),
    "cxl-38": ("speed", "cxl-sr z-nand", "cxl z-nand", ("gemm", "conv3")),
    "cxl-39": ("hits ratio", "cxl-dyn z-nand", "cxl-dyn z-nand fixed", RANDOM),
    "cxl-40": ("time", "cxl z-nand", "gpu-dram", PATTERNS),
    "cxl-41": ("ingress", "cxl-sr z-nand", "cxl-ds z-nand", ("bfs",)),
    "cxl-42": ("collections", "cxl-ds z-nand", "cxl-sr z-nand", ("bfs",)),
}
# Means over media (Fig. 9c): id, workload.
OVER_MEDIA = {"cxl-34": "path", "cxl-35": "bfs"}


# Where latencies show: at the store of a platform that has deterministic ones, else at the queues.
LATENCIES = {True: ("store.load_latency", "store.store_latency"), False: ("queues.read_latency", "queues.write_latency")}


def series(platform):
    """The statistics that Fig. 9e shows over time."""
    return ["port[*].device.ingress", "port[*].queues.memory_queue",
            *(f"port[*].{latency}" for latency in LATENCIES[platform == "cxl-ds"])]


def worst(samples):
    """The highest mean of an interval, of sums and counts sampled by tick: [(tick, sum, count)]."""
    steps = [(s - s0) / (n - n0) for (_, s0, n0), (_, s, n) in zip(samples, samples[1:]) if n > n0]
    return max(steps, default=math.nan)


def arguments(doc, workloads=ALL, more=lambda parser: None):
    """What every study of a figure can be told; `more` adds options to the parser."""
    parser = study.add_options(argparse.ArgumentParser(description=doc.splitlines()[0]))
    parser.add_argument("--workloads", nargs="+", default=list(workloads), choices=names(), metavar="NAME",
                        help=f"of {', '.join(names())}")
    more(parser)
    args = parser.parse_args()
    args.all_workloads = list(workloads)  # over which the figure averages
    return args


def metrics(values):
    """What the figures show of a run, from its values by (path, name)."""
    def total(end, name):
        return sum(v for (p, n), v in values.items() if n == name and p.startswith("port[") and p.endswith(end))

    def rate(part, whole):
        return part / whole if whole else math.nan

    def cores(name):
        return sum(v for (p, n), v in values.items() if n == name and p.startswith("gpu.sm["))

    lookups = sum(total(".medium.cache", n) for n in ("hits", "merged", "misses"))
    return dict(
        time=values["gpu.dispatcher", "cycles"], ipc=values["gpu.dispatcher", "ipc"],
        compute_ratio=100 * (1 - rate(cores("memory_instructions"), cores("warp_instructions"))),
        load_ratio=100 * rate(cores("read_requests"), cores("requests")),
        access_rate=rate(cores("requests"), cores("warp_instructions")),
        hits=100 * rate(total(".medium.cache", "hits"), lookups),
        read_latency=rate(total(".queues", "read_latency.sum"), total(".queues", "read_latency.count")),
        write_latency=rate(total(".queues", "write_latency.sum"), total(".queues", "write_latency.count")),
        speculative_reads=sum(v for (p, n), v in values.items() if p.endswith(".queues")
                              and n.startswith("speculative_reads[")),
        ingress=total(".device", "ingress.mean"), ingress_most=total(".device", "ingress.peak"),
        collections=total(".medium.ssd.drive", "collections"),
        reserve=total(".store", "reserve.peak"), suspensions=total(".store", "suspensions"))


class Points(PlatformStudy):
    """CXL-GPU's points."""

    system = "cxl_gpu"

    def __init__(self, name, args):
        super().__init__(name, args, args.all_workloads)

    def add(self, *platforms, media="dram", arguments=(), options=(), name="", workloads=None):
        """The platforms on all workloads, or on some. `arguments` are the script's, `options` memsim's; `name` tells
        a variant."""
        for platform in platforms:
            label = " ".join(filter(None, (platform, media if media != "dram" else "", name)))
            for workload in workloads or self.args.workloads:
                limit = self.args.max_instructions
                self.point(config("cxl_gpu.py"), "--platform", platform, "--workload", workload, "--media", media,
                           "--scale", self.args.scale, *(["--max-instructions", limit] if limit else []), *arguments,
                           options=options, platform=label, workload=workload)

    def metrics(self, point):
        return dict(metrics(self.values(point)), gc_latency=self.worst_latency(point))

    def worst_latency(self, point):
        """Of loads and stores together, the mean of the worst interval of a series; NaN if none was sampled."""
        totals = {}
        with study.connect(self.database) as database:
            for name, tick, value in database.execute(
                    "SELECT name, tick, value FROM samples WHERE run = ? AND (name LIKE '%latency.sum' OR "
                    "name LIKE '%latency.count')", (point.run,)):
                entry = totals.setdefault(tick, {"sum": 0, "count": 0})
                entry[name.rpartition(".")[2]] += value
        return worst([(tick, e["sum"], e["count"]) for tick, e in sorted(totals.items())])

    def measured(self, id):
        if id in OVER_MEDIA:
            workload = OVER_MEDIA[id]
            pairs = [("cxl-sr " + m, "cxl " + m) for m in ("optane", "z-nand", "nand")]
            return self._mean([self._compare("speed", *pair, (workload,)) for pair in pairs])
        return self._compare(*CLAIMS[id])

    @staticmethod
    def _mean(figures):
        return None if None in figures else sum(figures) / len(figures)

    def _compare(self, metric, subject, baseline, of):
        there = {p.keys["platform"] for p in self.points}
        chosen = [w for w in self.args.workloads if w in of]
        if not chosen or not {p for p in (subject, baseline) if p} <= there:
            return None
        column = self.table[{"hits ratio": "hits"}.get(metric, metric) if metric in (
            "hits", "ingress", "collections", "hits ratio", "gc_latency") else "time"]
        ours = column.loc[subject].loc[chosen]
        if baseline is None:
            return float(ours.mean())
        theirs = column.loc[baseline].loc[chosen]
        if metric == "speed":
            return float((theirs / ours).mean())
        if metric == "speed of means":  # both normalised to an ideal GPU first, as the paper's figure is
            ideal = column.loc["gpu-dram"].loc[chosen]
            return float((theirs / ideal).mean() / (ours / ideal).mean())
        if metric == "time over all":
            every = column.loc[subject] / column.loc[baseline]
            return float((ours / theirs).mean() / every.mean())
        if metric in ("hits ratio", "ingress", "collections", "gc_latency"):
            return float(ours.mean() / theirs.mean()) if theirs.mean() else None
        return float((ours / theirs).mean())

    def means(self, row, base):
        shown = row if base is None else row / base
        return {"mean": shown.mean(), "geo mean": math.exp(sum(map(math.log, shown)) / len(shown))
                if (shown > 0).all() else math.nan}
