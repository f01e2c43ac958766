"""Energy of L2, memory controllers and DRAM (CMD, Fig. 16).

The paper multiplies the power that GPUWattch computes by the time, and does not give its constants. Here each access
has an energy, and all memory on the chip leaks, in proportion to its bytes and the time. All constants are assumptions
(docs/models/cmd.md), so these claims support an order of the platforms at most. Events that no statistic counts have no
energy: entries put into a store, blocks that are expanded.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

from ...model.energy import Cost

ASSUMPTION = "assumption (docs/models/cmd.md)"
LEAKAGE = "assumption: leaks as the L2 for each byte (docs/models/cmd.md)"
LOOK = "assumption: as the L2 for 32 B, with the square root of the size (docs/models/cmd.md)"
ENCODED = "assumption: every write is compressed, an upper bound (docs/models/cmd.md)"


@dataclass(frozen=True)
class Constants:
    """Energies in nJ, powers in W."""

    dram_sector: float = 2.6  # 32 B: 7.5 pJ/bit of GDDR6 (Micron) and 2.5 of the controller's PHY
    activate: float = 2.0  # a row opened
    dram_background: float = 0.5  # of a controller's devices
    l2_sector: float = 0.25  # 32 B of 4 MB; with the square root of the size
    leakage: float = 0.3  # W for each MB on the chip
    metadata: float = 0.05  # a look into a metadata cache
    hashed: float = 0.4  # a block through MD5
    encoded: float = 0.1  # a block through the encoder of BPC or BCD: a quarter of MD5


@dataclass(frozen=True)
class OnChip:
    """Bytes on the chip of one controller's share, and the statistics of cmd.Deduplicator that count their accesses."""

    l2: int
    tables: int = 0  # the caches of map, type flags and masks
    store: int = 0  # of hashes or check bits
    looks: tuple[str, ...] = ()  # into that store
    fifo: int = 0  # of all slices
    bases: int = 0  # BCD's bases and differences
    compresses: bool = False


MB = 1 << 20


def costs(chip: OnChip, constants: Constants = Constants()) -> list[Cost]:
    """The costs of one controller's share, with the parts of `chip`."""
    c = constants

    def sector(share: float) -> float:  # 32 B of a part that the whole GPU has eight times
        return float(c.l2_sector * (8 * share / MB / 4) ** 0.5)

    def counted(part: str, objects: str, nj: float, *statistics: str, source: str = ASSUMPTION) -> list[Cost]:
        return [Cost(part, objects, source, statistic=name, each=nj * 1e-9) for name in statistics]

    def leaks(part: str, objects: str, size: float, source: str = LEAKAGE) -> list[Cost]:
        return [Cost(part, objects, source, power=c.leakage * size / MB)] if size else []

    return [
        *counted("L2", "gpu.l2", sector(chip.l2), "sectors"),
        *counted("L2", "front", sector(chip.l2), "looked_sectors"),
        *leaks("L2", "gpu.l2", chip.l2, ASSUMPTION),
        *(counted("L2", "fifo", sector(chip.fifo), "read_sectors", "taken", source=LOOK) if chip.fifo else []),
        *leaks("L2", "fifo", chip.fifo),
        *counted("controller", "front", c.metadata, "map_reads", "type_reads", "mask_reads"),
        *counted("controller", "front", c.hashed, "hashed"),
        *counted("controller", "front", sector(chip.store), *chip.looks, source=LOOK),
        *(counted("controller", "front", c.encoded, "writes", source=ENCODED) if chip.compresses else []),
        *(counted("controller", "front", sector(chip.bases), "writes", source=LOOK) if chip.bases else []),
        *leaks("controller", "front", chip.tables + chip.store + chip.bases),
        *counted("DRAM", "dram", c.dram_sector / 32, "bus_bytes"),
        *counted("DRAM", "dram", c.activate, "activates"),
        Cost("DRAM", "dram", ASSUMPTION, power=c.dram_background),
    ]


def recorded(database: sqlite3.Connection, run: str) -> list[Cost]:
    """The costs that a run's machine had, from its database."""
    objects: dict[int, dict[str, Any]] = {}
    for number, name, text, value in database.execute(
        "SELECT object.id, name, text, value FROM object JOIN param ON param.object = object.id "
        "WHERE type = 'mem.EnergyCost' AND object.run = ? ORDER BY object.id",
        [run],
    ):
        objects.setdefault(number, {})[name] = text if value is None else value
    return [
        Cost(
            o["part"],
            o["objects"],
            o["source"],
            o["statistic"],
            o["each"] * 1e-15,
            o["power"] * 1e-9,
            o["share"] * 1e-9,
        )
        for o in objects.values()
    ]
