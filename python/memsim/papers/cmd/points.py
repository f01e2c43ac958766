"""The points of CMD's figures, which the studies of configs/studies/cmd share: a platform running a workload of Table I.

    args = points.arguments(__doc__)
    fig = points.Points("fig14", args)
    fig.add("baseline", "cmd")
    fig.run()
    fig.judge("cmd-02")
    fig.close()
"""

import contextlib
import math

from ...study import study
from ...model.energy import spent
from ...run.options import script_parser
from ...systems.platform_study import PlatformStudy, config
from . import cost, energy
from .workloads import COMPUTE, MEMORY, names

ALL = (*COMPUTE, *MEMORY)
COLOURS = "bfs", "mis", "color"
FIFO_LITTLE = "darknet", "tiny", "yolo2", "yolo3", "dwt2d"

# What the claims compare: metric, subject, baseline, workloads; without a baseline the subject's mean. A platform's
# variants are named by the study that adds them.
CLAIMS = {
    "cmd-01": ("off_chip", "cmd", "baseline", ALL),
    "cmd-02": ("ipc", "cmd", "baseline", ALL),
    "cmd-03": ("energy", "cmd", "baseline", ALL),
    "cmd-04": ("ipc", "cmd", "baseline", MEMORY),
    "cmd-05": ("ipc", "cmd", "baseline", COMPUTE),
    "cmd-06": ("ipc", "l2-5mb", "baseline", ALL),
    "cmd-07": ("ipc", "bpc", "baseline", ALL),
    "cmd-08": ("ipc", "bcd", "baseline", ALL),
    "cmd-09": ("ipc", "esd", "baseline", ALL),
    "cmd-10": ("ipc", "l2-5mb", "baseline", MEMORY),
    "cmd-11": ("ipc", "bpc", "baseline", MEMORY),
    "cmd-12": ("ipc", "bcd", "baseline", MEMORY),
    "cmd-13": ("ipc", "esd", "baseline", MEMORY),
    "cmd-14": ("ipc", "dedup", "baseline", ALL),
    "cmd-15": ("ipc", "dedup-car", "baseline", ALL),
    "cmd-16": ("ipc", "dedup", "baseline", MEMORY),
    "cmd-17": ("ipc", "dedup-car", "baseline", MEMORY),
    "cmd-18": ("energy", "l2-5mb", "baseline", ALL),
    "cmd-19": ("energy", "bpc", "baseline", ALL),
    "cmd-20": ("energy", "bcd", "baseline", ALL),
    "cmd-21": ("energy", "esd", "baseline", ALL),
    "cmd-22": ("off_chip_share", "baseline", None, ALL),
    "cmd-23": ("write_share", "baseline", None, ALL),
    "cmd-24": ("data_read_share", "baseline", None, ALL),
    "cmd-25": ("read_only_share", "baseline", None, ALL),
    "cmd-26": ("intra_share", "cmd exact", None, ALL),
    "cmd-27": ("inter_share", "cmd exact", None, ALL),
    "cmd-28": ("ipc", "dedup", "baseline", ALL),
    "cmd-29": ("ipc", "dedup", "dedup-no-latency", ALL),
    "cmd-30": ("extra_reads", "cmd", None, ALL),
    "cmd-31": ("write_requests", "cmd", "baseline", ALL),
    "cmd-32": ("data_reads", "cmd", "baseline", ALL),
    "cmd-33": ("read_only_reads", "cmd", "baseline", ALL),
    "cmd-34": ("found_share", "cmd hash 77 KB", None, ALL),
    "cmd-35": ("found_share", "cmd hash 538 KB", None, ALL),
    "cmd-36": ("map_hits", "cmd", None, ALL),
    "cmd-37": ("mask_hits", "cmd", None, ALL),
    "cmd-38": ("read_only_reads", "cmd", "dedup-car", ALL),
    "cmd-39": ("ipc", "cmd-bpc", "baseline", ALL),
    "cmd-40": ("ipc", "cmd-bpc", "baseline", COLOURS),
    "cmd-43": ("found_blocks", "cmd", "cmd exact", ALL),
    "cmd-45": ("ipc", "dedup-car", "dedup", ("tiny", "yolo2")),
    "cmd-46": ("ipc", "cmd", "dedup-car", ("darknet", "tiny", "yolo2", "dwt2d")),
    "cmd-47": ("read_only_removed", "cmd", "dedup-car", FIFO_LITTLE),
    "cmd-48": ("read_only_removed", "cmd", "dedup-car", ("bfs", "mis", "pagerank", "color")),
    "cmd-49": ("read_often", "baseline", None, ("pagerank",)),
    "cmd-50": ("overhead_share", "cmd", "baseline", ALL),
    "cmd-51": ("extra_reads", "cmd", None, COLOURS),
    "cmd-52": ("extra_reads", "cmd", None, ("darknet", "tiny", "pagerank")),
    "cmd-53": ("ipc", "esd", "baseline", ALL),
    "cmd-54": ("ipc", "cmd", "l2-5mb", COMPUTE),
    "cmd-55": ("ipc", "cmd-bpc", "cmd", COMPUTE),
}
# In per cent of the baseline, not as a ratio to it.
OF_BASELINE = "read_only_removed", "overhead_share"
# The paper's gain of one over the other is the ratio of their mean gains: 1.3779 / 1.0942 = 1.2592.
OF_MEANS = {"cmd-44": ("cmd-02", "cmd-06")}
# Shares of which the sum over workloads is shown beside the mean: part and whole.
SHARES = {
    "intra_share": ("intra_blocks", "written_blocks"),
    "inter_share": ("inter_blocks", "written_blocks"),
    "silent_share": ("silent_blocks", "written_blocks"),
    "found_share": ("found_blocks", "written_blocks"),
    "map_hits": ("map_found", "map_looks"),
    "mask_hits": ("mask_found", "mask_looks"),
    "type_hits": ("type_found", "type_looks"),
}
# What a written block may be, as studies of gains print it, and the metric of its share.
FOUND = {"intra-duplicates": "intra_share", "inter-duplicates": "inter_share", "silent": "silent_share"}
COMPUTED = {
    "cmd-41": lambda: 100 * cost.capacity_overhead(),
    "cmd-42": lambda: cost.on_chip() / 1024,
    "cmd-56": lambda: 100 * cost.fifo_share(),
    "cmd-57": cost.area,
    "cmd-58": cost.blocks_of_a_fetch,
}


