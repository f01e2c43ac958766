"""CMD's machine for a program: one of the paper's eight controllers with its share of SMs and L2, and capacities in
proportion to the footprint.

Deduplication is a controller's own, so a slice of the machine loses nothing. The L2, the L1s, the metadata caches and
the hash store shrink together; lines, sectors, entries of the read-only FIFO, cycles and counters never do.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from ...errors import user_error
from ...model.provenance import assumed, derived, inferred, stated, swept
from ...systems.scale import KIB, Invariant, up_to

# The paper's, of one controller (Table II; IV-E).
SMS, SLICES = stated((10, 2), "CMD table II: an eighth of the GPU")
L2, L1 = stated((512 * KIB, 64 * KIB), "CMD table II")
MAP, TYPE, MASK = stated((48 * KIB, 5 * KIB, 10 * KIB), "CMD IV-E")
HASH_ENTRIES = inferred(2224, "CMD IV-E: 48 KB of entries of 22 bytes, whole sets of 16")
RATIO = inferred(
    4,
    "CMD Fig. 17: caches that reach 12 and 20 MB of written data hit 98 and 99.9 %, beside an L2 of 4 MB",
    used=["cmd-22", "cmd-36", "cmd-37", "cmd-50"],
    sweep=[swept(3, arguments=("--ratio", 3)), swept(8, arguments=("--ratio", 8))],
    name="footprint to L2",
)
LINE, L2_WAYS = stated((128, 16), "CMD table II")
L1_WAYS = assumed(4, "the paper states none for the L1")
CACHE_WAYS = assumed(8, "ways of the metadata caches; 0: one set")
HASH_WAYS = assumed(16, "ways of the hash store; 0: one set")


@dataclass
class Scaled:
    """One controller's share: capacities in bytes, and its proportions beside the paper's."""

    sms: int
    footprint: int
    l2: int  # of both slices
    l1: int  # of one SM
    map: int
    type: int
    mask: int
    hash_entries: int
    invariants: list[Invariant] = field(default_factory=list)

    @property
    def metadata(self) -> int:
        return self.map + self.type + self.mask


def check_positive(**options: float) -> None:
    """Refuses the option whose value cannot size a cache."""
    for option, value in options.items():
        if not 0 < value < math.inf:  # false for NaN, too
            raise user_error(
                f"{option.replace('_', '-')} {value:g}: caches are sized by it, so it is a number above 0 and "
                "below infinity"
            )


def scale(
    footprint: int, ratio: float = RATIO, sms: int = SMS, hash_share: float = 1, tables_share: float = 1
) -> Scaled:
    """The machine for a program of `footprint` bytes, of which the L2 holds one in `ratio`; no larger than the paper's.
    The shares are of the paper's hash store and metadata caches."""
    check_positive(ratio=ratio, hash_share=hash_share, tables_share=tables_share)
    k = min(Fraction(1), Fraction(footprint) / (Fraction(ratio) * L2))
    tables, hashes = k * Fraction(tables_share), k * Fraction(hash_share)
    sets = CACHE_WAYS * LINE
    made = Scaled(
        sms=sms,
        footprint=footprint,
        l2=derived(up_to(k * L2, SLICES * L2_WAYS * LINE), from_=[L2, ratio]),
        l1=derived(up_to(k * L1, L1_WAYS * LINE), from_=[L1, ratio]),
        map=derived(up_to(tables * MAP, sets), from_=[MAP, ratio]),
        type=derived(up_to(tables * TYPE, sets), from_=[TYPE, ratio]),
        mask=derived(up_to(tables * MASK, sets), from_=[MASK, ratio]),
        hash_entries=derived(up_to(hashes * HASH_ENTRIES, HASH_WAYS), from_=[HASH_ENTRIES, ratio]),
    )
    made.invariants = [
        Invariant("footprint / L2", float(ratio), footprint / made.l2),
        Invariant("L2 / all L1", L2 / (L1 * SMS), made.l2 / (made.l1 * sms)),
        Invariant("bytes that the map's cache reaches / L2", MAP / 4 * 128 / L2, made.map / 4 * 128 / made.l2),
        Invariant("bytes that the type flags' cache reaches / L2", TYPE * 4 * 128 / L2, made.type * 4 * 128 / made.l2),
        Invariant("bytes that the masks' cache reaches / L2", MASK * 2 * 128 / L2, made.mask * 2 * 128 / made.l2),
        Invariant("hash entries / lines of the L2", HASH_ENTRIES / (L2 / LINE), made.hash_entries / (made.l2 / LINE)),
    ]
    return made
