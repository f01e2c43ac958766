"""Energy of an Ohm-GPU memory: Fig. 19 of the paper from the statistics of a run.

Static power is that of the paper's full capacities; a machine with fewer than six controllers has that share of it. It
is computed after a run. XPoint modules count their own energy (that of PCM for each bit).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ... import optical
from ...model.energy import Cost, spent
from .cost import CAPACITY, ORIGIN_GIB
from .optics import design

# GDDR5 takes 14 pJ for a bit, of which 5 are input and output over electrical wires (Chatterjee et al.,
# HPCA'17, as in the reading notes; not looked up again).
DRAM_ACCESS = 9e-12  # J a bit: rows, columns and the chip's internal buses, without the wires
ELECTRICAL_WIRE = 5e-12  # J a bit
CHATTERJEE = "Chatterjee et al., HPCA'17: 14 pJ a bit of GDDR5, 5 of them the wires"
# A DRAM's power while it only keeps its rows: 38 mA x 1.2 V and 250 mA for tRFC of each tREFI in a DDR4
# device of half a GiB (Micron; not looked up); a GDDR5's is not public (assumption; sweep 0.05 to 0.5).
DRAM_STATIC = 0.11  # W a GiB
XPOINT_DIMM = 15.0  # W of a DIMM on average (18 in bursts): the other reading, Optane's brief
DIMMS = 12  # Table III
CONTROLLERS = 6
FILL_LINE = 128  # bytes that reverse-write puts into the DRAM from its register


Values = Mapping[tuple[str, str], float]  # of a run, by (path, name)


@dataclass
class Energy:
    """Joules of the simulated slice."""

    dram_static: float = 0
    dram_dynamic: float = 0
    xpoint: float = 0
    wires: float = 0  # electrical DMA, or lasers and ring tuning
    laser: float = 0  # of wires
    tuning: float = 0  # of wires
    xpoint_by_power: float = 0  # instead of xpoint: each DIMM's average power; not in the total

    @property
    def total(self) -> float:
        return self.dram_static + self.dram_dynamic + self.xpoint + self.wires


def costs(mode: str, platform: str, controllers: int) -> list[Cost]:
    """Costs of the parts that do not count their own energy, in a machine of so many controllers."""
    share = controllers / CONTROLLERS
    capacity = {"origin": ORIGIN_GIB, "oracle": sum(CAPACITY[mode])}.get(platform, CAPACITY[mode][0])
    if platform in ("origin", "oracle"):
        at, moved, crossed = "memory.dram", {"bus_bytes": 1}, ["bus_bytes"]
    else:
        at, moved, crossed = (
            "memory.controller",
            {"dram_bytes": 1, "side_bytes": 1},
            ["demand_bytes", "migration_bytes", "side_bytes"],
        )
        if mode == "two-level":
            moved["reverse_writes"] = FILL_LINE
    made = [
        Cost(
            "DRAM static",
            "memory",
            "assumption: DDR4's background and refresh current",
            power=DRAM_STATIC * capacity,
            share=share,
        )
    ]
    made += [
        Cost("DRAM accesses", at, CHATTERJEE, statistic=name, each=DRAM_ACCESS * 8 * times)
        for name, times in moved.items()
    ]
    if design(mode, platform) is None:
        return made + [Cost("wires", at, CHATTERJEE, statistic=name, each=ELECTRICAL_WIRE * 8) for name in crossed]
    tuning = int(optical.Channel.tuning.info["initial"].removesuffix("fJ")) * 1e-15
    return [
        *made,
        Cost("lasers", "optics", "Ohm-GPU VI: 0.73 mW a wavelength", statistic="laser_power", share=share),
        *(
            Cost("ring tuning", at, "Ohm-GPU table I: 200 fJ a bit", statistic=name, each=tuning * 8)
            for name in crossed
        ),
    ]


def energy(values: Values, mode: str, platform: str, seconds: float) -> Energy:
    """Energy of a run from its values by (path, name) and the seconds that it simulated."""
    controllers = sum(1 for p, n in values if n == "activates")
    parts = spent(costs(mode, platform, controllers), values, seconds)
    made = Energy(
        dram_static=parts["DRAM static"],
        dram_dynamic=parts["DRAM accesses"],
        xpoint=sum(v * 1e-9 for (p, n), v in values.items() if n == "media_energy"),
        laser=parts.get("lasers", 0.0),
        tuning=parts.get("ring tuning", 0.0),
    )
    made.wires = parts.get("wires", made.laser + made.tuning)
    if any(p.startswith("memory.xpoint") for p, _ in values):
        made.xpoint_by_power = XPOINT_DIMM * DIMMS * controllers / CONTROLLERS * seconds
    return made


# Table I's tRCD, tRP and tCL as cycles of 2.1 GHz (dram.TIMING), and its rate of a controller's channel.
OPENS, CLOSES, COLUMN = 25 / 2.1e9, 10 / 2.1e9, 11 / 2.1e9  # s
CHANNEL = 60e9  # B/s


def wires_of_time(values: Values) -> float:
    """Of a memory that is all DRAM: the transfers' share of the sum of the components' times, which are those of
    opening and closing rows, of columns and of transfers, each as long as it is alone."""

    def total(*names: str) -> float:
        return sum(v for (p, n), v in values.items() if n in names and p.startswith("memory.dram"))

    pieces = total("row_hits", "row_misses", "row_conflicts")
    rows = total("activates") * OPENS + total("precharges") * CLOSES + pieces * COLUMN
    wires = total("bus_bytes") / CHANNEL
    return wires / (wires + rows) if wires else 0.0


def wires_of_energy(values: Values, seconds: float) -> float:
    """Of a memory that is all DRAM, on electrical channels: the wires' share of its energy."""
    of = energy(values, "planar", "origin", seconds)
    return of.wires / of.total
