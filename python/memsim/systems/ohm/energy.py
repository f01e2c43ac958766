"""What an Ohm memory spends: Fig. 19 of the paper from the statistics of a run.

Static power is that of the paper's full capacities; of a machine with fewer than six controllers that
slice is taken. Nothing here takes part in a run.
"""

from dataclasses import dataclass

from .cost import CAPACITY, ORIGIN_GIB

# GDDR5 takes 14 pJ for a bit, of which 5 are input and output over electrical wires (Chatterjee et al.,
# HPCA'17, as in the reading notes; not looked up again).
DRAM_ACCESS = 9e-12     # J a bit: rows, columns and what lies between, without the wires
ELECTRICAL_WIRE = 5e-12  # J a bit
# A DRAM's power while it only keeps its rows: 38 mA x 1.2 V and 250 mA for tRFC of each tREFI in a DDR4
# device of half a GiB (Micron, from memory); a GDDR5's is not public (assumption; sweep 0.05 to 0.5).
DRAM_STATIC = 0.11      # W a GiB
# PCM cells: 2.5 pJ a bit read, 16.8 a bit written (Lee et al., ISCA'09).
XPOINT_READ, XPOINT_WRITE, XPOINT_LINE = 2.5e-12, 16.8e-12, 256
XPOINT_DIMM = 15.0      # W of a DIMM on average (18 in bursts): the other reading, Optane's brief
DIMMS = 12              # Table III
CONTROLLERS = 6
FILL_LINE = 128         # bytes that reverse-write puts into the DRAM from its register


@dataclass
class Energy:
    """Joules of the simulated slice."""

    dram_static: float = 0
    dram_dynamic: float = 0
    xpoint: float = 0
    wires: float = 0         # electrical DMA, or lasers and ring tuning
    laser: float = 0         # of wires
    tuning: float = 0        # of wires
    xpoint_by_power: float = 0  # instead of xpoint: each DIMM's average power; not in the total

    @property
    def total(self):
        return self.dram_static + self.dram_dynamic + self.xpoint + self.wires


def energy(values, mode, platform):
    """Energy of a run from its values by (path, name), as Study.values gives them."""
    def total(path, name):
        return sum(v for (p, n), v in values.items() if n == name and p.startswith(path))

    slices = sum(1 for p, n in values if n == "activates")  # controllers of the slice
    share = slices / CONTROLLERS
    seconds = values["gpu.dispatcher", "cycles"] / 1.2e9
    dram, xpoint = CAPACITY[mode]
    capacity = {"origin": ORIGIN_GIB, "oracle": dram + xpoint}.get(platform, dram)
    if platform in ("origin", "oracle"):
        moved = crossed = total("memory.dram", "bus_bytes")
    else:
        side = total("memory.controller", "side_bytes")
        crossed = side + sum(total("memory.controller", f"{kind}_bytes")
                             for kind in ("demand", "migration"))
        moved = (total("memory.controller", "dram_bytes") + side +
                 FILL_LINE * total("memory.controller", "reverse_writes"))
    made = Energy(
        dram_static=DRAM_STATIC * capacity * share * seconds,
        dram_dynamic=DRAM_ACCESS * 8 * moved,
        xpoint=8 * XPOINT_LINE * (XPOINT_READ * total("memory.xpoint", "media_reads") +
                                  XPOINT_WRITE * total("memory.xpoint", "media_writes")))
    if any(p.startswith("memory.xpoint") for p, _ in values):
        made.xpoint_by_power = XPOINT_DIMM * DIMMS * share * seconds
    if ("optics", "laser_power") in values:
        full_rate = CONTROLLERS * values["optics", "rate"]  # bytes a second
        made.laser = values["optics", "laser_power"] * 1e-3 * share * seconds
        made.tuning = values["optics", "tuning_power"] * 1e-3 * crossed / full_rate
        made.wires = made.laser + made.tuning
    else:
        made.wires = ELECTRICAL_WIRE * 8 * crossed
    return made