# What a run's inputs must reach for the tables' and stores' rates to be the model's own, and the claims of these rates.
# `written` and `hashed` are upper bounds: a block that is written back twice counts twice.
INPUTS = {
    "written_over_reach": (2, "written-back data over what the map's cache reaches"),
    "hashed_over_entries": (1, "hashed blocks over entries of the hash store"),
    "footprint_over_l2": (4, "footprint over the L2"),
}
OF_INPUTS = "cmd-34", "cmd-35", "cmd-36", "cmd-37", "cmd-43", "cmd-50"


def arguments(doc, more=lambda parser: None):
    """What every study of a figure can be told; `more` adds options to the parser."""
    parser = study.add_options(script_parser(doc))
    parser.add_argument(
        "--workloads", nargs="+", default=names(), choices=names(), metavar="NAME", help=f"of {', '.join(names())}"
    )
    parser.add_argument("--bandwidth", type=int, default=224, help="GB/s of all controllers: 224, 448 or 896")
    more(parser)
    return parser.parse_args()


def percent(part, whole):
    """A share in per cent; of nothing there is none."""
    return 100 * part / whole if whole else math.nan


def metrics(values, costs=()):
    """What the figures show of a run, from its values by (path, name); what it spends by the costs of its machine."""

    def total(path, *chosen):
        return sum(v for (p, n), v in values.items() if p.startswith(path) and n in chosen)

    def share(part, whole):
        return part / whole if whole else 0.0

    front = {n: v for (p, n), v in values.items() if p == "front"}
    seconds = values["gpu.dispatcher", "cycles"] / 1.365e9
    accesses = total("gpu.l2", "accesses")
    data = front["write_requests"] + front["data_reads"] + front["read_only_reads"]
    metadata = front["metadata_fetches"] + front["metadata_writebacks"]
    extra = front["dedup_reads"] + front["verify_reads"]
    read_blocks = front["reached_1"]
    # An inter-duplicate is mapped to the data of another address; a silent one equals what it is mapped to already, which
    # may be another's data, too. The hash store finds both, and neither is written.
    parts = dict(
        written_blocks=front["writes"],
        intra_blocks=front["intra"],
        inter_blocks=front["inter"],
        silent_blocks=front["silent"],
        found_blocks=front["inter"] + front["silent"],
        **{f"{table}_looks": front[f"{table}_reads"] for table in ("map", "type", "mask")},
        **{f"{table}_found": front[f"{table}_hits"] for table in ("map", "type", "mask")},
    )
    return dict(
        parts,
        **{name: percent(parts[part], parts[whole]) for name, (part, whole) in SHARES.items()},
        ipc=values["gpu.dispatcher", "ipc"],
        seconds=seconds,
        off_chip=data + metadata + extra,
        write_requests=front["write_requests"],
        data_reads=front["data_reads"],
        read_only_reads=front["read_only_reads"],
        metadata=metadata,
        dedup_reads=extra,
        off_chip_share=100 * share(data, accesses),
        write_share=100 * share(front["write_requests"], accesses),
        data_read_share=100 * share(front["data_reads"], accesses),
        read_only_share=100 * share(front["read_only_reads"], accesses),
        fetched_bytes=total("gpu.l2", "fetched_bytes"),
        extra_reads=100 * share(extra, front["writes"]),
        read_often=100 * share(front["reached_21"], read_blocks),
        **{f"reached_{n}": share(front[f"reached_{n}"], read_blocks) for n in (2, 3, 6, 11, 21)},
        energy=sum(spent(costs, values, seconds).values()),
    )


