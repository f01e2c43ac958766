"""CXL-GPU's configurations: a Vortex-like GPU whose program lies in its memory, in the host's, or in a CXL endpoint.

`machine(platform, program, ...)` builds any of them; values stand in the paper's table or are assumptions of
docs/models/cxl.md.
"""

from ... import Root, System, cxl, cxl_gpu, link, mem, workload
from ...errors import check_known
from ...model.provenance import assumed, cited, derived, inferred, options, source_of, stated, swept, wired, with_unit
from ...systems import mmu
from ...systems.processor import gpu
from ...systems.scale import KIB, up_to
from ...systems.scale import components as proportions
from ...systems.scale import footprint as footprint_of
from . import media as media_
from . import scale, workloads

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
CONTROLLER = "CXL-GPU: the compared controllers (ours, SMT, TPP)"
FLIT = "CXL 3.1: flits of 68 and 256 bytes; CXL-GPU's link has those of 68"
FLITS = ("68B", "256B", "256B-lopt")
VORTEX = "Vortex"
CORES = stated(8, "CXL-GPU's table: cores/threads 8/8")
LANES = stated(8, "CXL-GPU's table: cores/threads 8/8")
CLOCK = cited(
    "250MHz",
    "Vortex's README: 1024 threads at 250 MHz",
    sweep=[swept(f, f"gpu.sm[*].clock={f}") for f in ("125MHz", "1GHz")],
    name="clock of the cores",
)
WARPS = cited(4, "Vortex's default configuration: 4 warps of a core; the paper's table has cores and threads alone")
GROUPS = cited(
    "chunks",
    "Vortex's OpenCL runtime: a hardware thread runs a contiguous chunk of the work-groups",
    sweep=[swept("interleaved", "threads.order=interleaved")],
    name="work-groups of a hardware thread",
)
# How programs run: work-groups in hardware threads, or warps of 32 threads on 8 lanes, as CUDA maps them. Figures with UVM
# take the latter on all platforms: in chunks 256 threads use as many pages of each array at once, and GPU memory holds 128.
THREADS = "serial", "simt"
SIMT_WARPS = assumed(16, "warps of a core, so that a block of 512 threads fits")
MSHRS = assumed(
    2 * 8,
    "two misses for each thread of a warp",
    sweep=[swept(n, f"gpu.l1[*].mshrs={n}") for n in (8, 32, 64)],
    name="misses of a core at once",
)
# The system bus's map: local memory from 0, the host's, and the window in which firmware places endpoints.
LOCAL, HOST = 1 << 30, 15 << 30
WINDOW = LOCAL + HOST
MAPPED = "the system bus's map: local memory, the host's, and the window for endpoints"
RESERVE = assumed(8, "local memory to the reserve of deterministic stores")
WIRES = stated(dict(generation=5, lanes=8), "CXL-GPU's table: PCIe 5.0 x8 with sync-header bypass")


def _both_ends(parameter, value):
    """A Swept of both ends of a link."""
    return swept(value, f"port[*].root_port.{parameter}={value}", f"port[*].device.{parameter}={value}")


LINK = dict(
    WIRES,
    credits=assumed(
        64,
        "places for messages received, of each class",
        sweep=[_both_ends("credits", n) for n in (16, 256)],
        name="credits of a class",
    ),
    retry_buffer=assumed(
        128,
        "flits kept until they are acknowledged",
        sweep=[_both_ends("retry_buffer", n) for n in (22, 255)],
        name="retry buffer",
    ),
    bit_errors=assumed(
        0, "PCIe allows 1000 of 10^15", sweep=[_both_ends("bit_errors", 1000)], name="bit errors of 10^15"
    ),
)
INGRESS = assumed(64, "places of the ingress queue", sweep=[32, 128], name="ingress queue")
SPECULATIVE = "cxl-naive", "cxl-dyn", "cxl-sr", "cxl-ds"


def _speculative(*values):
    """A Swept for each value, on the platforms of speculative reads."""
    return [swept(value, platforms=SPECULATIVE) for value in values]


