"""CMD's ten platforms as tables: the parts of each in front of the memory controller.

Values are from Table II or are assumptions (docs/models/assumptions.md).
"""

from collections.abc import Iterable, Sequence

from ...errors import check_known, user_error
from ...model.provenance import Swept, assumed, inferred, stated, swept
from ...systems.parameters import Parameters

TABLE_II = "CMD table II"
# Parts in front of the memory controller. `fifo`: the L2's slices have read-only FIFOs; `ways`: of the L2.
NOTHING: Parameters = stated(
    dict(detection="none", intra="nowhere", assisted_read=False), "CMD, evaluation: without deduplication"
)


def _policy(parameter: str, policy: str, values: Iterable[object], name: str = "") -> list[Swept]:
    """Values of one parameter of a policy that the front names, each as a Swept."""
    chosen, _, own = policy.partition(".")
    return [swept(v, f"front.{parameter}={chosen}({own}={v})", name=name) for v in values]


TABLES: Parameters = dict(
    table_cycles=stated(20, "CMD table II", sweep=[0, 40]),
    metadata_ways=assumed(8, "ways of each table's cache; 0: one set of all lines", sweep=[4, 0]),
    metadata_mshrs=assumed(8, "lines on their way to each table's cache", sweep=[4, 32]),
)
WHOLE: Parameters = dict(
    whole_tables=inferred(False, "CMD IV: once the read type is known", sweep=[True], name="tables asked for at once"),
    sectors_alone=assumed(
        False,
        "equation 1 names sectors; the bytes that a partly written one lacks are read, too",
        sweep=[True],
        name="equation 1 by sectors alone",
    ),
)
STORE: Parameters = dict(
    writes=assumed(
        96, "a hash queue of 32 and the 57 that a pipelined unit holds", sweep=[32, 256], name="outstanding writes"
    ),
    hash_ways=assumed(16, "ways of the hash store; 0: one set of all entries", sweep=[8, 0]),
    donor_tries=assumed(
        8,
        "pieces of flags, then a block that is stored in the written block's place; 2^20: all pieces",
        sweep=[1, 1 << 20],
        name="pieces of flags searched for a donor",
    ),
)
MD5 = stated(
    "md5",
    "CMD IV-E: MD5 of 128 bytes in 228 cycles",
    sweep=_policy("detection", "md5.interval", (76, 228)),
    name="hash interval",
)
UNHASHED: Parameters = dict(  # dedup without a latency: no assumption of the hash unit is left
    intra=inferred(
        "block",
        "CMD IV-C: without CAR the data are fetched",
        sweep=[swept("map", platforms=("dedup",))],
        name="intra-duplicates of dedup",
    ),
    assisted_read=stated(False, "CMD, evaluation: dedup has no CAR"),
    **TABLES,
)
HASHED: Parameters = dict(UNHASHED, detection=MD5, **STORE, **WHOLE)
ASSISTED: Parameters = dict(
    detection=MD5,
    **stated(dict(intra="map", assisted_read=True), "CMD IV-C"),
    copy_cycles=assumed(20, "to look for a sector in the L2 and copy it", sweep=[10, 60]),
    look_takes_bank=assumed(False, "beside the L2's own accesses", sweep=[True]),
    **TABLES,
    **STORE,
    **WHOLE,
)


def _times(policy: str) -> list[Swept]:
    return [
        *_policy("compression", f"{policy}.pack_cycles", (0, 40), "time to compress"),
        *_policy("compression", f"{policy}.unpack_cycles", (0, 40), "time to expand"),
    ]


BPC = stated("bpc", "CMD, evaluation: compared scheme (Kim et al., ISCA'16)", sweep=_times("bpc"))
BCD = stated(
    "bcd",
    "CMD, evaluation: compared scheme; its bases on CMD's area",
    sweep=[
        *_times("bcd"),
        *_policy("compression", "bcd.cluster_bits", (8, 24), "bits of a cluster"),
        *_policy("compression", "bcd.bases", (32, 512), "bases"),
    ],
)
PLATFORMS: dict[str, Parameters] = {
    "baseline": dict(front=NOTHING),
    "l2-5mb": dict(front=NOTHING, ways=stated(20, "CMD, evaluation: an L2 of 5 MB")),
    "bpc": dict(front=dict(NOTHING, compression=BPC, **TABLES)),
    "bcd": dict(front=dict(NOTHING, compression=BCD, **TABLES)),
    "esd": dict(front=dict(NOTHING, detection=stated("ecc", "CMD, evaluation: compared scheme"), **TABLES, **WHOLE)),
    "dedup": dict(front=HASHED),
    "dedup-no-latency": dict(
        front=dict(UNHASHED, detection=stated("md5(round_cycles=0, interval=0)", "CMD, evaluation: no latency"))
    ),
    "dedup-car": dict(front=ASSISTED),
    "cmd": dict(front=ASSISTED, fifo=True),
    "cmd-bpc": dict(front=dict(ASSISTED, compression=BPC), fifo=True),
}

# Of each option of configs/cmd.py: the part that it changes, and the platforms that have the part.
OF_OPTIONS: dict[str, tuple[str, Sequence[str]]] = {
    "fifo": ("read-only FIFO", [p for p, has in PLATFORMS.items() if has.get("fifo")]),
    "hash_share": (
        "store of hashes or check bits",
        [p for p, has in PLATFORMS.items() if has["front"]["detection"] != "none"],
    ),
    "tables_share": ("metadata caches", [p for p, has in PLATFORMS.items() if has["front"] != NOTHING]),
}


def check_options(platform: str, **given: float | None) -> None:
    """Refuses an unknown platform, and an option of OF_OPTIONS (None: not given) that does not apply to the
    platform."""
    check_known("platform", platform, PLATFORMS)
    for option, value in given.items():
        what, owners = OF_OPTIONS[option]
        if value is not None and platform not in owners:
            raise user_error(
                f"{option.replace('_', '-')} {value:g}: platform '{platform}' has no {what}; platforms that "
                f"have one: {', '.join(owners)}"
            )
