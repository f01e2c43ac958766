"""The points of CXL-GPU's figures, which the studies of configs/studies/cxl share: a configuration, with its medium and
controller, running a workload of the evaluation.

    args = points.arguments(__doc__)
    fig = points.Points("fig9a", args)
    fig.add("gpu-dram", "cxl", media="dram")
    fig.run()
    fig.judge("cxl-07")
    fig.close()
"""

import math

from ...study import study
from ...run.options import script_parser
from .media import FLASH
from ...systems.platform_study import PlatformStudy, config
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
    "cxl-41": ("gc_ingress", "cxl-sr z-nand", "cxl-ds z-nand", ("bfs",)),
    "cxl-42": ("collections", "cxl-ds z-nand", "cxl-sr z-nand", ("bfs",)),
}
# Means over media, and the best of them (Fig. 9c): id, metric, subject, baseline, workload.
OVER_MEDIA = {"cxl-34": ("speed", "cxl-sr", "cxl", ("path",)), "cxl-35": ("speed", "cxl-sr", "cxl", ("bfs",))}
BEST_OVER_MEDIA = {"cxl-20": ("speed", "cxl-ds", "cxl-sr", ("bfs",))}
DRIVES = "optane", "z-nand", "nand"
# A claim about deterministic stores is judged from runs in which each of the two platforms has collected so often.
COLLECTIONS = 10


# Where latencies show: at the store of a platform that has deterministic ones, else at the queues.
LATENCIES = {
    True: ("store.load_latency", "store.store_latency"),
    False: ("queues.read_latency", "queues.write_latency"),
}


def series(platform, media):
    """The statistics that Fig. 9e shows over time."""
    return [
        "port[*].device.ingress",
        "port[*].queues.memory_queue",
        *(f"port[*].{latency}" for latency in LATENCIES[platform == "cxl-ds"]),
        *["port[*].medium.ssd.drive.collections"] * (media in FLASH),
    ]


def over_time(samples):
    """A series by interval, a table: loads and stores answered and the sums of their latencies, messages at the
    endpoints on average, collections so far.

    samples     (tick, statistic, value), values being totals since time 0
    """
    import pandas

    totals = (
        pandas.DataFrame(samples, columns=["tick", "name", "value"])
        .pivot_table(index="tick", columns="name", values="value", aggfunc="sum")
        .fillna(0)
    )

    def total(*names):
        return sum((totals[n] for n in names if n in totals), start=pandas.Series(0.0, totals.index))

    grown = pandas.DataFrame(
        {
            "loads": total("read_latency.count", "load_latency.count"),
            "load_time": total("read_latency.sum", "load_latency.sum"),
            "stores": total("write_latency.count", "store_latency.count"),
            "store_time": total("write_latency.sum", "store_latency.sum"),
            "ingress": total("ingress.area"),
        }
    )
    steps = grown.diff().fillna(grown)
    steps["ingress"] /= (
        pandas.Series(totals.index, totals.index).diff().fillna(totals.index[0]) / 1e6
    )  # areas are in ns
    steps["collections"] = total("collections")
    return steps


def collecting(steps):
    """Those of over_time() from the first collection to the last load or store; all until there if none began."""
    begun = steps[steps.collections > 0]
    steps = begun if len(begun) else steps
    answered = steps[steps.loads + steps.stores > 0]
    return steps.loc[: answered.index[-1]] if len(answered) else answered


