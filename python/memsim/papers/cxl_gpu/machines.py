"""CXL-GPU's configurations: a Vortex-like GPU whose program lies in its memory, in the host's, or in a CXL endpoint.

`machine(MachineParameters(platform, program))` builds any of them. values.py has the values.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ... import Port, Root, SimObject, System, cxl, cxl_gpu, link, mem, workload
from ...errors import check_known, user_error
from ...model.provenance import assumed, cited, derived, options, source_of, stated, swept, wired
from ...model.units import Bytes
from ...systems import mmu
from ...systems.parameters import Parameters, described_by
from ...systems.scale import KIB, up_to
from ...systems.scale import components as proportions
from ...systems.scale import footprint as footprint_of
from . import drives
from . import media as media_
from . import scale, workloads
from .drives import MEDIA
from .values import (
    CONTROLLER,
    CONTROLLERS,
    CORES,
    DRAM_QUEUES,
    FAULT,
    FLIT,
    FLITS,
    GROUPS,
    HOST,
    HOST_DRAM,
    INGRESS,
    LANES,
    LINK,
    LOCAL,
    MAPPED,
    PCIE,
    PLATFORMS,
    QUEUES,
    RESERVE,
    SIMT_WARPS,
    STORE,
    THREADS,
    TREE,
    UNITS,
    WARPS,
    WINDOW,
)
from .vortex import vortex


@dataclass(frozen=True)
class MachineParameters:
    """Parameters of machine().

    platform    one of platforms()
    program     the workload.Program that it runs
    media       of the endpoint, or of the drive of gds: one of MEDIA
    controller  of CXL: one of CONTROLLERS
    size        counts and capacities of the machine; None: scale.scale() of the program's footprint
    contents    whether the values of stores are carried
    store       whether stores are deterministic; None: as the platform has them
    read_ahead  policy of the queue logic; None: the platform's
    fault, page of uvm and gds: the host's time for a batch of faults, and the bytes that a fault brings
    prefetch    of uvm and gds: the page prefetcher of the host, such as 'density(region=2MiB,block=64KiB)'
    unit        bytes that the cache of an endpoint with a drive reads and evicts as a whole; None: values.UNITS
    reserve     local memory divided by this is the reserve of deterministic stores; None: values.RESERVE
    ports       root ports, each with an endpoint; addresses are interleaved over them in chunks of 256 B
    flit        of the links: one of FLITS
    medium      fields of media.MediumParameters and parameters of the drive, such as dict(announce="0ns")
    threads     how programs run: one of THREADS
    dispatcher  parameters of gpu.Dispatcher, such as max_instructions
    """

    platform: str
    program: SimObject
    media: str = "dram"
    controller: str = "ours"
    size: scale.Scaled | None = None
    seed: int = 1
    contents: bool = False
    store: bool | None = None
    read_ahead: str | None = None
    fault: str = FAULT
    prefetch: str = "none"
    page: int = scale.UVM_PAGE
    unit: str | None = None
    reserve: int | None = None
    ports: int = 1
    flit: str = "68B"
    medium: Parameters = field(default_factory=dict)
    threads: str = "serial"
    dispatcher: Parameters = field(default_factory=dict)

    def check(self) -> None:
        """Refuses unknown names."""
        for what, given, known in (
            ("platform", self.platform, PLATFORMS),
            ("medium", self.media, MEDIA),
            ("controller", self.controller, CONTROLLERS),
            ("flit", self.flit, FLITS),
            ("mapping of threads", self.threads, THREADS),
        ):
            check_known(what, given, known)
        if self.reserve is not None and self.reserve < 1:
            raise user_error(f"reserve={self.reserve}: write 1 for all of GPU memory, or a larger divisor of it")

    @property
    def deterministic(self) -> bool:
        """Whether stores are deterministic."""
        return self.platform == "cxl-ds" if self.store is None else self.store


def platforms() -> list[str]:
    """Their names, in the order of the evaluation."""
    return list(PLATFORMS)


@described_by(MachineParameters)
def machine(p: MachineParameters) -> Root:
    """The machine of one platform.

    Returns a Root with `program`, `threads`, `gpu` (dispatcher, sm, l1, network, l2), `memory` (crossbar, dram), with
    uvm and gds `host`, `pcie` and `drive`, with CXL `bus`, `bridge`, `firmware` and the list `port` with the parts of
    each root port: store, queues, root_port, device, endpoint, medium.
    """
    p.check()
    size = p.size or scale.scale(footprint_of(p.program))
    root = Root(seed=p.seed, contents=p.contents)
    root.program = p.program
    root.scale = proportions(size.invariants)
    linked = PLATFORMS[p.platform] is not None
    bases = dict(bases=derived(Bytes(WINDOW), from_=MAPPED)) if linked else {}
    root.gpu = vortex(size, WARPS if p.threads == "serial" else SIMT_WARPS, {**p.dispatcher, **bases})
    root.memory, below = System(), root.gpu.l2[0]
    if linked:
        media_.ddr5(root.memory, LOCAL, 1 + p.ports * p.deterministic)
        _add_root_complex(root, p.ports)
        below.mem_side = root.bus.cpu_side
        for i in range(p.ports):
            add_port(root, i, size, p)
    else:
        below.mem_side = media_.ddr5(root.memory, LOCAL)
        if p.platform != "gpu-dram":
            _add_paging(root, size, p)
    if p.threads == "simt":
        p.program.dispatcher = root.gpu.dispatcher.host
        return root
    root.threads = workload.SerialGroups(lanes=LANES, warps=derived(CORES * WARPS, from_=[CORES, WARPS]), order=GROUPS)
    root.threads.program = p.program.dispatcher
    root.gpu.dispatcher.host = root.threads.dispatcher
    return root


def _add_root_complex(root: Root, ports: int) -> None:
    """The system bus, and the root complex: host bridge, and the firmware that maps the memory of endpoints."""
    root.bus = link.AddressRouter(
        ranges=derived(f"0B {LOCAL}B 0, {LOCAL}B {HOST}B 1, {WINDOW}B {WINDOW}B 2", from_=MAPPED)
    )
    root.bridge = cxl.HostBridge()
    window = derived(Bytes(WINDOW), from_=MAPPED)
    root.firmware = cxl.Firmware(window_base=window, window=window, ways=wired(ports))
    root.pcie, root.host = link.Pcie(**PCIE), mem.SimpleMemory(capacity=window, **HOST_DRAM)
    root.bus.mem_side[0] = root.memory.crossbar.cpu_side[0]
    root.bus.mem_side[1] = root.pcie.from_device
    root.pcie.to_host = root.host.cpu_side
    root.bus.mem_side[2] = root.bridge.cpu_side
    root.firmware.bridge = root.bridge.config
    root.port = [System() for _ in range(ports)]


def add_port(root: Root, i: int, size: scale.Scaled, p: MachineParameters) -> None:
    """A root port, root.port[i], with its queues, its link, and the endpoint at its end, for root.bridge and
    root.firmware."""
    part = root.port[i]
    capacity = up_to(-(-size.footprint // p.ports), 64 * KIB)
    cache = derived(Bytes(up_to(size.local // p.ports, 4 * KIB)), from_=size.local)
    behind: Parameters = {} if p.media == "dram" else dict(cache=cache, unit=p.unit or UNITS[p.media])
    made = media_.medium(p.media, f"{capacity}B", **{**behind, **p.medium})
    part.queues = cxl_gpu.QueueLogic(
        read_ahead=stated(
            p.read_ahead or PLATFORMS[p.platform],
            "CXL-GPU, evaluation: the platforms of speculative reads",
            sweep=options("--read-ahead", "window(literal=true)", platforms=("cxl-sr", "cxl-ds")),
            name="read-ahead",
        ),
        **{**QUEUES, **(DRAM_QUEUES if p.media == "dram" else {})},
    )
    ends: Parameters = dict(
        controller=stated(p.controller, CONTROLLER, sweep=options("--controller", "smt", "tpp"), name="controllers"),
        flit=stated(p.flit, FLIT),
        **LINK,
    )
    part.root_port, part.device = cxl.RootPort(**ends), cxl.DevicePort(ingress=INGRESS, **ends)
    part.endpoint = cxl.Endpoint(capacity=derived(Bytes(capacity), from_="the program's footprint"))
    part.medium = made.part
    entrance = part.queues.cpu_side
    part.queues.telemetry = part.root_port.telemetry[0]
    if p.deterministic:
        part.store = _deterministic_store(root, i, size, p)
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


def _deterministic_store(root: Root, i: int, size: scale.Scaled, p: MachineParameters) -> SimObject:
    """The store of root port i, with its reserve in local memory."""
    share = RESERVE if p.reserve is None else assumed(p.reserve, "its caller names it")
    reserve = up_to(size.local // share // p.ports, scale.LINE)
    made: SimObject = cxl_gpu.DeterministicStore(
        reserve_base=derived(Bytes(i * reserve), from_=share),
        reserve=derived(Bytes(reserve), from_=[share, size.local]),
        entries=derived(reserve // scale.LINE, from_="the lines of the reserve"),
        local_memory=derived(Bytes(LOCAL), from_=MAPPED),
        **STORE,
    )
    made.local_side = root.memory.crossbar.cpu_side[1 + i]
    return made


def _add_paging(root: Root, size: scale.Scaled, p: MachineParameters) -> None:
    """Local memory holds pages; the host brings the others, a batch of faults at a time, from its memory or a
    drive's."""
    mmu.translate(
        root.gpu,
        size.footprint,
        walks=mmu.new_input(root.gpu.network),
        page=p.page,
        placement="faults",
        memory=size.local,
    )
    drive: Port | None = None
    if p.platform == "gds":
        root.drive, drive = drives.drive(p.media, up_to(size.footprint, p.page), **p.medium)
    mmu.page_faults(
        root,
        root.gpu,
        device=mmu.new_input(root.gpu.network),
        drive=drive,
        pcie=PCIE,
        fault_latency=derived(p.fault, from_=p.fault if source_of(p.fault) else "the time that its caller names"),
        batch=cited(
            256,
            "NVIDIA's open driver, uvm_gpu_replayable_faults.c: UVM_PERF_FAULT_BATCH_COUNT_DEFAULT 256",
            sweep=[swept(1, "host.batch=1", platforms=("uvm", "gds"))],
            name="faults of a batch",
        ),
        prefetch=assumed(
            p.prefetch, "the paper does not say", sweep=options("--prefetch", TREE, platforms=("uvm", "gds"))
        ),
        page_cost=assumed("0ns", "the time of a batch holds all of the host's work"),
        chunk=derived("64B", from_="a line of the last-level cache"),
        source=stated("drive_direct" if drive is not None else "host_memory", "CXL-GPU, evaluation: uvm and gds"),
        dram_bandwidth=HOST_DRAM["bandwidth"],
    )


def each(scale: str = "tiny") -> Iterator[tuple[str, str, Root]]:
    """(mode, platform with its medium, machine) of each platform on each medium, with a program of that scale."""
    for platform in platforms():
        for media in MEDIA:
            program, limit = workloads.program("vadd", scale)
            p = MachineParameters(platform, program, media=media, dispatcher=dict(max_instructions=limit))
            yield "", platform if media == "dram" else f"{platform} {media}", machine(p)
