"""What is special of ZnG's figures: figures.toml and claims.toml name these functions."""

import functools
import statistics
from math import sqrt

from ...study.combine import geometric_mean_of_ratios
from ...study.figure import ClaimTable, Figure, Points, config, limit
from ...study.metric import Run, share
from . import ftl, peaks, scale, workloads
from .backbone import GEOMETRY
from .flash import SPAN
from .metrics import PACKAGES
from .wear import wear

TERABYTE = 2**40


# ---- what parts give at the most (Figs 1b and 4c) ------------------------------------------------


def fig01b(fig: Figure) -> None:
    parts = "GPU DRAM", "DRAM buffer", "SSD controller", "flash channels", "flash arrays"
    peaks.measure(fig, *parts)
    waste = 100 * peaks.waste(fig)
    print(f"wasted of what is sensed for random lines: {waste:.1f}%")
    fig.claim("zng-35", peaks.PARAMETERS["DRAM buffer"] / peaks.PARAMETERS["GPU DRAM"])
    fig.claim("zng-37", waste)


def fig04c(fig: Figure) -> None:
    rate = peaks.measure(fig, "GPU DRAM", "desktop DRAM", "Optane", "HybridGPU", "GPU-SSD")
    fig.claim("zng-32", rate["GPU DRAM"] / rate["GPU-SSD"])
    fig.claim("zng-33", rate["GPU DRAM"] / rate["HybridGPU"])
    fig.claim("zng-36", rate["Optane"] / 1e9)


def mapping(fig: Figure) -> None:
    geometry = dict(GEOMETRY, span=SPAN)
    print(ftl.report(scale.CHANNELS, geometry))
    print(f"1 TB: {-(-TERABYTE // ftl.block_bytes(geometry))} blocks")
    fig.claim("zng-31", ftl.table_bytes(TERABYTE, geometry) / 1024)


# ---- pages (Figs 5 and 8b) -----------------------------------------------------------------------


def wasted(fig: Figure) -> None:
    """Prints the share of sensed bytes that no request reads, without optimizations."""
    print(f"{'wasted of what is sensed, %':28}", end="")
    for workload in fig.workloads:
        (run,) = fig.runs(platform="zng-base", workload=workload)
        sensed, useful = (run.total("flash.package", name) for name in ("sensed_bytes", "useful_bytes"))
        print(f"{100 * (1 - useful / sensed) if sensed else 0:11.1f}", end="")
    print()


# Of each place: the components that send the requests, and those that count the accessed pages; kinds of requests.
PLACES = {"SMs": ("sms", "l1s"), "L1s": ("l1s", "l1s"), "L2": ("l2s", "l2s")}
COUNTED = {"read": ("reads", "atomics"), "written": ("writes", "atomics")}


def _times(fig: Figure, kind: str, place: str) -> list[float]:
    """Accesses of a page, for each workload; 0 where no page is accessed."""
    system, pages = PLACES[place]
    return [share(run.total(system, *COUNTED[kind]), run.total(pages, f"pages_{kind}")) for run in fig.runs()]


def _mean_times(fig: Figure, kind: str) -> float:
    return statistics.fmean(_times(fig, kind, "L2"))


def fig05bc(fig: Figure) -> None:
    for workload in dict.fromkeys(name for text in fig.workloads for name in workloads.names(text)):
        arguments = ("--workload", workload, "--scale", fig.args.scale, *limit(fig.args))
        fig.point(config("zng_pages.py"), *arguments, workload=workload)
    fig.run()
    for kind in COUNTED:
        print(f"times a page is {kind} by".ljust(26) + "".join(f"{p.name:>9}" for p in fig.selected) + "     mean")
        for place in PLACES:
            row = _times(fig, kind, place)
            print(f"{place:>26}" + "".join(f"{x:9.4g}" for x in row) + f"{statistics.fmean(row):9.4g}")
    for id, kind in ("zng-14", "read"), ("zng-15", "written"):
        fig.claim(id, fig.over_seeds(functools.partial(_mean_times, fig, kind)))


