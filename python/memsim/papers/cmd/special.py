"""Functions of CMD's figures and claims that figures.toml and claims.toml name."""

import functools
from typing import Any

from ...study.figure import ClaimTable, Figure
from . import cost
from .metrics import SHARES, percent

# ---- claims --------------------------------------------------------------------------------------


def _rows(fig: Figure, claim: ClaimTable, variant: str, *platforms: str) -> list[Any] | None:
    """All metrics of these platforms, with the variant where there is one, on the claim's workloads; None if something
    is not there."""
    there = fig.labels()
    labels = [p + variant if p + variant in there else p for p in platforms]
    chosen = fig.chosen(claim)
    return [fig.frame.loc[label].loc[chosen] for label in labels] if chosen and {*labels} <= {*there} else None


def ratio_of_mean_gains(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """Of CMD's (cmd-02) and of the larger L2's (cmd-06), as in the paper: 1.3779 / 1.0942 = 1.2592."""
    ours, theirs = (fig.measured(of, variant) for of in ("cmd-02", "cmd-06"))
    return ours / theirs if ours and theirs else None


def removed(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """The baseline's events that the subject avoids, in per cent: the mean over workloads, 0 where the baseline has
    none."""
    rows = _rows(fig, claim, variant, claim.subject, claim.baseline)
    if rows is None:
        return None
    ours, theirs = (row[claim.metric] for row in rows)
    shares = 1 - ours / theirs
    return float(100 * shares.fillna(0).mean())


def overhead(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """Requests for metadata and for deduplication in per cent of the baseline's requests."""
    rows = _rows(fig, claim, variant, claim.subject, "baseline")
    if rows is None:
        return None
    ours, theirs = rows
    shares = (ours.metadata + ours.dedup_reads) / theirs.off_chip
    return float(100 * shares.fillna(0).mean())


def capacity_overhead(fig: Figure, claim: ClaimTable, variant: str) -> float:
    return 100 * cost.capacity_overhead()


def on_chip(fig: Figure, claim: ClaimTable, variant: str) -> float:
    return cost.on_chip() / cost.KB


def fifo_share(fig: Figure, claim: ClaimTable, variant: str) -> float:
    return 100 * cost.fifo_share()


def area(fig: Figure, claim: ClaimTable, variant: str) -> float:
    return cost.area()


def blocks_of_a_fetch(fig: Figure, claim: ClaimTable, variant: str) -> float:
    return cost.blocks_of_a_fetch()


# ---- what is printed -----------------------------------------------------------------------------


def summed(fig: Figure, metric: str, platform: str, relative_to: str = "") -> float | None:
    """Of the sums over the workloads, which the mean of a table weighs equally: a share of all, or a ratio of two
    platforms' sums. None of a metric that is no share and no ratio."""

    def total(name: str, of: str) -> float:
        return float(fig.frame[name].loc[of].loc[fig.workloads].sum())

    if metric in SHARES:
        part, whole = SHARES[metric]
        return percent(total(part, platform), total(whole, platform))
    return total(metric, platform) / total(metric, relative_to) if relative_to else None


def below(fig: Figure, metric: str, relative_to: str) -> None:
    """Prints below each table the ratios of sums, beside its means."""
    sums = {p: summed(fig, metric, p, relative_to) for p in fig.labels()}
    if None not in sums.values():
        print("  of sums: " + ", ".join(f"{platform} {ours:.3g}" for platform, ours in sums.items()))


# Kinds of written blocks, and the metric of the share of each.
FOUND = {
    "intra-duplicates": "intra_share",
    "inter-duplicates": "inter_share",
    "equal to another block": "overlapping_share",
    "silent": "silent_share",
}


def found_blocks(fig: Figure) -> None:
    """Prints the shares of each kind of written blocks that a deduplicating platform, or each with a store that forgets
    none, found: of each program and seed, and of all programs together."""
    labels = fig.labels()
    exact = [p for p in ("cmd exact", "dedup exact") if p in labels]
    for platform in exact or [next(p for p in ("cmd", "dedup") if p in labels)]:
        _found_by(platform, fig)


def _found_by(platform: str, fig: Figure) -> None:
    import pandas

    def of(what: str) -> tuple[str, Any, float | None]:
        named = f", seed {fig.seed}" if len(fig.seeds) > 1 else ""
        share = FOUND[what]
        return what + named, fig.frame[share].loc[platform].loc[fig.workloads], summed(fig, share, platform)

    found = [row for what in FOUND for row in fig.over_seeds(functools.partial(of, what))]
    shares = pandas.DataFrame({name: values for name, values, _ in found}).T
    fig.show_rows(f"% of written blocks, {platform}", shares, shares.index)
    print("  of sums: " + ", ".join(f"{name} {total:.3g}" for name, _, total in found))


# Least sizes of a run's inputs for hit rates of tables and stores that do not result from small inputs, and the claims
# that use these rates.
INPUTS = {
    "written_over_reach": (2, "written-back data over what the map's cache reaches"),
    "hashed_over_entries": (1, "hashed blocks over entries of the hash store"),
    "footprint_over_l2": (4, "footprint over the L2"),
}
OF_INPUTS = "cmd-34", "cmd-35", "cmd-36", "cmd-37", "cmd-43", "cmd-50"


def too_small(fig: Figure) -> dict[str, list[str]]:
    """The workloads with inputs too small for INPUTS, each with the requirements that it does not meet."""
    rows = fig.frame.loc["cmd"].loc[fig.workloads]
    lacks = {
        w: [f"{what} {rows[name][w]:.2g} of {least}" for name, (least, what) in INPUTS.items() if rows[name][w] < least]
        for w in rows.index
    }
    return {w: what for w, what in lacks.items() if what}


def sizes_of_inputs(fig: Figure) -> None:
    """Prints the workloads that are too small for those claims of OF_INPUTS that are judged."""
    judged = [v.claim.id for v in fig.verdicts if v.claim.id in OF_INPUTS]
    lacks = too_small(fig)
    enough = ", ".join(w for w in fig.workloads if w not in lacks)
    print(f"\ninputs that are large enough for {', '.join(judged)}: {enough or 'none'}")
    for workload, what in lacks.items():
        print(f"  too small, so by construction, is {workload}: {', '.join(what)}")


def gain_by_assumption(fig: Figure) -> None:
    """CMD's gain over the baseline under each assumption that applies to CMD."""
    print(f"\n{'assumption':48}gain of CMD")
    ipc, labels = fig.frame["ipc"], fig.labels()
    for variant in ("", *(a.variant for a in fig.swept if a.applies("", "cmd"))):
        base = "baseline" + variant if "baseline" + variant in labels else "baseline"
        gain = (ipc.loc["cmd" + variant] / ipc.loc[base]).mean() - 1
        print(f"{variant or ' none':48}{100 * gain:+.1f} %")
