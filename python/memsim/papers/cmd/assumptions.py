"""The assumptions of CMD's machines and the values that they are swept over (docs/models/cmd.md)."""

from ...systems import assumptions
from ...systems.assumptions import Assumption
from .machines import PLATFORMS

HASHED = "dedup", "dedup-car", "cmd", "cmd-bpc"
ASSISTED = "dedup-car", "cmd", "cmd-bpc"
TABLES = tuple(p for p in PLATFORMS if p not in ("baseline", "l2-5mb"))
EVERY = tuple(PLATFORMS)


def each(parameter, values, platforms=TABLES, name=""):
    """One assumption for each value of one parameter of cmd.Deduplicator."""
    return [Assumption(name or parameter, str(v), (f"front.{parameter}",), platforms) for v in values]


def policy(parameter, chosen, value, values, platforms, name=""):
    """One for each value of one parameter of a policy."""
    return [Assumption(name or value, str(v), (f"front.{parameter}={chosen}({value}={v})",), platforms) for v in values]


def told(name, option, values, platforms=EVERY):
    """One for each value of an option of configs/cmd.py."""
    return [Assumption(name, str(v), platforms=platforms, arguments=(option, v)) for v in values]


ALL = [
    *told("bandwidth", "--bandwidth", (448, 896)),
    *told("footprint to L2", "--ratio", (4, 16)),
    *policy("detection", "md5", "interval", (76, 228), HASHED, name="hash interval"),
    *each("writes", (32, 256), HASHED, name="writes under way"),
    *each("hash_ways", (8, 0), HASHED),
    *each("metadata_ways", (4, 0)),
    *each("metadata_mshrs", (4, 32)),
    *each("table_cycles", (0, 40)),
    *each("donor_tries", (1, 1 << 20), HASHED, name="pieces of flags searched for a donor"),
    *each("whole_tables", ("true",), (*HASHED, "esd"), name="tables asked for at once"),
    *each("copy_cycles", (10, 60), ASSISTED),
    *each("look_takes_bank", ("true",), ASSISTED),
    *policy("compression", "bpc", "pack_cycles", (0, 40), ("bpc", "cmd-bpc"), name="time to compress"),
    *policy("compression", "bcd", "pack_cycles", (0, 40), ("bcd",), name="time to compress"),
    *policy("compression", "bpc", "unpack_cycles", (0, 40), ("bpc", "cmd-bpc"), name="time to expand"),
    *policy("compression", "bcd", "unpack_cycles", (0, 40), ("bcd",), name="time to expand"),
    *policy("compression", "bcd", "cluster_bits", (8, 24), ("bcd",), name="bits of a cluster"),
    *policy("compression", "bcd", "bases", (32, 512), ("bcd",)),
    *each("intra", ("map",), ("dedup",), name="intra-duplicates of dedup"),
    Assumption(
        "GDDR6 of three times the cycles",
        "3x",
        platforms=EVERY,
        changes=("dram.changes=tCL=17.1ns tRP=17.1ns tRCDRD=17.1ns tRCDWR=17.1ns tRAS=42.9ns tRC=60ns tWR=17.1ns",),
    ),
    Assumption("L2 latency", "100 cycles", ("gpu.l2[*].latency=73.3ns",), EVERY),
]
NAMES = list(dict.fromkeys(a.name for a in ALL))


def chosen(names):
    """The assumptions of these names, all values."""
    return assumptions.chosen(names, ALL)