def arguments(doc, workloads=ALL, more=lambda parser: None):
    """What every study of a figure can be told; `more` adds options to the parser."""
    parser = study.add_options(script_parser(doc))
    parser.add_argument(
        "--workloads",
        nargs="+",
        default=list(workloads),
        choices=names(),
        metavar="NAME",
        help=f"of {', '.join(names())}",
    )
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
        time=values["gpu.dispatcher", "cycles"],
        ipc=values["gpu.dispatcher", "ipc"],
        compute_ratio=100 * (1 - rate(cores("memory_instructions"), cores("warp_instructions"))),
        load_ratio=100 * rate(cores("read_requests"), cores("requests")),
        access_rate=rate(cores("requests"), cores("warp_instructions")),
        hits=100 * rate(total(".medium.cache", "hits"), lookups),
        read_latency=rate(total(".queues", "read_latency.sum"), total(".queues", "read_latency.count")),
        write_latency=rate(total(".queues", "write_latency.sum"), total(".queues", "write_latency.count")),
        speculative_reads=sum(
            v for (p, n), v in values.items() if p.endswith(".queues") and n.startswith("speculative_reads[")
        ),
        ingress=total(".device", "ingress.mean"),
        ingress_most=total(".device", "ingress.peak"),
        collections=sum(v for (p, n), v in values.items() if n == "collections" and p.endswith(".drive")),
        reserve=total(".store", "reserve.peak"),
        suspensions=total(".store", "suspensions"),
    )


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
                self.point(
                    config("cxl_gpu.py"),
                    "--platform",
                    platform,
                    "--workload",
                    workload,
                    "--media",
                    media,
                    "--scale",
                    self.args.scale,
                    *study.limit(self.args),
                    *arguments,
                    options=options,
                    platform=label,
                    workload=workload,
                )

    def metrics(self, point):
        return dict(metrics(self.values(point)), **self.while_collecting(point))

    def over_time(self, point):
        """over_time() of a point that was run with --series; None if it was not."""
        with study.connect(self.database) as database:
            samples = database.execute("SELECT tick, name, value FROM samples WHERE run = ?", (point.run,)).fetchall()
        return over_time(samples) if samples else None

    def while_collecting(self, point):
        """From the first collection on: the mean latency of loads and stores together, and of messages at endpoints."""
        steps = self.over_time(point)
        if steps is None:
            return dict(gc_latency=math.nan, gc_ingress=math.nan)
        steps = collecting(steps)
        answered = (steps.loads + steps.stores).sum()
        return dict(
            gc_latency=(steps.load_time + steps.store_time).sum() / answered if answered else math.nan,
            gc_ingress=steps.ingress.mean(),
        )

    def judge_stores(self, *ids):
        """Judges claims about deterministic stores, and prints beside each how often drives have collected, and the same
        figure on drives that never did. A claim is only previewed where one platform has fewer than COLLECTIONS."""
        preview = self.preview
        for id in ids:
            metric, subject, baseline, of = CLAIMS.get(id) or self._best_over_media(id)
            counts = {p: self._collections(p, of) for p in (subject, baseline)}
            self.preview = preview or min(counts.values()) < COLLECTIONS
            self.judge(id)
            fresh = self._compare(metric, subject + " fresh", baseline + " fresh", of)
            print(
                f"{id}: {', '.join(f'{p} has collected {n:.0f} times' for p, n in counts.items())}"
                + (f"; with fresh drives {fresh:.3g}" if fresh is not None else "")
                + (f" (fewer than {COLLECTIONS})" if min(counts.values()) < COLLECTIONS else "")
            )
        self.preview = preview

    def _best_over_media(self, id, variant=""):
        """What a claim about the best medium compares, with that medium."""
        metric, subject, baseline, of = BEST_OVER_MEDIA[id]
        figures = {m: self._compare(metric, f"{subject} {m}", f"{baseline} {m}", of, variant) for m in DRIVES}
        best = max(DRIVES, key=lambda m: figures[m] or 0)
        return metric, f"{subject} {best}", f"{baseline} {best}", of

    def _collections(self, platform, of):
        there = {p.keys["platform"] for p in self.points}
        chosen = [w for w in self.args.workloads if w in of]
        return float(self.frame.collections.loc[platform].loc[chosen].sum()) if platform in there and chosen else 0.0

    def show_over_time(self, workload, rows=12):
        """Prints a series in so many parts: mean latencies in us, messages at the endpoint, collections so far."""
        for point in self.selected:
            steps = self.over_time(point) if point.keys["workload"] == workload else None
            if steps is None:
                continue
            print(f"{point.keys['platform']}, {workload}:")
            print(f"{'until ms':>10}{'load us':>10}{'store us':>10}{'ingress':>10}{'collections':>12}")
            size = -(-len(steps) // rows)
            for i in range(0, len(steps), size):
                part = steps.iloc[i : i + size]
                load, store = (part[f"{k}_time"].sum() / max(1, part[f"{k}s"].sum()) / 1e3 for k in ("load", "store"))
                print(
                    f"{part.index[-1] / 1e12:10.3f}{load:10.2f}{store:10.2f}{part.ingress.mean():10.2f}"
                    f"{part.collections.iloc[-1]:12.0f}"
                )

    def measured(self, id, variant=""):
        if id in CLAIMS:
            return self._compare(*CLAIMS[id], variant)
        if id in BEST_OVER_MEDIA:
            return self._compare(*self._best_over_media(id, variant), variant)
        metric, subject, baseline, of = OVER_MEDIA[id]
        figures = [self._compare(metric, f"{subject} {m}", f"{baseline} {m}", of, variant) for m in DRIVES]
        return None if None in figures else sum(figures) / len(figures)

    def _compare(self, metric, subject, baseline, of, variant=""):
        subject, baseline, ideal = self.of_variant(variant, subject, baseline, "gpu-dram")
        there = {p.keys["platform"] for p in self.points}
        chosen = [w for w in self.args.workloads if w in of]
        if not chosen or not {p for p in (subject, baseline) if p} <= there:
            return None
        column = self.frame[
            {"hits ratio": "hits"}.get(metric, metric)
            if metric in ("hits", "collections", "hits ratio", "gc_latency", "gc_ingress")
            else "time"
        ]
        ours = column.loc[subject].loc[chosen]
        if baseline is None:
            return float(ours.mean())
        theirs = column.loc[baseline].loc[chosen]
        if metric == "speed":
            return float((theirs / ours).mean())
        if metric == "speed of means":  # both normalised to an ideal GPU first, as the paper's figure is
            base = column.loc[ideal].loc[chosen]
            return float((theirs / base).mean() / (ours / base).mean())
        if metric == "time over all":
            every = column.loc[subject] / column.loc[baseline]
            return float((ours / theirs).mean() / every.mean())
        if metric in ("hits ratio", "collections", "gc_latency", "gc_ingress"):
            return float(ours.mean() / theirs.mean()) if theirs.mean() else None
        return float((ours / theirs).mean())

    def means(self, row, base):
        shown = row if base is None else row / base
        return {
            "mean": shown.mean(),
            "geo mean": math.exp(sum(map(math.log, shown)) / len(shown)) if (shown > 0).all() else math.nan,
        }
