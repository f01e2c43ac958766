"""Functions of SAP's figures and claims that figures.toml and claims.toml name."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...results import plot
from ...study.combine import farthest
from ...study.figure import ClaimTable, Figure, config
from ...study.study import limit
from . import machines
from .metrics import MIB, sizes

FLAT = 8  # MiB, from which on nothing changes (sap-05, 07)
DECIDES: dict[str, Callable[[list[float]], float]] = {"least": min, "most": max, "farthest": farthest}


def over_sizes(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """Of the ratios of subjects to baselines, over workloads and sizes, the one that decides. Without a baseline: of
    the subject to itself at FLAT MiB."""
    given, found = claim.given, []
    table, (least, most) = fig.frame.loc["sap" + variant], given["sizes"]
    own = fig.paper.workloads(claim.workloads, fig.paper.place(claim.id, "claims.toml"))
    for workload in [w for w in own if w in fig.workloads]:
        of = table.loc[workload]
        for mib in sizes():
            if not least <= mib <= most:
                continue
            for subject in given["subjects"]:
                ours = of.loc[subject, mib][claim.metric]
                for base in given.get("baselines", [subject]):
                    theirs = of.loc[base, mib if "baselines" in given else FLAT][claim.metric]
                    if theirs:
                        found.append(float(ours / theirs))
    return DECIDES[given["which"]](found) if found else None


# ---- figures by size (Figs 2, 5, 6) --------------------------------------------------------------


def _panels(fig: Figure, metric: str, policies: Iterable[str]) -> dict[str, Any]:
    """{workload: table of policies by sizes}."""
    return {w: fig.frame.loc["sap", w][metric].unstack("mib").loc[list(policies)] for w in fig.workloads}


def _print_tables(fig: Figure, metric: str, policies: Iterable[str] = machines.POLICIES) -> None:
    """Prints a table of text for each workload: policies by sizes."""
    fig.shown[metric] = None
    for workload, table in _panels(fig, metric, policies).items():
        footprint = fig.frame.loc["sap", workload].footprint.iloc[0]
        print(f"\n{workload}, {footprint / MIB:.1f} MiB accessed: {metric.replace('_clean', ' clean')}")
        print(f"{'MiB':14}" + "".join(f"{mib:>10}" for mib in table))
        for policy, row in table.iterrows():
            print(f"{policy:14}" + "".join(f"{x:10.4g}" for x in row))


def _plot(fig: Figure, metric: str, y: str, log: str = "x", policies: Iterable[str] = machines.POLICIES) -> None:
    """Writes the figure into its folder, and prints its path."""
    os.makedirs(fig.folder, exist_ok=True)
    path = os.path.join(fig.folder, f"{fig.name}.svg")
    print("plot:", plot.lines(path, _panels(fig, metric, policies), "MiB of DRAM", y, log))


def fig02(fig: Figure) -> None:
    _print_tables(fig, "hit_ratio", ("fifo", "lru"))
    _plot(fig, "hit_ratio", "hit ratio", policies=("fifo", "lru"))


def fig05(fig: Figure) -> None:
    accountings = [how + dirty for dirty in ("", "_clean") for how in ("once", "each", "full")]
    for accounting in accountings:
        _print_tables(fig, accounting)
    _plot(fig, "once", "ns of an access", log="xy")
    print("\nReduction by SAP at the most, of FIFO or LRU:")
    for accounting in sorted(accountings, key=lambda name: ("once", "each", "full").index(name.split("_")[0])):
        table = fig.frame[accounting].unstack("policy")
        worst = table[["fifo", "lru"]].min(axis=1)
        print(f"  {accounting.replace('_', ' '):14}{100 * (1 - (table['sap'] / worst).min()):.1f} %")


def fig06(fig: Figure) -> None:
    _print_tables(fig, "hit_ratio")
    _print_tables(fig, "useless", ("sap", "page-on-page"))
    _plot(fig, "hit_ratio", "hit ratio")


def sensitivity(fig: Figure) -> None:
    print(
        f"at {fig.args.size} MiB, means of {len(fig.workloads)} workloads\n"
        f"{'assumption':28}{'hits, LRU':>12}{'hits, SAP':>12}{'time, SAP / LRU':>18}{'useless':>10}"
    )
    for label in fig.labels():
        mean = fig.frame.loc[label].xs(fig.args.size, level="mib")
        lru, ours = mean.xs("lru", level="policy"), mean.xs("sap", level="policy")
        print(
            f"{label.removeprefix('sap').strip() or 'none':28}{lru.hit_ratio.mean():12.4f}{ours.hit_ratio.mean():12.4f}"
            f"{(ours.once / lru.once).mean():18.3f}{ours.useless.mean():10.3f}"
        )


# ---- the policies in time, and in other machines -------------------------------------------------

Values = Mapping[tuple[str, str], float]


def _scale(fig: Figure) -> list[str]:
    return ["--scale", fig.args.scale, *map(str, limit(fig.args))]


def total(values: Values, name: str, where: str = "") -> float:
    """The sum of a statistic over the objects whose path has `where`."""
    return sum(v for (path, n), v in values.items() if n == name and where in path)


def run_time(fig: Figure) -> None:
    for drive in machines.DRIVES:
        for dram in fig.args.dram:
            for policy in fig.args.policies:
                for workload in fig.workloads:
                    keys = dict(drive=drive, dram=dram, policy=policy, workload=workload)
                    words = ["--policy", policy, "--dram", dram, "--drive", drive, "--workload", workload]
                    fig.point(config("sap.py"), *words, *_scale(fig), **keys)
    fig.run()
    value = "SELECT value FROM result WHERE run = :run AND path = '{}' AND name = '{}'".format
    found = {name: value("gpu.memory[0]", name) for name in ("hits", "merged", "misses")}
    table = fig.table(cycles=value("gpu.dispatcher", "cycles"), **found).sort_index()
    table["hit_ratio"] = table.hits / (table.hits + table.merged + table.misses)
    for drive in machines.DRIVES:
        for dram in fig.args.dram:
            here = table.loc[drive, dram]
            print(f"\ndrive: {drive}, {dram} of DRAM: time over LRU's, and hit ratio (a unit on its way is no hit)")
            print(f"{'':14}" + "".join(f"{w:>16}" for w in fig.workloads))
            for policy in fig.args.policies:
                print(
                    f"{policy:14}"
                    + "".join(
                        f"{here.cycles[policy, w] / here.cycles['lru', w]:8.3f}{here.hit_ratio[policy, w]:8.3f}"
                        for w in fig.workloads
                    )
                )


# Of each host: the workloads that it runs, and the part of the path of the components that count its hits.
HOSTS = {
    "endpoint": (["cxl_gpu:all"], ".medium.cache"),
    "buffer": (["zng:table II"], "memory.buffer"),
    "mmu": (["cxl_gpu:all"], ""),
}


def _found(values: Values, host: str) -> float:
    """Hits in per cent of lookups (mmu: walks without a fault in per cent of walks)."""
    if host == "mmu":
        walks = values["gpu.mmu", "walks"]
        return 100 * (1 - values["host", "faults"] / walks) if walks else 100.0
    part = HOSTS[host][1]
    looked_up = sum(total(values, name, part) for name in ("hits", "merged", "misses"))
    return 100 * total(values, "hits", part) / max(1, looked_up)


def policies(fig: Figure) -> None:
    place = fig.paper.place(fig.name)
    chosen = {
        host: [w for w in fig.paper.workloads(HOSTS[host][0], place) if w in fig.workloads] for host in fig.args.hosts
    }
    for host, workloads in chosen.items():
        for policy in fig.args.policies:
            for workload in workloads:
                words = ["--host", host, "--policy", policy, "--workload", workload]
                fig.point(config("sap_policies.py"), *words, *_scale(fig), host=host, policy=policy, workload=workload)
    fig.run()
    shown = {}
    for point in fig.selected:
        values = fig.values(point)
        shown[tuple(point.keys.values())] = (values["gpu.dispatcher", "cycles"], _found(values, point.keys["host"]))
    base = "lru" if "lru" in fig.args.policies else fig.args.policies[0]
    for host, workloads in chosen.items():
        if not workloads:
            continue
        print(
            f"\n{host}: time over that under LRU, and found (per cent)\n{'':14}"
            + "".join(f"{w[:13]:>14}" for w in workloads)
            + f"{'mean time':>12}"
        )
        for policy in fig.args.policies:
            ratios = [shown[host, policy, w][0] / shown[host, base, w][0] for w in workloads]
            print(
                f"{policy:14}"
                + "".join(f"{r:8.3f}{shown[host, policy, w][1]:6.1f}" for r, w in zip(ratios, workloads))
                + f"{sum(ratios) / len(ratios):12.3f}"
            )


def _hinted(fig: Figure, system: str, platform: str, metrics: dict[str, Callable[[Values], float]]) -> None:
    """Each workload with hints and without: the time with hints over that without, and each metric without and with."""
    for workload in fig.workloads:
        for hints, more in (("with", ()), ("without", ("--without",))):
            words = ["--system", system, "--platform", platform, "--workload", workload]
            fig.point(config("sap_hints.py"), *words, *_scale(fig), *more, workload=workload, hints=hints)
    fig.run()
    print(f"{'':10}{'time':>8}" + "".join(f"{name + ': without, with':>22}" for name in metrics))
    ratios = []
    for workload in fig.workloads:
        rows = {p.keys["hints"]: fig.values(p) for p in fig.selected if p.keys["workload"] == workload}
        cycles = {hints: values["gpu.dispatcher", "cycles"] for hints, values in rows.items()}
        ratios.append(cycles["with"] / cycles["without"])
        print(
            f"{workload[:9]:10}{ratios[-1]:8.3f}"
            + "".join(f"{metric(rows['without']):11.3f}{metric(rows['with']):11.3f}" for metric in metrics.values())
        )
    print(f"{'mean':10}{sum(ratios) / len(ratios):8.3f}")


def hints_to_cxl(fig: Figure) -> None:
    def hits(values: Values) -> float:
        found = [total(values, name, ".medium.cache") for name in ("hits", "merged", "misses")]
        return 100 * found[0] / max(1, sum(found))

    _hinted(fig, "cxl_gpu", "cxl-sr", {"hits": hits, "hints": lambda values: total(values, "hints", ".queues")})


def hints_to_ohm(fig: Figure) -> None:
    def hits(values: Values) -> float:
        return 100 * total(values, "dram_hits") / max(1, total(values, "requests", "memory.controller"))

    _hinted(fig, "ohm", "ohm-base", {"hits": hits, "swaps": lambda values: total(values, "swaps", "memory.controller")})
