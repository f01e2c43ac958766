"""Stamps: each component's latency is in its own stage. Requests do not wait for each other, so a longer latency of one
component lengthens only its own stage, once for each passage of a request."""

from fractions import Fraction

import memsim
import pytest
from memsim import cmd, cxl, cxl_gpu, flash, gpu, link, mem
from memsim.papers.zng.backbone import flash_backbone
from memsim.systems.drive import solid_state_drive

REQUESTS = 8
PAST = dict(requests=REQUESTS, period="200us", size=32, pattern="sequential")
NS = 10**6


def root_with(**traffic):
    root = memsim.Root(seed=1)
    root.gen, root.memory = mem.TrafficGen(**(PAST | traffic)), mem.SimpleMemory(latency="50ns")
    return root


def between(component, before="cpu_side", behind="mem_side"):
    """The generator, a component and a memory."""
    root = root_with()
    root.part = component
    root.gen.mem_side = getattr(root.part, before)
    below = getattr(root.part, behind)
    if isinstance(component, link.AddressRouter):
        below[0] = root.memory.cpu_side
    else:
        setattr(root.part, behind, root.memory.cpu_side)
    return root


def translated(tlb=(), mmu=()):
    root = root_with(size=32, range="64KiB", pattern="random")
    root.tlb = gpu.Tlb(entries=1, ways=1, **dict(tlb))
    root.mmu = gpu.Mmu(
        tlbs=1,
        page="4KiB",
        address_space="64KiB",
        memory="64KiB",
        table_base="64KiB",
        table_memory="64KiB",
        **dict(mmu),
    )
    root.gen.mem_side, root.tlb.mem_side = root.tlb.cpu_side, root.memory.cpu_side
    root.tlb.mmu_side, root.mmu.shootdowns[0] = root.mmu.tlb_side[0], root.tlb.shootdowns
    root.tables = mem.SimpleMemory()
    root.mmu.walk_side = root.tables.cpu_side
    return root


def expanded(bridge=(), endpoint=(), queues=(), store=(), link=()):
    """The complete path to a CXL endpoint."""
    root = root_with(base="1GiB", range="64KiB")
    root.bridge, root.firmware = cxl.HostBridge(**dict(bridge)), cxl.Firmware(
        window_base="1GiB", window="1GiB", latency="1us"
    )
    root.store = cxl_gpu.DeterministicStore(reserve="64KiB", local_memory="1GiB", **dict(store))
    root.queues = cxl_gpu.QueueLogic(read_ahead="none", **dict(queues))
    link = dict(link, skp_blocks=0)  # an ordered set would delay a flit
    root.port, root.device = cxl.RootPort(**link), cxl.DevicePort(**link)
    root.endpoint, root.local = cxl.Endpoint(capacity="64KiB", **dict(endpoint)), mem.SimpleMemory()
    root.gen.mem_side, root.bridge.mem_side[0] = root.bridge.cpu_side, root.store.cpu_side
    root.store.local_side, root.store.mem_side = root.local.cpu_side, root.queues.cpu_side
    root.queues.mem_side = root.port.cpu_side
    root.port.flits_out, root.device.flits_out = root.device.flits_in, root.port.flits_in
    root.device.mem_side, root.endpoint.mem_side = root.endpoint.cpu_side, root.memory.cpu_side
    root.firmware.bridge, root.firmware.endpoints[0] = root.bridge.config, root.endpoint.config
    return root


def cached_drive(drive=None, **cache):
    root = cache_before_a_drive(**cache)
    root.ssd = drive or flash.FixedDrive()
    root.cache.drive_side = root.ssd.drive.host[0] if drive else root.ssd.requests
    return root


def cache_before_a_drive(**cache):
    root = root_with(size=32, range="64KiB", pattern="random")
    root.cache = mem.PageCache(capacity="4KiB", unit="4KiB", **cache)
    root.gen.mem_side, root.cache.dram_side = root.cache.cpu_side, root.memory.cpu_side
    return root


def cached_memory(t):
    root = cache_before_a_drive()
    root.adapter, root.far = link.BlockAdapter(latency=t), mem.SimpleMemory()
    root.cache.drive_side, root.adapter.mem_side = root.adapter.requests, root.far.cpu_side
    return root


def on_flash(controller=(), package=(), mesh=()):
    root = memsim.Root(seed=1)
    root.flash = flash_backbone(controllers=1, packages=1, mesh=(2, 2), for_controller=controller, for_package=package)
    for name, value in dict(mesh).items():
        setattr(root.flash.mesh, name, value)
    root.gen = mem.TrafficGen(**(PAST | dict(size=128, range="1MiB")))
    root.gen.mem_side = root.flash.controller[0].mem[0]
    return root


