"""CXL-GPU's configurations: a Vortex-like GPU whose program lies in its memory, in the host's, or in a CXL endpoint.

`machine(platform, program, ...)` builds any of them; values stand in the paper's table or are assumptions of
docs/models/cxl.md.
"""

from ... import Root, System, cxl, cxl_gpu, link, mem
from ...errors import check_known
from ...systems import mmu
from ...systems.processor import gpu
from ...systems.scale import KIB, up_to
from ...systems.scale import components as proportions
from ...systems.scale import footprint as footprint_of
from . import media as media_
from . import scale

# What a root port's queue logic reads ahead; None: no endpoint.
PLATFORMS = {
    "gpu-dram": None,
    "uvm": None,
    "gds": None,
    "cxl": "none",
    "cxl-naive": "naive",
    "cxl-dyn": "dynamic",
    "cxl-sr": "window",
    "cxl-ds": "window",
}
MEDIA = media_.MEDIA
CONTROLLERS = ("ours", "smt", "tpp")
FLITS = ("68B", "256B", "256B-lopt")
CORES = 8
# A warp of Vortex is 8 threads of a core of 1 GHz; ours are 32 lanes: of a quarter of the clock, four to one of ours.
CLOCK, CORE_CLOCK, WARPS = "1GHz", "250MHz", 16
MSHRS = 2 * WARPS  # of a core (Vortex: two a warp); the last-level cache has as many as all cores
# The system bus's map: local memory from 0, the host's, and the window in which firmware places endpoints.
LOCAL, HOST = 1 << 30, 15 << 30
WINDOW = LOCAL + HOST
RESERVE = 8  # local memory to the deterministic store's reserve (assumption)
LINK = dict(generation=5, lanes=8)  # PCIe 5.0 x8 with sync-header bypass
PCIE = dict(generation=5, lanes=8, payload="128B", overhead="40B")
FAULT = "500us"  # of the host's runtime for a fault


def platforms():
    """Their names, in the order of the evaluation."""
    return list(PLATFORMS)


def vortex(size, **dispatch):
    """Cores, their L1s and the last-level cache, whose mem_side the caller binds."""
    return gpu(
        sms=CORES,
        slices=1,
        channels=1,
        interleave="64B",
        memory=None,
        clock=CLOCK,
        dispatcher=dict(clock=CLOCK, **dispatch),
        sm=dict(
            clock=CORE_CLOCK,
            warp_slots=WARPS,
            block_slots=WARPS,
            scheduler="loose_round_robin",
            arithmetic_latency=1,
            line="32B",
            sector="32B",
        ),
        l1=dict(
            capacity="16KiB",
            line="32B",
            ways=4,
            latency="2ns",
            mshrs=MSHRS,
            targets=8,
            write_policy="write_through",
            write_allocate=False,
            set_hash="linear",
        ),
        network=dict(width="64B", latency="2ns"),
        l2=dict(
            capacity=f"{size.llc}B",
            line="64B",
            sector="64B",
            ways=scale.LLC_WAYS,
            latency="8ns",
            mshrs=CORES * MSHRS,
            targets=8,
            fetch_on_write=False,
            set_hash="linear",
        ),
    )


def machine(
    platform,
    program,
    media="dram",
    controller="ours",
    size=None,
    seed=1,
    contents=False,
    store=None,
    read_ahead=None,
    fault=FAULT,
    page=scale.UVM_PAGE,
    unit="256B",
    ports=1,
    flit="68B",
    medium=None,
    **dispatch,
):
    """The machine of one platform.

    platform    one of platforms()
    program     the workload.Program that it runs
    media       of the endpoint, or of the drive of gds: one of MEDIA
    controller  of CXL: one of CONTROLLERS
    size        what the machine has; None: scale.scale() of the program's footprint
    contents    whether the values of stores are carried
    store       whether stores are deterministic; None: as the platform says
    read_ahead  policy of the queue logic; None: the platform's
    fault, page of uvm and gds: the host's time for a fault, and the bytes that it brings
    unit        what comes into an endpoint's cache and goes as a whole
    ports       root ports, each with an endpoint; addresses go round over them in chunks of 256 B
    flit        of the links: one of FLITS
    medium      further arguments of media.medium(), such as dict(announce="0ns")
    dispatch    parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `gpu` (dispatcher, sm, l1, network, l2), `memory` (crossbar, dram), with uvm and gds
    `host`, `pcie` and `drive`, with CXL `bus`, `bridge`, `firmware` and the list `port` of what belongs to a root port:
    store, queues, root_port, device, endpoint, medium.
    """
    for what, given, known in (
        ("platform", platform, PLATFORMS),
        ("medium", media, MEDIA),
        ("controller", controller, CONTROLLERS),
        ("flit", flit, FLITS),
    ):
        check_known(what, given, known)
    bytes_of_program = footprint_of(program)
    size = size or scale.scale(bytes_of_program)
    root = Root(seed=seed, contents=contents)
    root.program = program
    root.scale = proportions(size.invariants)
    ahead = read_ahead or PLATFORMS[platform]
    if PLATFORMS[platform]:
        dispatch["bases"] = f"{WINDOW}B"
    root.gpu = vortex(size, **dispatch)
    root.memory, below = System(), root.gpu.l2[0]
    if PLATFORMS[platform]:
        stores = platform == "cxl-ds" if store is None else store
        media_.ddr5(root.memory, LOCAL, 1 + ports * stores)
        _expanded(root, size, ports)
        below.mem_side = root.bus.cpu_side
        for i in range(ports):
            _port(
                root,
                i,
                size,
                media,
                dict(controller=controller, flit=flit, **LINK),
                ahead,
                stores,
                unit,
                ports,
                medium or {},
            )
    else:
        below.mem_side = media_.ddr5(root.memory, LOCAL)
        if platform != "gpu-dram":
            _paged(root, size, media if platform == "gds" else None, fault, page, medium or {})
    program.dispatcher = root.gpu.dispatcher.host
    return root