QUEUES = dict(
    # 4 x 64 B in the mean time of a load (75 % hits of 0.2 us, misses of 5.7 us), against 1.5 GB/s of the ideal GPU, is 9.2
    # times its time; 8 would give 4.6, 2 18. Runs of vadd alone (11.5 and 6.8 times with 4 and 8) were looked at.
    loads_at_once=inferred(
        4,
        "cxl-40: CXL on Z-NAND takes 12.5 times the ideal GPU's time; cxl-21: loads wait in the GPU's memory queue",
        sweep=[swept(n) for n in (2, 8, 32)],
        name="loads that the endpoint serves at once",
    ),
    ring=assumed(32, "as the queues", sweep=_speculative(8, 128), name="ring of ranges"),
    period=assumed("200ns", "between two steps", sweep=_speculative("50ns", "800ns"), name="period of the granularity"),
    step=assumed("256B", "the least granularity", sweep=_speculative("512B"), name="step of the granularity"),
    least_sr_queue=assumed(
        8, "the paper states only that it is adjusted", sweep=_speculative(32), name="least length of the SR queue"
    ),
)
STORE = dict(
    # Runs of vadd and cfd were looked at: 8 hold stores back while the endpoint has room for more.
    flushes=assumed(32, "as the memory queue has entries", sweep=[8], name="flushes under way"),
    entries=assumed(4096, "lines of 1/8 of local memory", sweep=[512], name="entries of the address list"),
    suspend_at=inferred(
        "moderate",
        "CXL-GPU: if an increase in DevLoad is detected",
        sweep=["optimal", "severe"],
        name="suspending load",
    ),
)
PCIE = dict(
    WIRES,
    **assumed(
        dict(payload="128B", overhead="40B"), "a usual payload; an acknowledgement and a credit update of 8 bytes"
    ),
)
FAULT = assumed(
    "500us",
    "CXL-GPU: 500; only microseconds fit",
    sweep=[swept("25us", arguments=("--fault", "25us"), platforms=("uvm", "gds"))],
    name="host's time for a fault",
)
TREE = "density(region=2MiB,block=64KiB)"  # as NVIDIA's driver prefetches
HOST_DRAM = dict(
    latency=assumed("100ns", "a usual latency of host memory"),
    bandwidth=stated("44.8GB/s", "CXL-GPU's table 10a: DDR5-5600, two sub-channels of 32 bit"),
)
# Chunks of the hardware threads lie at powers of two. With linear sets they meet in a few of them, and each line is fetched
# again for each of its words: 92 to 99 % of look-ups then hit in the endpoint's DRAM, where the paper has 47 to 10 %.
SETS = inferred(
    "polynomial",
    "cxl-22: lines are not fetched again for each word",
    sweep=[swept("linear", "gpu.l1[*].set_hash=linear", "gpu.l2[*].set_hash=linear")],
    name="sets of the caches",
)


def platforms():
    """Their names, in the order of the evaluation."""
    return list(PLATFORMS)


