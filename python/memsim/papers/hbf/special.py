"""Functions of the figures of the papers on HBF that figures.toml names."""

from ...study.figure import ClaimTable, Figure
from . import arithmetic as of


def media(fig: Figure) -> None:
    """The array's bandwidth of each point: not every machine runs every program."""
    fig.shown["array_bandwidth"] = None
    print(f"{'':28}{'program':16}{'array GB/s':>12}{'read GB/s':>12}{'sensed / read':>16}")
    for (platform, workload), row in fig.frame.iterrows():
        print(
            f"{platform:28}{workload:16}{row.array_bandwidth:12.3f}{row.read_bandwidth:12.3f}{row.amplification:16.1f}"
        )


def arithmetic(fig: Figure) -> None:
    values = {
        "hbf-09": 1e-9 * of.weight_load_limit(),
        "hbf-17": of.planes_to_fill(),
        "hbf-44": of.rotation(),
        "hbf-45": 1e3 * of.refresh(),
        "hbf-46": 1e-9 * of.phantom_planes(),
        "hbf-50": of.dash_years(),
        "hbf-61": 1e-9 * of.writes("flashaccel", stacks=6),
        "hbf-62": 1e-12 * of.flashaccel_written(),
        "hbf-71": 1e-9 * of.writes("hbflex"),
        "hbf-80": 1e-6 * of.hiding_buffer(),
    }
    for id, value in values.items():
        print(f"{id:8}{value:12.4g}  {fig.paper.claims[id].words['metric']}")
        fig.claim(id, value)


def not_modelled(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """What no component does."""
    return None
