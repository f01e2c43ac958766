"""The assumptions of SAP's machine and the values that they are swept over (docs/models/sap.md)."""

from ...systems.assumptions import Assumption
from .machines import POLICIES

EVERY = tuple(POLICIES)
WATCHED = ("sap",)


def told(name, option, values, platforms=WATCHED):
    """One for each value of an option of configs/sap_hits.py."""
    return [Assumption(name, str(v), platforms=platforms, arguments=(option, v)) for v in values]


ALL = [
    *told("period", "--period", (1, 10, 1000)),
    *told("lookahead", "--lookahead", (1, 4, 8)),
    *told("record", "--record", (64, 256, 1 << 20)),
    Assumption("L2", "384KiB", ("gpu.l2[*].capacity=64KiB",), EVERY),
    Assumption("schedulers", "1", ("gpu.sm[*].schedulers=1",), EVERY),
    Assumption("DRAM's latency", "200ns", ("dram.latency=200ns",), EVERY),
]