def deduplicated(cycles):
    root = memsim.Root(seed=1, contents=True)
    root.gen, root.memory = mem.TrafficGen(**PAST, range="64KiB"), mem.SimpleMemory(latency="50ns")
    root.part = cmd.Deduplicator(capacity="64KiB", clock="1GHz", table_cycles=cycles, assisted_read=False)
    root.gen.mem_side, root.part.mem_side = root.part.cpu_side, root.memory.cpu_side
    return root


def dram(latency):
    root = memsim.Root(seed=1)
    root.gen, root.memory = mem.TrafficGen(**PAST), mem.DramController(latency=latency)
    root.gen.mem_side = root.memory.cpu_side
    return root


# Kind of component -> the machine with a latency, the stage, and the passages of a request; None: only misses pass, a
# whole number of times.
LATENCIES = {
    "PCIe": (lambda t: between(link.Pcie(latency=t), "from_device", "to_host"), "pcie", 2),
    "router": (lambda t: between(link.AddressRouter(latency=t, ranges="0B 1GiB 0")), "router", 2),
    "TLB": (lambda t: translated(tlb=dict(latency=t)), "translation", 1),
    "TLB, to the MMU": (lambda t: translated(tlb=dict(mmu_latency=t)), "translation", None),
    "MMU": (lambda t: translated(mmu=dict(latency=t)), "translation", None),
    "host bridge": (lambda t: expanded(bridge=dict(latency=t)), "host_bridge", 2),
    "endpoint": (lambda t: expanded(endpoint=dict(latency=t)), "endpoint", 2),
    "queues of a root port": (lambda t: expanded(queues=dict(latency=t)), "cxl_queue", 1),
    "queues of a root port, back": (lambda t: expanded(queues=dict(answer_latency=t)), "cxl_queue", 1),
    "deterministic stores": (lambda t: expanded(store=dict(latency=t)), "reserve_lookup", 1),
    "root and device port": (
        lambda t: expanded(link=dict(controller=f"ours(transaction={t})")),
        "cxl_transaction",
        4,
    ),
    "victim buffer": (lambda t: between(mem.VictimBuffer(latency=t)), "l2", 1),
    "victim buffer, below": (lambda t: between(mem.VictimBuffer(miss_latency=t)), "l2", 1),
    "page cache": (lambda t: cached_drive(latency=t), "page", 1),
    "page cache, to the drive": (lambda t: cached_drive(drive_latency=t), "page", None),
    "block adapter": (cached_memory, "block_adapter", None),
    "DRAM": (dram, "dram", 1),
    "flash controller": (lambda t: on_flash(controller=dict(latency=t)), "flash_controller", 1),
    "flash controller, decoding": (lambda t: on_flash(controller=dict(decode=t)), "flash_controller", 1),
    "package": (lambda t: on_flash(package=dict(latency=t)), "flash_channel", 1),
    "mesh": (lambda t: on_flash(mesh=dict(link_cycles=t)), "flash_network", None),
    "drive": (lambda t: cached_drive(solid_state_drive("z_ssd", completion=t)), "drive", None),
    "deduplicator": (deduplicated, "deduplication", None),
}
CYCLES = {"mesh": (1, 2, 1_250_000), "deduplicator": (20, 40, 20 * NS)}  # two values, and their difference in fs


def stages(make, in_tmp):
    """{stage: fs of all requests}."""
    memsim.options.options.stamps = 1
    try:
        root = make()
        with memsim.Simulation(root) as simulation:
            simulation.simulate()
            simulation.stats.dump("end")
            requests = root.gen.stats.read_latency.count
    finally:
        memsim.options.options.stamps = 0
    assert requests == REQUESTS
    results = memsim.results()
    rows = results.sql(
        "SELECT name, value FROM result WHERE path = 'stages' AND name LIKE '%.sum' AND run = ?", [simulation.id]
    )
    return {name.removesuffix(".sum"): round(value * NS) for name, value in zip(rows["name"], rows["value"])}


def growth(make, before, after, in_tmp):
    one, other = stages(lambda: make(before), in_tmp), stages(lambda: make(after), in_tmp)
    return {stage: grown for stage in one | other if (grown := other.get(stage, 0) - one.get(stage, 0))}


@pytest.mark.parametrize("kind", LATENCIES)
def test_a_latency_grows_its_own_stage_alone(kind, in_tmp):
    make, stage, passes = LATENCIES[kind]
    one, other, between = CYCLES.get(kind, ("20ns", "40ns", 20 * NS))
    grown = growth(make, one, other, in_tmp)
    assert grown.keys() == {stage}
    of_one = Fraction(grown[stage], between)
    assert of_one > 0 and of_one.denominator == 1 and passes in (None, of_one / REQUESTS)
