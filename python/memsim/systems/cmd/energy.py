"""Energy of L2, memory controllers and DRAM, after the run (CMD, Fig. 16).

The paper takes power from GPUWattch times time; its constants are not given. Each access has an energy here, and what
leaks takes time. All constants are assumptions (docs/models/cmd.md), so these claims say an order at most.
"""

from dataclasses import dataclass, fields


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


def energy(values, l2_bytes, seconds, constants=Constants()):
    """Energy in nJ by part, of one controller's share: dict(l2=, controller=, dram=).

    values    of a run by (path, name)
    l2_bytes  capacity of its L2
    seconds   simulated time
    """
    def total(path, *names):
        return sum(v for (p, n), v in values.items() if p.startswith(path) and n in names)

    c = constants
    whole = 8 * l2_bytes / MB  # all slices of the paper's machine are this large
    l2 = (c.l2_sector * (whole / 4) ** 0.5 * (total("gpu.l2", "sectors") + total("front", "looked_sectors"))
          + c.l2_leakage * l2_bytes / MB * seconds * 1e9)
    controller = (c.metadata * total("front", "map_reads", "type_reads", "mask_reads")
                  + c.hashed * total("front", "hashed"))
    dram = (c.dram_sector * total("dram", "bus_bytes") / 32 + c.activate * total("dram", "activates")
            + c.dram_background * seconds * 1e9)
    return dict(l2=l2, controller=controller, dram=dram)


def sweep():
    """Each constant halved and doubled: what the order of the platforms must survive."""
    for field in fields(Constants):
        for factor in (0.5, 2.0):
            yield field.name, factor, Constants(**{field.name: factor * field.default})
