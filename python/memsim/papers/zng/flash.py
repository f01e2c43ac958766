"""ZnG's flash behind the L2 of one of machines.py's machines: `attach(...)`, with an MMU that names blocks of flash."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ... import Root, SimObject, mem
from ...model.provenance import Swept, assumed, cited, derived, inferred, source_of, stated, swept, wired
from ...systems.parameters import Parameters
from . import ftl
from .backbone import BEHIND_L2, GEOMETRY, BackboneParameters, flash_backbone
from .scale import Scaled

# A slice's mesh has a router for each channel, of one package and its controller.
MESHES = {1: (4, 4), 2: (4, 2), 4: (2, 2), 8: (2, 1)}

PAGE_BASIS = "ZnG II-B: reads and writes in a page basis"
EACH = stated("none", "ZnG I: Z-NAND has to fetch a whole 4KB flash page to serve a 128B data block", sweep=["waiting"])
WAITING = stated("waiting", "ZnG I: rdopt buffers pages from Z-NAND", sweep=["none"])
TWO_BUSES = "ZnG IV-C: registers are connected to two buses, an I/O path and a data path"
WRITES = "zng-wropt", "zng"  # platforms with eight registers and NiF
PACKAGE, CONTROLLER = "flash.package[*]", "flash.controller[*]"
LOW = "gpu.collector.when=low"
FILLED = f"{PACKAGE}.log_filled=100%", LOW  # collection as in the long run


def _on(platforms: Sequence[str], *values: object) -> list[Swept]:
    """A Swept for each value, on these platforms."""
    return [swept(value, platforms=platforms) for value in values]


OF_PACKAGE: Parameters = dict(
    independent_planes=assumed(True, "each plane has a row decoder", sweep=[False]),
    patience=assumed("200us", "2 tPROG", sweep=["0ns", "2ms"]),
    search=assumed("0ns", "within tR", sweep=["10ns", "100ns", "1us"], name="search of the LPMT"),
    latency=assumed("10ns", "decoding and register selection", sweep=["1ns", "50ns"], name="package's latency"),
    spare=assumed(32, "registers kept free by programming ahead", sweep=_on(WRITES, 0, 128)),
    data_path=stated(True, TWO_BUSES, sweep=_on(WRITES, False)),
    io_path=stated(True, TWO_BUSES, sweep=_on(WRITES, False)),
    net_width=stated("8B", "ZnG table I: HW-NiF 8 B", sweep=_on(WRITES, "1B"), name="width of NiF"),
    log_filled=assumed(
        "0%",
        "the figures begin with empty log blocks",
        sweep=[swept("100%", *FILLED)],
        name="log blocks filled",
    ),
    log_reserve=assumed(
        16,
        "pages left of a log block when the collector is informed",
        sweep=[swept(n, f"{PACKAGE}.log_reserve={n}", *FILLED) for n in (0, 128)],
        name="log_reserve, log blocks filled",
    ),
    timing_changes=assumed(
        "",
        "an erase takes 1 ms",
        sweep=[swept(t, f"{PACKAGE}.timing_changes=tBERS={t}", *FILLED) for t in ("2ms", "5ms")],
        name="erase, log blocks filled",
    ),
)
OF_CONTROLLER: Parameters = dict(
    decode=assumed("5ns", "from a request to its packet", sweep=["1ns", "50ns"]),
    latency=assumed("5ns", "of an answer to the L2", sweep=["1ns", "50ns"], name="controller's latency"),
    thrash_window=assumed(1024, "writes that are looked at together", sweep=_on(("zng",), 256, 4096)),
    thrash_high=assumed(
        "50%",
        "misses above which registers thrash",
        sweep=[
            swept(high, f"{CONTROLLER}.thrash_high={high}", f"{CONTROLLER}.thrash_low={low}", platforms=("zng",))
            for high, low in (("30%", "15%"), ("70%", "35%"))
        ],
    ),
    pin_ways=assumed(1, "1 of 8", sweep=_on(("zng",), 2, 4)),
)
NETWORK = "SimpleSSD-MacSim (ZnG's first author), branch network"
OF_MESH: Parameters = dict(
    stages=cited(4, f"{NETWORK}, network.h: stages RC, VCA, SA and ST", sweep=[1, 2]),
    channels=cited(4, f"{NETWORK}, network.param.def: nif_num_vc 4", sweep=[2, 8], name="virtual channels"),
    buffer=assumed(
        36, "two packets of 144 B, so that one comes while one goes", sweep=[18, 144], name="flits of a buffer"
    ),
    clock=stated("800MHz", "ZnG table I: 800 MT/s", sweep=["1600MHz"], name="network clock"),
)
# When log blocks are merged. In Figs 10 to 16 "once all the spaces of Z-NAND are used up" (III-B): until then an erased
# block of the plane continues a log block that is full. Fig. 17 compares runs with and without collections; there a
# collection starts when few log blocks are left (IV-A).
COLLECT_WHEN = "low", "used_up"
COLLECT = stated(
    "used_up",
    "ZnG III-B: once all the spaces of Z-NAND are used up",
    sweep=[swept("low", LOW)],
    name="collection",
)


# A mapped block: a flash block of each of `span` planes. 1 TB / (64 x 384 x 4 KiB) = 10,923 entries of four 15-bit
# block numbers are the 80 KB of the paper; 64 planes are those of a package. The planes are of all packages (ACROSS),
# although the programs' data are a few mapped blocks.
SPAN = inferred(
    64,
    "ZnG III-B: 80 KB of table for 1 TB, table I: 384 pages a block, 64 planes a package",
    used=["zng-31"],
    sweep=[swept("1", arguments=("--span", 1, "--no-across")), swept("all planes", arguments=("--span", "all"))],
    name="planes of a mapped block",
)
ACROSS = inferred(
    True,
    "Fig. 11: arrays of 77 GB/s, the product of zng-08 to zng-11, where the ports of a package give 12.8",
    used=["zng-08", "zng-09", "zng-10", "zng-11"],
    sweep=[swept("one package", arguments=("--no-across",))],
    name="packages of a mapped block",
)


@dataclass(frozen=True, kw_only=True)
class FlashParameters:
    """Parameters of the flash that attach() puts behind the L2. The defaults are zng-base's;
    docs/models/zng-readings.md has the reasons.

    reuse        which reads one sensing serves
    transfer     the part of a sensed page that crosses the network
    redirect     whether written lines may go to pinned L2 ways while registers thrash
    combine      whether a write that waits for another one to its line goes with it
    span         planes of a mapped block, or "all"
    across       whether the planes of a mapped block are of all packages
    collect      when log blocks are merged: one of COLLECT_WHEN
    helper       how the helper thread runs (ftl.collect)
    for_package  parameters of zng.Package that replace others
    """

    registers: int = stated(2, "ZnG table I")
    network: str = stated("none", "ZnG IV-C, V-A")
    redirect: bool = False
    reuse: str = EACH
    transfer: str = stated("page", PAGE_BASIS, sweep=["line"])
    combine: bool = assumed(True, "a queue compares addresses anyway, to keep the order of a line", sweep=[False])
    span: int | str = SPAN
    across: bool = ACROSS
    collect: str = COLLECT
    helper: str = "assist"
    for_package: Parameters = field(default_factory=dict)


# Only the read optimization buffers a page for several reads. The L2 of zng-wropt does not hold small writes (V-B
# states it of ZnG alone), so it has no ways to pin.
BASE = FlashParameters()
WROPT = replace(BASE, registers=stated(8, "ZnG table I"), network=stated("nif", "ZnG IV-C, V-A"))


def mapping_of(size: Scaled, p: FlashParameters) -> ftl.BlockMapping:
    """How data lies in a machine's flash."""
    span = p.span
    if span == "all":
        span = derived(size.channels * GEOMETRY["dies"] * GEOMETRY["planes"], from_="all planes")
    return ftl.BlockMapping(size.channels, dict(GEOMETRY, data_pages=size.data_pages, span=span, across=p.across))


