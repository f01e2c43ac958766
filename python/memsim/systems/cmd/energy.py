"""Energy of L2, memory controllers and DRAM (CMD, Fig. 16).

The paper takes power from GPUWattch times time; its constants are not given. Each access has an energy here, and what
leaks takes time. All constants are assumptions (docs/models/cmd.md), so these claims say an order at most.
"""

from dataclasses import dataclass

from ...energy import Cost, spent

ASSUMPTION = "assumption (docs/models/cmd.md)"


@dataclass(frozen=True)
class Constants:
    """Energies in nJ, powers in W."""

    dram_sector: float = 2.6        # 32 B: 7.5 pJ/bit of GDDR6 (Micron) and 2.5 of the controller's PHY
    activate: float = 2.0           # a row opened
    dram_background: float = 0.5    # of a controller's devices
    l2_sector: float = 0.25         # 32 B of 4 MB; with the square root of the size
    l2_leakage: float = 0.3         # W for each MB
    metadata: float = 0.05          # a look into a metadata cache
    hashed: float = 0.4             # a block through MD5


MB = 1 << 20


def costs(l2_bytes, constants=Constants()):
    """Of one controller's share, whose L2 has so many bytes."""
    c = constants
    whole = 8 * l2_bytes / MB  # all slices of the paper's machine are this large
    l2_sector = c.l2_sector * (whole / 4) ** 0.5

    def counted(part, objects, nj, *statistics):
        return [Cost(part, objects, ASSUMPTION, statistic=name, each=nj * 1e-9) for name in statistics]

    return [*counted("L2", "gpu.l2", l2_sector, "sectors"), *counted("L2", "front", l2_sector, "looked_sectors"),
            Cost("L2", "gpu.l2", ASSUMPTION, power=c.l2_leakage * l2_bytes / MB),
            *counted("controller", "front", c.metadata, "map_reads", "type_reads", "mask_reads"),
            *counted("controller", "front", c.hashed, "hashed"),
            *counted("DRAM", "dram", c.dram_sector / 32, "bus_bytes"),
            *counted("DRAM", "dram", c.activate, "activates"),
            Cost("DRAM", "dram", ASSUMPTION, power=c.dram_background)]


def energy(values, l2_bytes, seconds):
    """Joules by part of a run of one controller's share, from its values by (path, name)."""
    return spent(costs(l2_bytes), values, seconds)