def writes_of_planes(fig: Figure) -> None:
    for point in fig.points:
        writes: dict[str, list[int]] = {}
        for (path, name), value in fig.run_of(point).values.items():
            if name.startswith("plane_writes[") and path.startswith(PACKAGES):
                writes.setdefault(path, []).append(int(value))
        print(f"{point.name}: lines written to each plane of each channel, 0 to 9 of the most")
        every = [w for planes in writes.values() for w in planes]
        most, mean = max(every), sum(every) / len(every)
        for path in sorted(writes, key=lambda p: int(p[len(PACKAGES) : -1])):
            print(f"  {path:18} " + "".join(str(9 * w // most) if most else "0" for w in writes[path]))
        print(
            f"  most {most}, mean {mean:.1f}, planes that get less than half of the mean: "
            f"{sum(w < mean / 2 for w in every) / len(every):.0%}, less than a tenth: "
            f"{sum(w < mean / 10 for w in every) / len(every):.0%}"
        )


# ---- copies (Fig. 15a) and thresholds (Fig. 16a) -------------------------------------------------


def _gain(fig: Figure, platform: str, name: str) -> float:
    """Of the IPC with most copies over that with fewest."""
    ipc = fig.frame["ipc"].loc[platform]
    return float(ipc[f"{name}*{max(fig.args.copies)}"] / ipc[f"{name}*{min(fig.args.copies)}"] - 1)


def _share_of_gain(fig: Figure, name: str) -> float:
    """The gain of ZnG in per cent of the gain of DRAM."""
    return 100 * share(_gain(fig, "zng", name), _gain(fig, "ideal", name))


def gain_of_copies(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """None of one number of copies."""
    first = fig.workloads[0].partition("*")[0]
    return _share_of_gain(fig, first) if max(fig.args.copies) > min(fig.args.copies) else None


def fig15a(fig: Figure) -> None:
    names, copies = [n.split("-")[0] for n in fig.workloads], fig.args.copies
    for name in names:
        own = [f"{name}*{n}" for n in copies]
        fig.add(Points(["zng", "ideal"], workloads=own, arguments=["--sized-for", f"{name}*{max(copies)}"]))
    fig.workloads = fig.args.workloads = [f"{name}*{n}" for name in names for n in copies]
    fig.run()
    fig.show("ipc")
    for name in names:
        print(
            f"{max(copies)} copies of {name} gain {_gain(fig, 'zng', name):.1%} on zng, "
            f"{_gain(fig, 'ideal', name):.1%} on ideal: {_share_of_gain(fig, name):.0f} %"
        )
    fig.judge("zng-39")


PAPERS_HIGH = 30  # per cent, of Fig. 16a


def _of_thresholds(fig: Figure) -> dict[int, float]:
    """Of the IPC at the paper's high threshold, that at each."""
    ipc, base = fig.frame["ipc"], f"zng high {PAPERS_HIGH} %"
    highs = [int(label.split()[2]) for label in fig.labels() if label.startswith("zng high ")]
    return {high: geometric_mean_of_ratios(ipc.loc[f"zng high {high} %"], ipc.loc[base]) for high in highs}


def threshold(fig: Figure, claim: ClaimTable, variant: str) -> float:
    """The best high threshold; the paper's if none is better."""
    means = _of_thresholds(fig)
    return (PAPERS_HIGH if means[PAPERS_HIGH] == max(means.values()) else max(means, key=lambda h: means[h])) / 100


def spread_of_thresholds(fig: Figure) -> None:
    means = _of_thresholds(fig).values()
    print(f"from the worst to the best threshold: {max(means) / min(means) - 1:.2%}")


# ---- collection (Fig. 17, VI) --------------------------------------------------------------------

SERIES = """SELECT tick, name, sum(value) FROM samples WHERE run = ? AND name LIKE 'application_requests[%'
            GROUP BY tick, name ORDER BY tick"""
CASES = "without", "with"


def _cases(fig: Figure, workload: str) -> dict[str, Run]:
    """The run with collection and the one without."""
    return {run.keys["platform"]: run for run in fig.runs(workload=workload)}


def _ipc_of(run: Run, application: int) -> float:
    return run.value("gpu.dispatcher", f"application_ipc[{application}]")


def _slowdown(fig: Figure, application: int) -> float | None:
    """IPC of an application with collection, of that without: the mean of the pairs. None where nothing was collected,
    or on another machine."""
    cases = [_cases(fig, workload) for workload in fig.workloads]
    merged = sum(of["with"].value("gpu.collector", "merges") for of in cases)
    if "betw-back" not in fig.workloads or fig.args.registers != 8 or not merged:
        return None
    return statistics.geometric_mean(
        _ipc_of(of["with"], application) / _ipc_of(of["without"], application) for of in cases
    )


def of_the_first(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    return _slowdown(fig, 0)


def of_the_second(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    return _slowdown(fig, 1)


def collections(fig: Figure) -> None:
    """What collection does to each program, and requests over time."""
    for workload in fig.workloads:
        names, of = workloads.names(workload), _cases(fig, workload)
        merged, pages = (of["with"].value("gpu.collector", n) for n in ("merges", "moved_pages"))
        print(f"{workload}: {merged:.0f} log blocks merged, {pages:.0f} pages moved")
        for i, name in enumerate(names[:2]):
            without, with_it = (_ipc_of(of[case], i) for case in CASES)
            held = of["with"].value("gpu.collector", f"held_time[{i}]") / 1e6
            print(
                f"  {name}: {without:.3f} instructions a cycle without, {with_it:.3f} with collection, "
                f"held for {held:.3f} ms"
            )
        print(f"  requests every {fig.args.every}, with collection: " + ", ".join(names))
        counts: dict[int, list[float]] = {}
        before: dict[str, float] = {}
        for tick, name, value in of["with"].query(SERIES, of["with"].run):
            counts.setdefault(tick, []).append(value - before.get(name, 0))
            before[name] = value
        for tick in list(counts)[:40]:
            print(f"  {tick / 1e9:9.0f} us " + "".join(f"{n:9.0f}" for n in counts[tick]))


def endurance(fig: Figure) -> None:
    print(
        f"{'':42} {'lines/program':>13} {'programs/page':>13} {'amplification':>13} {'erases':>7} {'most':>5} "
        f"{'spread':>6}  years: alike, one block"
    )
    for point in fig.points:
        run = fig.run_of(point)
        worn = wear(run.values, run.seconds)
        squares = run.total("flash.package", "erase_squares.peak")
        mean = worn.mean_erases
        deviation = sqrt(max(0.0, squares / worn.erased_blocks - mean**2)) if worn.erased_blocks else 0.0
        print(
            f"{point.name:42} {worn.writes_per_page:13.1f} {worn.programs_per_page:13.2f} "
            f"{worn.amplification:13.2f} {worn.erases:7.0f} {worn.most_erases:5.0f} "
            f"{deviation / mean if mean else 0.0:6.2f}  {worn.years:12.3g} {worn.years_unlevelled:9.3g}"
        )
