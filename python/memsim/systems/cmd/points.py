"""The points of CMD's figures, which the studies of configs/studies/cmd share: a platform running a workload of Table I.

    args = points.arguments(__doc__)
    fig = points.Points("fig14", args)
    fig.add("baseline", "cmd")
    fig.run()
    fig.judge("cmd-02")
    fig.close()
"""

import argparse
import sys
from pathlib import Path

from ... import study
from . import cost
from . import energy as energies
from .workloads import COMPUTE, MEMORY, names

ALL = (*COMPUTE, *MEMORY)
COLOURS = "bfs", "mis", "color"
FIFO_LITTLE = "darknet", "tiny", "yolo2", "yolo3", "dwt2d"

# What the claims compare: metric, subject, baseline, workloads; without a baseline the subject's mean. A platform's
# variants are named by the study that adds them. A gain's mean is arithmetic over the workloads, as the paper's.
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
    "cmd-34": ("inter_share", "cmd hash 77 KB", None, ALL),
    "cmd-35": ("inter_share", "cmd hash 538 KB", None, ALL),
    "cmd-36": ("map_hits", "cmd", None, ALL),
    "cmd-37": ("mask_hits", "cmd", None, ALL),
    "cmd-38": ("read_only_reads", "cmd", "dedup-car", ALL),
    "cmd-39": ("ipc", "cmd-bpc", "baseline", ALL),
    "cmd-40": ("ipc", "cmd-bpc", "baseline", COLOURS),
    "cmd-43": ("inter_blocks", "cmd", "cmd exact", ALL),
    "cmd-44": ("ipc", "cmd", "l2-5mb", ALL),
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
COMPUTED = {"cmd-41": lambda: 100 * cost.capacity_overhead(), "cmd-42": lambda: cost.on_chip() / 1024,
            "cmd-56": lambda: 100 * cost.fifo_share(), "cmd-57": cost.area, "cmd-58": cost.blocks_of_a_fetch}


def config(name):
    """A script of configs, as seen from a study in configs/studies/cmd."""
    return Path(sys.argv[0]).resolve().parents[2] / name


def arguments(doc, more=lambda parser: None):
    """What every study of a figure can be told; `more` adds options to the parser."""
    parser = study.add_options(argparse.ArgumentParser(description=doc.splitlines()[0]))
    parser.add_argument("--workloads", nargs="+", default=names(), choices=names(), metavar="NAME",
                        help=f"of {', '.join(names())}")
    parser.add_argument("--bandwidth", type=int, default=224, help="GB/s of all controllers: 224, 448 or 896")
    more(parser)
    return parser.parse_args()


def metrics(values, l2_bytes):
    """What the figures show of a run, from its values by (path, name)."""
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
    return dict(
        ipc=values["gpu.dispatcher", "ipc"], seconds=seconds,
        off_chip=data + metadata + extra, write_requests=front["write_requests"], data_reads=front["data_reads"],
        read_only_reads=front["read_only_reads"], metadata=metadata, dedup_reads=extra,
        off_chip_share=100 * share(data, accesses), write_share=100 * share(front["write_requests"], accesses),
        data_read_share=100 * share(front["data_reads"], accesses),
        read_only_share=100 * share(front["read_only_reads"], accesses),
        written_blocks=front["writes"], intra_share=100 * share(front["intra"], front["writes"]),
        inter_share=100 * share(front["inter"], front["writes"]), inter_blocks=front["inter"],
        extra_reads=100 * share(extra, front["writes"]),
        map_hits=100 * share(front["map_hits"], front["map_reads"]),
        type_hits=100 * share(front["type_hits"], front["type_reads"]),
        mask_hits=100 * share(front["mask_hits"], front["mask_reads"]),
        read_often=100 * share(front["reached_21"], read_blocks),
        **{f"reached_{n}": share(front[f"reached_{n}"], read_blocks) for n in (2, 3, 6, 11, 21)},
        energy=sum(energies.energy(values, l2_bytes, seconds).values()))


