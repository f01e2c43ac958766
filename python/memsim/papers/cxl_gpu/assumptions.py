"""The assumptions of CXL-GPU's machines and the values that they are swept over (docs/models/cxl.md)."""

from ...systems import assumptions
from ...systems.assumptions import Assumption

SPECULATIVE = "cxl-naive", "cxl-dyn", "cxl-sr", "cxl-ds"
LINKED = "cxl", *SPECULATIVE
EVERY = "gpu-dram", "uvm", "gds", *LINKED


def each(name, changes, values, platforms=LINKED):
    """One assumption for each value of parameters that change together."""
    return [Assumption(name, str(v), tuple(changes), platforms) for v in values]


def told(name, option, values, platforms=LINKED):
    """One for each value of an option of configs/cxl_gpu.py."""
    return [Assumption(name, str(v), platforms=platforms, arguments=(option, v)) for v in values]


ALL = [
    *each("clock of the cores", ("gpu.sm[*].clock",), ("50MHz", "500MHz"), EVERY),
    *each("misses of a core at once", ("gpu.l1[*].mshrs",), (8, 16, 64), EVERY),
    *told("controllers", "--controller", ("smt", "tpp")),
    *each("credits of a class", ("port[*].root_port.credits", "port[*].device.credits"), (16, 256)),
    *each("retry buffer", ("port[*].root_port.retry_buffer", "port[*].device.retry_buffer"), (22, 255)),
    *each("bit errors of 10^15", ("port[*].root_port.bit_errors", "port[*].device.bit_errors"), (1000,)),
    *each("ingress queue", ("port[*].device.ingress",), (32, 128)),
    *each("ring of ranges", ("port[*].queues.ring",), (8, 128), SPECULATIVE),
    *each("period of the granularity", ("port[*].queues.period",), ("50ns", "800ns"), SPECULATIVE),
    *each("step of the granularity", ("port[*].queues.step",), ("512B",), SPECULATIVE),
    *each("least length of the SR queue", ("port[*].queues.least_sr_queue",), (32,), SPECULATIVE),
    *told("what a miss brings", "--unit", ("4KiB",)),
    *told("what the drive was used for", "--drive", ("full", "fresh")),
    *told("read-ahead", "--read-ahead", ("window(literal=true)",), ("cxl-sr", "cxl-ds")),
    *each("entries of the address list", ("port[*].store.entries",), (512,), ("cxl-ds",)),
    *each("suspending load", ("port[*].store.suspend_at",), ("optimal", "severe"), ("cxl-ds",)),
    *told("host's time for a fault", "--fault", ("25us",), ("uvm", "gds")),
]
NAMES = list(dict.fromkeys(a.name for a in ALL))


def chosen(names):
    """The assumptions of these names, all values."""
    return assumptions.chosen(names, ALL)
