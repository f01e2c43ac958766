"""What is special of CXL-GPU's figures: figures.toml and claims.toml name these functions."""

import dataclasses
import math
from typing import Any

from ...study.figure import ClaimTable, Figure, config
from . import metrics
from .values import CONTROLLERS
from .workloads import COMPUTE, LOADS

INVERSE = "mean of inverse ratios"  # of times: how much faster the subject is


def means(row: Any, base: Any) -> dict[str, float]:
    """Means that tables show beside the values of a platform."""
    shown = row if base is None else row / base
    return {
        "mean": float(shown.mean()),
        "geo mean": math.exp(sum(map(math.log, shown)) / len(shown)) if (shown > 0).all() else math.nan,
    }


# ---- a round trip (Fig. 3b) ----------------------------------------------------------------------

LAYERS = "cxl_conversion", "cxl_transaction", "cxl_link", "cxl_physical", "cxl_wires"


def fig3b(fig: Figure) -> None:
    for controller in CONTROLLERS:
        fig.point(config("cxl_link.py"), "--controller", controller, options=("--stamps", "1"), controller=controller)
    fig.run()
    of_a_layer = "SELECT coalesce(sum(value), 0) FROM result WHERE run = :run AND path = 'stages' AND name = '{}.mean'"
    table = fig.table(
        round_trip="SELECT value FROM result WHERE run = :run AND path = 'generator' AND name = 'read_latency.mean'",
        **{layer: of_a_layer.format(layer) for layer in LAYERS},
    )
    print(table.to_string(float_format="%.1f ns"))
    ours, smt, tpp = (table.round_trip[c] for c in CONTROLLERS)
    fig.claim("cxl-03", (smt + tpp) / 2)
    fig.claim("cxl-04", (smt + tpp) / 2 / ours)
    fig.claim("cxl-33", ours)


# ---- claims --------------------------------------------------------------------------------------


def ratio_of_normalised_means(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """Of the means of both times, each normalised to an ideal GPU's first, as the paper's figure is."""
    theirs, ours = (
        fig.compare(dataclasses.replace(claim, subject=platform, baseline="gpu-dram", combine=""), variant=variant)
        for platform in (claim.baseline, claim.subject)
    )
    return theirs / ours if theirs and ours else None


def over_all(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """The mean ratio of times of the workloads that the claim is about, over that of all."""
    own, every = (
        fig.compare(dataclasses.replace(claim, workloads=workloads, combine=""), variant=variant)
        for workloads in (claim.workloads, "")
    )
    return own / every if own and every else None


def all_workloads(fig: Figure, claim: ClaimTable) -> bool:
    """Whether all over which the figure averages were run."""
    return {*fig.every} <= {*fig.workloads}


def of_compute_and_load_intensive(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """The mean over the compute-intensive workloads, over that over the load-intensive ones."""
    if not {*COMPUTE, *LOADS} <= set(fig.workloads) or claim.subject not in fig.labels():
        return None
    column = fig.frame[claim.metric].loc[claim.subject]
    means = [sum(column[w] for w in workloads) / len(workloads) for workloads in (COMPUTE, LOADS)]
    return float(means[0] / means[1])


DRIVES = "optane", "z-nand", "nand"


def _with_medium(claim: ClaimTable, medium: str) -> ClaimTable:
    return dataclasses.replace(
        claim, subject=f"{claim.subject} {medium}", baseline=f"{claim.baseline} {medium}", combine=INVERSE
    )


def mean_over_media(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    drives = [medium if medium == "optane" else f"{medium} fresh" for medium in DRIVES]  # that never collect
    found = [fig.compare(_with_medium(claim, medium), variant=variant) for medium in drives]
    return None if None in found else sum(x for x in found if x is not None) / len(found)


def _best(fig: Figure, claim: ClaimTable, variant: str = "") -> ClaimTable:
    """A claim about the best medium, with that medium in the compared labels."""
    return max((_with_medium(claim, medium) for medium in DRIVES), key=lambda of: fig.compare(of, variant=variant) or 0)


def best_medium(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    return fig.compare(_best(fig, claim, variant), variant=variant)


# ---- claims about deterministic stores -----------------------------------------------------------

# They are judged from runs in which each of the two platforms has collected so often.
COLLECTIONS = 10


def _compared(fig: Figure, claim: ClaimTable) -> ClaimTable:
    return _best(fig, claim) if claim.combine == "best_medium" else claim


def _counts(fig: Figure, claim: ClaimTable) -> dict[str, float]:
    """How often the drives of both platforms have collected on the claim's workloads."""
    column, labels = fig.frame["collections"], fig.labels()
    return {
        platform: float(column.loc[platform].loc[fig.chosen(claim)].sum()) if platform in labels else 0.0
        for platform in (claim.subject, claim.baseline)
    }


def collected(fig: Figure, claim: ClaimTable) -> bool:
    """Whether a claim about deterministic stores can be judged from these runs."""
    return min(_counts(fig, _compared(fig, claim)).values()) >= COLLECTIONS


def claims_about_stores(fig: Figure) -> None:
    """Prints of each how often drives have collected, and the same figure on drives that never did."""
    for id in fig.table_of.claims:
        if fig.paper.claims[id].requires != "collected":
            continue
        claim = _compared(fig, fig.paper.claims[id])
        counts = _counts(fig, claim)
        fresh = fig.compare(
            dataclasses.replace(claim, subject=claim.subject + " fresh", baseline=claim.baseline + " fresh")
        )
        print(
            f"{id}: {', '.join(f'{p} has collected {n:.0f} times' for p, n in counts.items())}"
            + (f"; with fresh drives {fresh:.3g}" if fresh is not None and not math.isnan(fresh) else "")
            + (f" (fewer than {COLLECTIONS})" if min(counts.values()) < COLLECTIONS else "")
        )


# ---- over time (Fig. 9e), and assumptions --------------------------------------------------------

ROWS = 12  # in which a series is shown


def over_time(fig: Figure) -> None:
    """Prints each series in ROWS parts: mean latencies in us, messages at the endpoint, collections so far."""
    for workload in fig.workloads:
        for run in fig.runs(workload=workload):
            steps = metrics.over_time(run)
            if steps is None:
                continue
            print(f"{run.keys['platform']}, {workload}:")
            print(f"{'until ms':>10}{'load us':>10}{'store us':>10}{'ingress':>10}{'collections':>12}")
            size = -(-len(steps) // ROWS)
            for i in range(0, len(steps), size):
                part = steps.iloc[i : i + size]
                load, store = (part[f"{k}_time"].sum() / max(1, part[f"{k}s"].sum()) / 1e3 for k in ("load", "store"))
                print(
                    f"{part.index[-1] / 1e12:10.3f}{load:10.2f}{store:10.2f}{part.ingress.mean():10.2f}"
                    f"{part.collections.iloc[-1]:12.0f}"
                )


def gains_by_assumption(fig: Figure) -> None:
    """Prints the gains of speculative reads and deterministic stores under each assumption."""
    print(f"{'assumption':44}{'cxl/gpu-dram':>14}{'sr/cxl':>10}{'ds/sr':>10}")
    time, labels = fig.frame["time"], fig.labels()
    (points,) = fig.table_of.points
    plain = labels[: len(points.platforms)]
    for variant in ("", *(a.variant for a in fig.swept)):
        dram, cxl, sr, ds = (time.loc[p + variant if p + variant in labels else p] for p in plain)
        print(f"{variant or ' none':44}{(cxl / dram).mean():14.2f}{(cxl / sr).mean():10.2f}{(sr / ds).mean():10.2f}")
