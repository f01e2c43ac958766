"""What is special of Ohm-GPU's figures: figures.toml and claims.toml name these functions."""

import itertools
from typing import Any

import memsim

from ...study.combine import farthest, geometric_mean_of_ratios
from ...study.figure import ClaimTable, Figure, config
from ...study.study import limit
from . import cost, energy, limits, modes, optics
from .wear import wear

DUAL = "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"

# ---- where the time goes (Fig. 3) ----------------------------------------------------------------

TIME = "SELECT sim_time_fs * 1e-12 FROM run WHERE id = :run"


def testbed(fig: Figure) -> None:
    for workload in fig.workloads:
        for data in "drive", "host", "resident":
            fig.point(
                config("ohm_testbed.py"),
                *("--data", data, "--workload", workload, "--scale", fig.args.scale),
                *limit(fig.args),
                workload=workload,
                data=data,
            )
    fig.run()
    print(_shares(fig).to_string(float_format="%.1f %%"))
    means: list[Any] = fig.over_seeds(lambda: _shares(fig).mean())
    fig.claim("ohm-47", [mean["storage"] for mean in means])
    fig.claim("ohm-48", [mean["transfer"] for mean in means])
    fig.claim("ohm-52", [(mean["storage"] + mean["transfer"]) / mean["computing"] for mean in means])
    fig.claim("ohm-53", [mean["wires: time"] for mean in means])


def _shares(fig: Figure) -> Any:
    """In per cent, of each workload: of the time with the data on the drive; and with the data in the GPU the wires'
    shares of its memory system's time and energy."""
    import pandas

    time = fig.table(ms=TIME)["ms"].unstack("data")
    parts = {
        "storage": time["drive"] - time["host"],
        "transfer": time["host"] - time["resident"],
        "computing": time["resident"],
    }
    resident = {run.keys["workload"]: run for run in fig.runs(data="resident")}
    return (
        pandas.DataFrame(parts)
        .div(time["drive"] / 100, axis=0)
        .assign(
            **{
                "wires: time": [100 * energy.wires_of_time(resident[w].values) for w in time.index],
                "wires: energy": [
                    100 * energy.wires_of_energy(resident[w].values, resident[w].seconds) for w in time.index
                ],
            }
        )
    )


# ---- energy and prices (Figs 18, 19, 21) ---------------------------------------------------------


def dram_over_xpoint(fig: Figure, claim: ClaimTable, variant: str) -> float:
    """Of a controller: its DRAM's column commands against the media of its modules, all banks busy with a line each of
    another row."""
    media = modes.MODULES * 16 * 256 / 198.9e-9
    return 60e9 / media


def parts_of_energy(fig: Figure) -> None:
    parts = ["static_energy", "dynamic_energy", "xpoint_energy", "wires_energy", "energy", "total_by_power"]
    for mode in fig.paper.table.modes:
        mean = fig.frame.loc[mode].groupby("platform", sort=False)[parts].mean() * 1e6
        print(f"{mode}, uJ a workload and slice, on average\n{mean.to_string(float_format='%.1f')}")


def farthest_of_dual(fig: Figure, claim: ClaimTable, variant: str) -> float | None:
    """All are to be equal: the ratio that is farthest from 1."""
    modes = list(fig.paper.table.modes)
    if not all({*DUAL} <= set(fig.labels(mode)) for mode in modes):
        return None
    column = fig.frame["dynamic_and_xpoint"]
    return farthest(
        [
            geometric_mean_of_ratios(column.loc[mode, a], column.loc[mode, b])
            for mode in modes
            for a, b in itertools.permutations(DUAL, 2)
        ]
    )


def prices(fig: Figure) -> None:
    for mode in fig.paper.table.modes:
        dollars = (f"{p} ${cost.GPU + cost.memory(p, mode):.0f}" for p in fig.labels(mode))
        print(f"{mode}: " + ", ".join(dollars))


# ---- wear and limits -----------------------------------------------------------------------------


def lifetime(fig: Figure) -> None:
    print(
        f"{'':34} {'media writes':>12} {'gap moves':>9} {'most':>6} {'mean':>6} {'spread':>6} {'hottest':>7}"
        "  years: ideal, Start-Gap, nothing moved"
    )
    for point in fig.points:
        run = fig.run_of(point)
        psi = int(point.keys["platform"].partition(" psi ")[2] or 100)
        of = wear(run.values, run.mode, run.seconds, psi)
        print(
            f"{point.name:34} {of.writes:12.0f} {of.gap_moves:9.0f} {of.most:6.0f} {of.mean:6.1f} "
            f"{of.spread:6.2f} {of.hottest:7.0f}  {of.years:12.2f} {of.years_levelled:9.2f} "
            f"{of.years_fixed:13.5f}"
        )


