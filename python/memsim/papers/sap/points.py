"""The points of SAP's figures: one run of a workload gives hits and misses of every policy at every size of DRAM.

    args = points.arguments(__doc__)
    fig = points.Points("fig06", args)
    fig.add()
    fig.run()
    fig.judge("sap-02")
    fig.close()
"""

import os

from ...results import plot
from ...study import study
from ...run.options import script_parser
from ...systems.platform_study import PlatformStudy, config
from .eat import effective_access_time
from .machines import CAPACITIES, LEAST, POLICIES, attribute
from .workloads import PAPER, names

MIB = 1 << 20
COUNTS = "hits", "misses", "prefetches", "useful_prefetches", "written_back"
# What the claims compare, over workloads and sizes: metric, subjects, baselines, workloads, sizes in MiB (least, most),
# and which of the ratios decides: the least, the greatest, or the one that is farthest from 1.
CLAIMS = {
    "sap-01": ("once", ("sap",), ("fifo", "lru"), PAPER, (1, 1 << 20), min),
    "sap-02": ("hit_ratio", ("lru",), ("fifo",), ("AES", "CP", "NN"), (1, 1 << 20), "farthest"),
    "sap-03": ("hit_ratio", ("lru",), ("fifo",), ("BFS", "MUM"), (1, 1), min),
    "sap-04": ("hit_ratio", ("lru",), ("fifo",), ("BFS", "MUM"), (8, 1 << 20), "farthest"),
    "sap-05": ("hit_ratio", ("lru", "fifo"), None, PAPER, (16, 1 << 20), "farthest"),
    "sap-06": ("hit_ratio", ("sap",), ("fifo", "lru"), PAPER, (1, 1 << 20), min),
    "sap-07": ("once", ("fifo", "lru", "sap"), None, PAPER, (16, 1 << 20), "farthest"),
    "sap-08": ("once", ("sap",), ("fifo", "lru"), PAPER, (1, 1 << 20), max),
}
FLAT = 8  # MiB, from which on nothing changes (sap-05, 07)


def sizes():
    """MiB of each size."""
    return [(LEAST << i) // MIB for i in range(CAPACITIES)]


def counts(values, policies=tuple(POLICIES)):
    """What each policy counted at each size, of a run's values by (path, name): {policy: [{count: value}]}."""
    found = {}
    for policy in policies:
        path = "distances" if policy == "lru" else f"shadow.{attribute(policy)}"
        found[policy] = [
            dict({name: values.get((path, f"{name}[{i}]"), 0) for name in COUNTS}, accesses=values[path, "accesses"])
            for i in range(CAPACITIES)
        ]
    return found


def arguments(doc, workloads=PAPER, more=lambda parser: None):
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
    args.all_workloads = list(workloads)  # over which the paper looks
    return args


class Points(PlatformStudy):
    """SAP's points: by variant, workload, policy, and MiB of DRAM."""

    system = "sap"
    index = "variant", "workload", "policy", "mib"

    def __init__(self, name, args, policies=tuple(POLICIES)):
        super().__init__(name, args, args.all_workloads)
        self.policies = policies

    def add(self, arguments=(), options=(), name=""):
        """Each workload once. `arguments` are the script's, `options` memsim's; `name` tells a variant."""
        for workload in self.args.workloads:
            self.point(
                config("sap_hits.py"),
                "--workload",
                workload,
                "--scale",
                self.args.scale,
                *arguments,
                *(["--policies", *self.policies] if self.policies != tuple(POLICIES) else []),
                *study.limit(self.args),
                options=options,
                variant=name,
                workload=workload,
            )

    def rows(self, point):
        values = self.values(point)
        footprint = values["distances", "units"] * 4096
        rows = []
        for policy, by_size in counts(values, self.policies).items():
            for mib, c in zip(sizes(), by_size):
                units = c["misses"] + c["prefetches"]
                eat = {
                    f"{how}{dirty}": effective_access_time(
                        c["accesses"], c["misses"], units, c["written_back"] if not dirty else 0, how
                    )
                    for how in ("once", "each", "full")
                    for dirty in ("", " clean")
                }
                rows.append(
                    dict(
                        policy=policy,
                        mib=mib,
                        footprint=footprint,
                        **c,
                        **eat,
                        hit_ratio=c["hits"] / c["accesses"],
                        units=units,
                        useless=1 - c["useful_prefetches"] / c["prefetches"] if c["prefetches"] else 0.0,
                    )
                )
        return rows

    def ratios(self, id, variant=""):
        """Of a claim: {(workload, MiB, subject, baseline): ratio}, over those of its workloads that were run, at the
        sizes of which the footprint is twice or more. Without a baseline: of the subject at FLAT MiB."""
        metric, subjects, baselines, workloads, (least, most), _ = CLAIMS[id]
        table, found = self.frame.loc[variant], {}
        for workload in set(workloads) & set(self.args.workloads):
            for mib in sizes():
                if not least <= mib <= most or table.loc[workload].footprint.iloc[0] < 2 * mib * MIB:
                    continue
                for subject in subjects:
                    ours = table.loc[workload, subject, mib][metric]
                    for base in baselines or (subject,):
                        theirs = table.loc[workload, base, mib if baselines else FLAT][metric]
                        if theirs:
                            found[workload, mib, subject, base] = ours / theirs
        return found

    def measured(self, id, variant=""):
        found = self.ratios(id, variant).values() if id in CLAIMS else ()
        if not found:
            return None
        which = CLAIMS[id][-1]
        return max(found, key=lambda x: abs(x - 1)) if which == "farthest" else which(found)

    def judge(self, *ids):
        """Each claim is judged if all of its own workloads were run."""
        for id in ids:
            self.preview = study.preview(self.args, CLAIMS[id][3])
            super().judge(id)

    def show_sizes(self, metric, policies=None, variant=""):
        """Prints a table of text for each workload: policies by sizes."""
        self.shown = *self.shown, metric
        for workload, table in self.panels(metric, policies, variant).items():
            footprint = self.frame.loc[variant, workload].footprint.iloc[0]
            print(f"\n{workload}, {footprint / MIB:.1f} MiB accessed: {metric}")
            print(f"{'MiB':14}" + "".join(f"{mib:>10}" for mib in table))
            for policy, row in table.iterrows():
                print(f"{policy:14}" + "".join(f"{x:10.4g}" for x in row))

    def panels(self, metric, policies=None, variant=""):
        """{workload: table of policies by sizes}."""
        chosen = list(policies or self.policies)
        return {w: self.frame.loc[variant, w][metric].unstack("mib").loc[chosen] for w in self.args.workloads}

    def plot(self, metric, y, log="x", policies=None, variant=""):
        """Writes the figure into the study's folder, and says where."""
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, f"{self.name}.svg")
        print("plot:", plot.lines(path, self.panels(metric, policies, variant), "MiB of DRAM", y, log))
