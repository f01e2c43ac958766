"""Storage that CMD adds to the chip and the memory (section IV-E), by formula."""

BLOCK, CONTROLLERS, SLICES, SECTOR = 128, 8, 16, 32
KB = 1024
MAP_BITS, TYPE_BITS, MASK_BITS = 32, 2, 4
HASH, MAP, TYPE, MASK = 48 * KB, 48 * KB, 5 * KB, 10 * KB
# mm2 at 16 nm, from the paper: 888 KB of caches, eight MD5 units, all FIFOs.
CACHES_AREA, MD5_AREA, FIFO_AREA = 0.36, 0.014, 3.13e-3


def capacity_overhead() -> float:
    """Share of DRAM that the tables take."""
    return (MAP_BITS + TYPE_BITS + MASK_BITS) / (BLOCK * 8)


def on_chip() -> int:
    """Bytes of hash stores and metadata caches of all controllers."""
    return CONTROLLERS * (HASH + MAP + TYPE + MASK)


def fifo_share(sectors: int = 16, l2: int = 4 << 20) -> float:
    """All read-only FIFOs over the L2."""
    return SLICES * sectors * SECTOR / l2


def area() -> float:
    """mm2 that are added."""
    return CACHES_AREA + MD5_AREA + FIFO_AREA


def blocks_of_a_fetch() -> int:
    """Blocks whose masks come with one fetch of 32 bytes."""
    return SECTOR * 8 // MASK_BITS