INSTRUCTIONS = assumed(
    32,
    "address, command, answer and loop for a page moved",
    sweep=[swept(n, f"gpu.collector.instructions={n}", *FILLED) for n in (8, 256)],
    name="helper's instructions, log blocks filled",
)


def attach(root: Root, size: Scaled, programs: Sequence[SimObject], p: FlashParameters) -> None:
    """TLBs and an MMU that walks a buffer of its own, never the flash (IV-A); L2 slices, crossbar, flash controllers,
    network and packages (`root.memory.network`, `root.flash`); the helper thread that collects, `root.gpu.collector`.
    """
    of = mapping_of(size, p)
    ftl.translate(root.gpu, of, programs)
    root.flash = flash_backbone(
        BackboneParameters(
            controllers=size.channels,
            packages=size.channels,
            mesh=MESHES[size.k],
            registers=p.registers,
            network=p.network,
            geometry=of.geometry,
            for_package=dict(
                OF_PACKAGE,
                reuse=p.reuse,
                transfer=p.transfer,
                **derived(p.for_package, from_="the parameters that its caller names"),
            ),
            for_controller=dict(OF_CONTROLLER, combine=p.combine),
            for_mesh=OF_MESH,
        )
    )
    slices = root.gpu.l2
    root.memory.network = mem.Crossbar(
        inputs=wired(len(slices)), **root.gpu.interleave.over(size.channels).crossbar, width=BEHIND_L2
    )
    for i, controller in enumerate(root.flash.controller):
        root.memory.network.mem_side[i] = controller.mem[0]
    for i, (l2, controller) in enumerate(zip(slices, root.flash.controller)):
        l2.mem_side = root.memory.network.cpu_side[i]
        if p.redirect:  # writes are distributed evenly: one controller is enough to control a slice
            l2.control_ports = controller.pins = wired(1)
            controller.pin[0] = l2.control[0]
    ftl.collect(
        root.gpu,
        root.flash.controller,
        of,
        programs,
        helper=p.helper,
        when=derived(p.collect, from_=p.collect if source_of(p.collect) else "the option of its caller"),
        instructions=INSTRUCTIONS,
    )