class Points(study.Study):
    """A study whose points are platforms, by platform (with its variant, if any) and workload."""

    def __init__(self, name, args):
        super().__init__("cmd", name, jobs=args.jobs, seeds=args.seeds)
        self.args = args
        self.tables = {}  # by seed
        self.preview = study.preview(args, names())

    def add(self, *platforms, arguments=(), options=(), name=None):
        """The platforms on all workloads. `arguments` are the script's, `options` memsim's; `name` tells a variant."""
        for platform in platforms:
            for workload in self.args.workloads:
                limit, bandwidth = self.args.max_instructions, self.args.bandwidth
                self.point(config("cmd.py"), "--platform", platform, "--workload", workload, "--scale",
                           self.args.scale, *(["--max-instructions", limit] if limit else []),
                           *(["--bandwidth", bandwidth] if bandwidth != 224 else []), *arguments,
                           options=options, platform=name or platform, workload=workload)

    def run(self):
        import pandas
        spent = super().run()
        tables = self.over_seeds(lambda: pandas.DataFrame(
            [dict(p.keys, **metrics(self.values(p), self.l2_bytes(p))) for p in self.selected]).set_index(
                ["platform", "workload"]).sort_index())
        self.tables = dict(zip(self.seeds, tables))
        return spent

    def l2_bytes(self, point):
        """Capacity of a point's L2 slices together."""
        with study.connect(self.database) as db:
            rows = db.execute("SELECT value FROM param JOIN object ON object.id = param.object WHERE run = ? AND "
                              "path LIKE 'gpu.l2[%' AND name = 'capacity'", (point.run,)).fetchall()
        return sum(row[0] for row in rows)

    @property
    def table(self):
        """The metrics of the seed that is looked at, by platform and workload."""
        return self.tables[self.seed]

    def measured(self, id):
        """What we have for a claim; None if a platform or all of its workloads are not there."""
        metric, subject, baseline, of = CLAIMS[id]
        there = {p.keys["platform"] for p in self.points}
        chosen = [w for w in self.args.workloads if w in of]
        if not chosen or not {p for p in (subject, baseline) if p} <= there:
            return None
        if metric in OF_BASELINE:
            column = {"read_only_removed": "read_only_reads"}.get(metric)
            ours, theirs = self.table.loc[subject].loc[chosen], self.table.loc[baseline].loc[chosen]
            shares = (1 - ours[column] / theirs[column] if column else
                      (ours.metadata + ours.dedup_reads) / theirs.off_chip)
            return float(100 * shares.fillna(0).mean())
        ours = self.table[metric].loc[subject].loc[chosen]
        if baseline is None:
            return float(ours.mean())
        theirs = self.table[metric].loc[baseline].loc[chosen]
        ratios = (ours / theirs)[theirs != 0]
        return float(ratios.mean()) if len(ratios) else None

    def judge(self, *ids):
        """Judges claims; those whose platforms are not there are not modelled."""
        for id in ids:
            if id in COMPUTED:
                self.claim(id, [float(COMPUTED[id]())])
                continue
            ours = self.over_seeds(lambda: self.measured(id))
            self.claim(id, ours) if all(x is not None for x in ours) else self.not_modelled(id)

    def show(self, metric, relative_to=None):
        """A table of text: platforms by workloads, and means."""
        rows = self.table[metric].unstack("workload")[self.args.workloads]
        base = rows.loc[relative_to] if relative_to in rows.index else None
        print(f"{metric + (f', of {relative_to}' if base is not None else ''):28}"
              + "".join(f"{w[:9]:>10}" for w in rows) + "      mean")
        for platform in dict.fromkeys(p.keys["platform"] for p in self.points):
            row = rows.loc[platform]
            shown = row if base is None else row / base
            print(f"{platform:28}" + "".join(f"{x:10.3g}" for x in shown) + f"{shown.mean():10.3g}")