def vortex(size, warps=WARPS, **dispatch):
    """Cores of so many warps, their L1s and the last-level cache, whose mem_side the caller binds."""
    return gpu(
        sms=CORES,
        slices=1,
        channels=1,
        interleave="64B",
        memory=None,
        clock=CLOCK,
        dispatcher=dict(clock=CLOCK, **derived(dispatch, from_="the region that the run simulates")),
        sm=dict(
            clock=CLOCK,
            lanes=LANES,
            warp_slots=warps,
            block_slots=warps,
            **assumed(
                dict(scheduler="loose_round_robin", arithmetic_latency=1), "in order, as a small core; not looked up"
            ),
            **cited(dict(line="64B", sector="32B"), f"{VORTEX}: memory blocks of 64 B; 4 B x threads"),
        ),
        l1=dict(
            **assumed(
                dict(capacity="16KiB", ways=4, write_policy="write_through", write_allocate=False),
                "as a small core's; not looked up",
            ),
            **cited(dict(line="64B", sector="64B"), f"{VORTEX}: its memory block is 64 B"),
            **assumed(dict(latency="8ns", targets=8), "two cycles; requests for one miss"),
            mshrs=MSHRS,
            set_hash=SETS,
        ),
        network=assumed(dict(width="64B", latency="8ns"), "a line and two cycles"),
        l2=dict(
            capacity=with_unit(size.llc, "B"),
            **cited(dict(line="64B", sector="64B"), f"{VORTEX}: its memory block is 64 B"),
            ways=scale.LLC_WAYS,
            **assumed(dict(latency="32ns", targets=8), "eight cycles; requests for one miss"),
            mshrs=derived(CORES * MSHRS, from_=[MSHRS, "as many as all cores have"]),
            fetch_on_write=assumed(False, "a sector is fetched when it is read"),
            set_hash=SETS,
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
    prefetch="none",
    page=scale.UVM_PAGE,
    unit="256B",
    ports=1,
    flit="68B",
    medium=None,
    threads="serial",
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
    fault, page of uvm and gds: the host's time for a batch of faults, and the bytes that a fault brings
    prefetch    of uvm and gds: the host's page prefetcher, such as 'density(region=2MiB,block=64KiB)'
    unit        what comes into an endpoint's cache and goes as a whole
    ports       root ports, each with an endpoint; addresses go round over them in chunks of 256 B
    flit        of the links: one of FLITS
    medium      further arguments of media.medium(), such as dict(announce="0ns")
    threads     how programs run: one of THREADS
    dispatch    parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `threads`, `gpu` (dispatcher, sm, l1, network, l2), `memory` (crossbar, dram), with uvm and gds
    `host`, `pcie` and `drive`, with CXL `bus`, `bridge`, `firmware` and the list `port` of what belongs to a root port:
    store, queues, root_port, device, endpoint, medium.
    """
    for what, given, known in (
        ("platform", platform, PLATFORMS),
        ("medium", media, MEDIA),
        ("controller", controller, CONTROLLERS),
        ("flit", flit, FLITS),
        ("mapping of threads", threads, THREADS),
    ):
        check_known(what, given, known)
    bytes_of_program = footprint_of(program)
    size = size or scale.scale(bytes_of_program)
    root = Root(seed=seed, contents=contents)
    root.program = program
    root.scale = proportions(size.invariants)
    ahead = read_ahead or PLATFORMS[platform]
    if PLATFORMS[platform]:
        dispatch["bases"] = derived(f"{WINDOW}B", from_=MAPPED)
    root.gpu = vortex(size, WARPS if threads == "serial" else SIMT_WARPS, **dispatch)
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
                dict(
                    controller=stated(
                        controller, CONTROLLER, sweep=options("--controller", "smt", "tpp"), name="controllers"
                    ),
                    flit=stated(flit, FLIT),
                    **LINK,
                ),
                ahead,
                stores,
                unit,
                ports,
                medium or {},
            )
    else:
        below.mem_side = media_.ddr5(root.memory, LOCAL)
        if platform != "gpu-dram":
            _paged(root, size, media if platform == "gds" else None, fault, prefetch, page, medium or {})
    if threads == "simt":
        program.dispatcher = root.gpu.dispatcher.host
        return root
    root.threads = workload.SerialGroups(lanes=LANES, warps=derived(CORES * WARPS, from_=[CORES, WARPS]), order=GROUPS)
    root.threads.program = program.dispatcher
    root.gpu.dispatcher.host = root.threads.dispatcher
    return root


def _expanded(root, size, ports):
    """The system bus, and the root complex: host bridge, and the firmware that maps what endpoints have."""
    root.bus = link.AddressRouter(
        ranges=derived(f"0B {LOCAL}B 0, {LOCAL}B {HOST}B 1, {WINDOW}B {WINDOW}B 2", from_=MAPPED)
    )
    root.bridge = cxl.HostBridge()
    window = derived(f"{WINDOW}B", from_=MAPPED)
    root.firmware = cxl.Firmware(window_base=window, window=window, ways=wired(ports))
    root.pcie, root.host = link.Pcie(**PCIE), mem.SimpleMemory(capacity=window, **HOST_DRAM)
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
    cache = derived(f"{up_to(size.local // ports, 4 * KIB)}B", from_=size.local)
    behind = {} if media == "dram" else dict(cache=cache, unit=unit)
    made = media_.medium(media, f"{capacity}B", **{**behind, **medium})
    part.queues = cxl_gpu.QueueLogic(
        read_ahead=stated(
            ahead,
            "CXL-GPU, evaluation: the platforms of speculative reads",
            sweep=options("--read-ahead", "window(literal=true)", platforms=("cxl-sr", "cxl-ds")),
            name="read-ahead",
        ),
        **QUEUES,
    )
    part.root_port, part.device = cxl.RootPort(**link), cxl.DevicePort(ingress=INGRESS, **link)
    part.endpoint = cxl.Endpoint(capacity=derived(f"{capacity}B", from_="what the program needs"))
    part.medium = made.part
    entrance = part.queues.cpu_side
    part.queues.telemetry = part.root_port.telemetry[0]
    if stores:
        reserve = up_to(size.local // RESERVE // ports, scale.LINE)
        part.store = cxl_gpu.DeterministicStore(
            reserve_base=derived(f"{i * reserve}B", from_=RESERVE),
            reserve=derived(f"{reserve}B", from_=[RESERVE, size.local]),
            local_memory=derived(f"{LOCAL}B", from_=MAPPED),
            **STORE,
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


def _paged(root, size, media, fault, prefetch, page, medium):
    """Local memory holds pages; the host brings the others, a batch of faults at a time, from its memory or a drive's."""
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
        fault_latency=derived(fault, from_=fault if source_of(fault) else "the time that its caller names"),
        batch=cited(
            256,
            "NVIDIA's open driver: 256; CXL-GPU's time of the host is that of a study of batched faults",
            sweep=[swept(1, "host.batch=1", platforms=("uvm", "gds"))],
            name="faults of a batch",
        ),
        prefetch=assumed(
            prefetch, "the paper does not say", sweep=options("--prefetch", TREE, platforms=("uvm", "gds"))
        ),
        page_cost=assumed("0ns", "the time of a batch holds all of the host's work"),
        chunk=derived("64B", from_="a line of the last-level cache"),
        source=stated("drive_direct" if drive is not None else "host_memory", "CXL-GPU, evaluation: uvm and gds"),
        dram_bandwidth=HOST_DRAM["bandwidth"],
    )


def each(scale="tiny"):
    """(mode, platform, machine) of each platform, with a program of that scale. Endpoints and drives are of Z-NAND."""
    for platform in platforms():
        program, limit = workloads.program("vadd", scale)
        yield "", platform, machine(platform, program, media="z-nand", max_instructions=limit)