def what_limits(fig: Figure) -> None:
    for mode in fig.paper.table.modes:
        print(f"\n| {mode} | issue | L2 | channel | held | media | limit |\n|---|---|---|---|---|---|---|")
        for run in fig.runs(mode=mode):
            uses = limits.uses(run.values, run.seconds)
            shares = " | ".join(f"{100 * u:.0f} %" for u in uses.values())
            print(f"| {run.keys['workload']} | {shares} | {limits.limit(uses)} |")
    _table_ii(fig)


def _table_ii(fig: Figure) -> None:
    """Accesses per kilo-instruction in each counting, and how many of the programs agree with Table II in it."""
    found = {run.keys["workload"]: run.values for run in fig.runs(mode="planar")}
    countings = {w: limits.countings(values) for w, values in found.items()}
    names = sorted(next(iter(countings.values())), key=lambda name: name != limits.COUNTING)
    print(f"\n| APKI | paper | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for w, of in countings.items():
        print(f"| {w} | {limits.TABLE_II[w][0]} | {' | '.join(f'{of[name]:.0f}' for name in names)} |")
    agree = [sum(limits.agree(of[name], limits.TABLE_II[w][0]) for w, of in countings.items()) for name in names]
    print(f"| within a factor of {limits.AGREES:g} | | {' | '.join(map(str, agree))} |")
    print("\n| reads | paper | L1 | memory |\n|---|---|---|---|")
    for w, values in found.items():
        of = limits.reads(values)
        print(f"| {w} | {limits.TABLE_II[w][1]} | {of['L1']:.2f} | {of['memory']:.2f} |")


# ---- layout (Figs 15 and 20b, Table III) ---------------------------------------------------------

DEVICES = {"planar": (2, 2), "two-level": (1, 2)}  # DRAMs and XPoints of a controller (Table III)
WAVELENGTHS = 96


def optics_and_cost(fig: Figure) -> None:
    designs = [(mode, platform) for mode in DEVICES for platform in DUAL]
    root = memsim.Root()
    root.channel = [optics.channel(mode, platform) for mode, platform in designs]
    memsim.instantiate()
    memsim.stats.dump("optics")

    of = {design: channel.stats for design, channel in zip(designs, root.channel)}
    print(f"{'design':20} rings  received dBm      BER  behind half  memory route  lasers W")
    for (mode, platform), s in of.items():
        print(
            f"{platform + ' ' + mode:20} {s.rings:5.0f}  {s.received:12.3f} {s.ber:8.1e} "
            f"{s.ber_snarfed:12.1e} {s.ber_swap:13.1e} {s.laser_power / 1000:9.2f}"
        )

    def rings(platform: str, mode: str) -> float:
        """Table III's modulators and detectors: of each wavelength of a virtual channel, what the layout has for its
        controller and devices."""
        s = of[mode, platform]
        drams, xpoints = DEVICES[mode]
        return WAVELENGTHS * float(s.controller_rings + drams * s.dram_rings + xpoints * s.xpoint_rings)

    general = of["planar", "ohm-base"].general_rings
    fig.claim("ohm-33", of["planar", "ohm-base"].ber)
    fig.claim("ohm-34", of["two-level", "ohm-wom"].ber_snarfed)
    fig.claim("ohm-35", of["planar", "ohm-wom"].ber_swap)
    fig.claim("ohm-36", of["planar", "ohm-bw"].worst_ber)
    fig.claim("ohm-37", of["planar", "ohm-bw"].rings / general)
    fig.claim("ohm-38", of["two-level", "ohm-bw"].rings / general)
    fig.claim("ohm-39", rings("ohm-base", "planar"))
    fig.claim("ohm-40", rings("ohm-base", "two-level"))
    fig.claim("ohm-41", rings("ohm-bw", "planar"))
    fig.claim("ohm-42", rings("ohm-bw", "two-level"))
    fig.claim("ohm-45", cost.share_of_gpu("ohm-bw", "planar"))
    fig.claim("ohm-46", cost.share_of_gpu("ohm-bw", "two-level"))
    fig.claim("ohm-50", sum(rings("ohm-bw", m) for m in DEVICES) / sum(rings("ohm-base", m) for m in DEVICES))


def means(row: Any, base: Any) -> dict[str, float]:
    """Means that tables show beside a platform's values over workloads: of its ratios to `base`, if there is one."""
    if base is None:
        return {"mean": float(row.mean())}
    return {"geo mean": geometric_mean_of_ratios(row, base), "ratio of means": float(row.sum() / base.sum())}
