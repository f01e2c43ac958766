"""What is special of ZnG's figures: figures.toml and claims.toml name these functions."""

from ...study.combine import geometric_mean_of_ratios
from ...study.figure import ClaimTable, Figure
from . import ftl, scale
from .flash import GEOMETRY

TERABYTE = 2**40


def mapping(fig: Figure) -> None:
    print(ftl.report(scale.CHANNELS, GEOMETRY))
    blocks = -(-TERABYTE // ftl.block_bytes(GEOMETRY))
    print(f"1 TB: {blocks} blocks, {blocks * ftl.ENTRY / 1024:.0f} KiB")
    fig.claim("zng-31", blocks * ftl.ENTRY / 1024)


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


def gain_of_copies(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """What ZnG gains with most copies, in per cent of what DRAM gains; None of one number of copies."""
    fewest, most = min(fig.args.copies), max(fig.args.copies)
    name = fig.workloads[0].partition("*")[0]

    def gain(platform: str) -> float:
        ipc = fig.frame["ipc"].loc[platform]
        return float(ipc[f"{name}*{most}"] / ipc[f"{name}*{fewest}"] - 1)

    return (100 * gain("zng") / gain("ideal") if gain("ideal") else 0.0) if most > fewest else None