def _expanded(root, size, ports):
    """The system bus, and the root complex: host bridge, and the firmware that maps what endpoints have."""
    root.bus = link.AddressRouter(ranges=f"0B {LOCAL}B 0, {LOCAL}B {HOST}B 1, {WINDOW}B {WINDOW}B 2")
    root.bridge = cxl.HostBridge()
    root.firmware = cxl.Firmware(window_base=f"{WINDOW}B", window=f"{WINDOW}B", ways=ports)
    root.pcie, root.host = link.Pcie(**PCIE), mem.SimpleMemory(
        latency="100ns", bandwidth="44.8GB/s", capacity=f"{WINDOW}B"
    )
    root.bus.mem_side[0] = root.memory.crossbar.cpu_side[0]
    root.bus.mem_side[1] = root.pcie.from_device
    root.pcie.to_host = root.host.cpu_side
    root.bus.mem_side[2] = root.bridge.cpu_side
    root.firmware.bridge = root.bridge.config
    root.port = [System() for _ in range(ports)]


def _port(root, i, size, media, link, ahead, stores, unit, ports, medium):
    """A root port with its queues, its link, and the endpoint at its end."""
    part = root.port[i]
    capacity = up_to(-(-size.footprint // ports), 64 * KIB)
    behind = {} if media == "dram" else dict(cache=f"{up_to(size.local // ports, 4 * KIB)}B", unit=unit)
    made = media_.medium(media, f"{capacity}B", **{**behind, **medium})
    part.queues = cxl_gpu.QueueLogic(read_ahead=ahead)
    part.root_port, part.device = cxl.RootPort(**link), cxl.DevicePort(**link)
    part.endpoint = cxl.Endpoint(capacity=f"{capacity}B")
    part.medium = made.part
    entrance = part.queues.cpu_side
    part.queues.telemetry = part.root_port.telemetry[0]
    if stores:
        reserve = up_to(size.local // RESERVE // ports, scale.LINE)
        part.store = cxl_gpu.DeterministicStore(
            reserve_base=f"{i * reserve}B", reserve=f"{reserve}B", local_memory=f"{LOCAL}B"
        )
        part.store.local_side = root.memory.crossbar.cpu_side[1 + i]
        part.store.mem_side = entrance
        part.store.telemetry = part.root_port.telemetry[1]
        entrance = part.store.cpu_side
    root.bridge.mem_side[i] = entrance
    part.queues.mem_side = part.root_port.cpu_side
    part.root_port.flits_out = part.device.flits_in
    part.device.flits_out = part.root_port.flits_in
    part.device.mem_side = part.endpoint.cpu_side
    part.endpoint.mem_side = made.cpu_side
    for load in made.loads:
        part.device.medium_load = load
    root.firmware.endpoints[i] = part.endpoint.config


def _paged(root, size, media, fault, page, medium):
    """Local memory holds pages; the host brings the others, one fault at a time, from its memory or a drive's."""
    mmu.translate(
        root.gpu,
        size.footprint,
        walks=mmu.new_input(root.gpu.network),
        page=page,
        placement="faults",
        memory=size.local,
    )
    drive = None
    if media:
        root.drive, drive = media_.drive(media, up_to(size.footprint, page), **medium)
    mmu.page_faults(
        root,
        root.gpu,
        device=mmu.new_input(root.gpu.network),
        drive=drive,
        pcie=PCIE,
        fault_latency=fault,
        batch=1,
        page_cost="0ns",
        chunk="64B",
        source="drive_direct" if drive is not None else "host_memory",
        dram_bandwidth="44.8GB/s",
    )
