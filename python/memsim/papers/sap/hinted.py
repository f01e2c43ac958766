"""Studies of SAP's memory manager in other machines: each workload with hints and without, over its seeds."""

from ...study import study
from ...run.options import script_parser
from ...systems.platform_study import config


def arguments(doc, workloads):
    parser = study.add_options(script_parser(doc))
    parser.add_argument(
        "--workloads",
        nargs="+",
        default=list(workloads),
        choices=list(workloads),
        metavar="NAME",
        help=f"of {', '.join(workloads)}",
    )
    return parser.parse_args()


class Hinted(study.Study):
    """Points by workload and `hints` (with, without); what a run shows is `metrics`, {name: function of its values}."""

    def __init__(self, name, args, system, platform, metrics):
        super().__init__("sap", name, jobs=args.jobs, seeds=args.seeds)
        self.args, self.metrics = args, metrics
        for workload in args.workloads:
            for hints, more in (("with", ()), ("without", ("--without",))):
                self.point(
                    config("sap_hints.py"),
                    "--system",
                    system,
                    "--platform",
                    platform,
                    "--workload",
                    workload,
                    "--scale",
                    args.scale,
                    *study.limit(args),
                    *more,
                    workload=workload,
                    hints=hints,
                )

    def show(self):
        """Prints a row a workload: the time with hints over that without, and each metric without and with."""
        print(f"{'':10}{'time':>8}" + "".join(f"{name + ': without, with':>22}" for name in self.metrics))
        ratios = []
        for workload in self.args.workloads:
            rows = {p.keys["hints"]: self.values(p) for p in self.selected if p.keys["workload"] == workload}
            cycles = {hints: values["gpu.dispatcher", "cycles"] for hints, values in rows.items()}
            ratios.append(cycles["with"] / cycles["without"])
            print(
                f"{workload[:9]:10}{ratios[-1]:8.3f}"
                + "".join(
                    f"{metric(rows['without']):11.3f}{metric(rows['with']):11.3f}" for metric in self.metrics.values()
                )
            )
        print(f"{'mean':10}{sum(ratios) / len(ratios):8.3f}")


def total(values, name, where=""):
    """The sum of a statistic over the objects whose path has `where`."""
    return sum(v for (path, n), v in values.items() if n == name and where in path)