def inputs(values, parameters):
    """What INPUTS says of a run, from its values and its machine's parameters by (path, name)."""
    front = {name: value for (path, name), value in parameters.items() if path == "front"}
    l2 = sum(value for (path, name), value in parameters.items() if path.startswith("gpu.l2[") and name == "capacity")
    block, entry = cost.BLOCK, cost.MAP_BITS // 8
    return dict(
        written_over_reach=min(values["front", "writes"] * block, front["capacity"])
        / (front["map_cache"] / entry * block),
        hashed_over_entries=values["front", "hashed"] / front["hash_entries"],
        footprint_over_l2=front["capacity"] / l2,
    )


class Points(PlatformStudy):
    """CMD's points. A gain's mean is arithmetic over the workloads, as the paper's."""

    system = "cmd"

    def __init__(self, name, args):
        super().__init__(name, args, names())

    def add(self, *platforms, arguments=(), options=(), name=None):
        """The platforms on all workloads. `arguments` are the script's, `options` memsim's; `name` tells a variant."""
        for platform in platforms:
            for workload in self.args.workloads:
                bandwidth = self.args.bandwidth
                self.point(
                    config("cmd.py"),
                    "--platform",
                    platform,
                    "--workload",
                    workload,
                    "--scale",
                    self.args.scale,
                    *study.limit(self.args),
                    *(["--bandwidth", bandwidth] if bandwidth != 224 else []),
                    *arguments,
                    options=options,
                    platform=name or platform,
                    workload=workload,
                )

    def metrics(self, point):
        values = self.values(point)
        with contextlib.closing(study.connect(self.database)) as database:
            parameters = {
                (path, name): value
                for path, name, value in database.execute(
                    "SELECT path, name, value FROM object JOIN param ON param.object = object.id WHERE run = ? AND "
                    "(path = 'front' OR path LIKE 'gpu.l2[%')",
                    (point.run,),
                )
            }
            return metrics(values, energy.recorded(database, point.run)) | inputs(values, parameters)

    def measured(self, id, variant=""):
        if id in COMPUTED:
            return float(COMPUTED[id]())
        if id in OF_MEANS:
            ours, theirs = (self.measured(of, variant) for of in OF_MEANS[id])
            return ours / theirs if ours and theirs else None
        metric, subject, baseline, of = CLAIMS[id]
        subject, baseline = self.of_variant(variant, subject, baseline)
        there = {p.keys["platform"] for p in self.points}
        chosen = [w for w in self.args.workloads if w in of]
        if not chosen or not {p for p in (subject, baseline) if p} <= there:
            return None
        if metric in OF_BASELINE:
            column = {"read_only_removed": "read_only_reads"}.get(metric)
            ours, theirs = self.frame.loc[subject].loc[chosen], self.frame.loc[baseline].loc[chosen]
            shares = (
                1 - ours[column] / theirs[column] if column else (ours.metadata + ours.dedup_reads) / theirs.off_chip
            )
            return float(100 * shares.fillna(0).mean())
        ours = self.frame[metric].loc[subject].loc[chosen]
        if baseline is None:
            return float(ours.mean())
        theirs = self.frame[metric].loc[baseline].loc[chosen]
        ratios = (ours / theirs)[theirs != 0]
        return float(ratios.mean()) if len(ratios) else None

    def too_small(self):
        """The workloads whose inputs do not reach what INPUTS asks for, each with what they lack."""
        rows = self.frame.loc["cmd"].loc[self.args.workloads]
        lacks = {
            w: [
                f"{what} {rows[name][w]:.2g} of {least}"
                for name, (least, what) in INPUTS.items()
                if rows[name][w] < least
            ]
            for w in rows.index
        }
        return {w: what for w, what in lacks.items() if what}

    def close(self):
        """Also says, of the claims OF_INPUTS that are judged, which workloads are too small for them."""
        super().close()
        judged = [v.claim.id for v in self.verdicts if v.claim.id in OF_INPUTS]
        if not judged:
            return
        lacks = self.too_small()
        enough = ", ".join(w for w in self.args.workloads if w not in lacks)
        print(f"\ninputs that are large enough for {', '.join(judged)}: {enough or 'none'}")
        for workload, what in lacks.items():
            print(f"  too small, so by construction, is {workload}: {', '.join(what)}")

    def means(self, row, base):
        return {"mean": (row if base is None else row / base).mean()}

    def summed(self, metric, platform, relative_to=None):
        """Of the sums over the workloads, what the mean of show() weighs equally: a share of all, or a ratio of two
        platforms' sums. None of a metric that is no share and no ratio."""

        def total(name, of):
            return self.frame[name].loc[of].loc[self.args.workloads].sum()

        if metric in SHARES:
            return percent(*(total(part, platform) for part in SHARES[metric]))
        return total(metric, platform) / total(metric, relative_to) if relative_to else None

    def show(self, metric, relative_to=None):
        super().show(metric, relative_to)
        sums = {p: self.summed(metric, p, relative_to) for p in dict.fromkeys(p.keys["platform"] for p in self.points)}
        if None not in sums.values():
            print("  of sums: " + ", ".join(f"{platform} {ours:.3g}" for platform, ours in sums.items()))

    def show_found(self, platform):
        """Prints what the blocks that each program writes are, for each seed, as far as a deduplicating platform found it,
        and of all programs' blocks together."""
        import pandas

        def rows(what):
            named = f", seed {self.seed}" if len(self.seeds) > 1 else ""
            share = FOUND[what]
            return what + named, self.frame[share].loc[platform].loc[self.args.workloads], self.summed(share, platform)

        found = [row for what in FOUND for row in self.over_seeds(lambda: rows(what))]
        shares = pandas.DataFrame({name: row for name, row, _ in found}).T
        self.show_rows(f"% of written blocks, {platform}", shares, shares.index, None)
        print("  of sums: " + ", ".join(f"{name} {summed:.3g}" for name, _, summed in found))

    def show_gains(self, relative_to="baseline"):
        """Prints IPC, and beside it what explains it or does not: what the blocks that each program writes are, and the
        bytes that the L2 fetched (a change there is no deduplication)."""
        self.show("ipc", relative_to)
        self.show_found(next(p for p in ("cmd", "dedup") if p in self.frame.index.get_level_values("platform")))
        self.show("fetched_bytes", relative_to)
