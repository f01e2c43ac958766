"""ZnG's flash: controllers on the GPU's interconnect, the flash network, packages.

`flash_backbone(...)` builds it; whoever has requests binds `controller[i].mem[j]`. `attach(...)` puts it
behind the L2 of one of machines.py's machines, `translate(...)` has its MMU name blocks of flash.
"""

from ... import System, mem, zng
from ...model.provenance import assumed, cited, derived, inferred, source_of, stated, swept, wired
from . import ftl

BEHIND_L2 = assumed("64B", "as wide as a slice of the L2, on every platform")  # of the crossbar there
COLLECTS = 32  # moves and erases that a controller may have out at a package: its collect_queue
GEOMETRY = stated(dict(dies=8, planes=8, blocks=1024, pages=384), "ZnG table I")
PORTS = stated(2, "ZnG table I: I/O ports of a package")
WINDOW = assumed(128, "requests of a controller without an answer at a package")


def places(routers, controllers, packages, ports):
    """The router of each endpoint: controllers and packages, each evenly spread. With as many of both there is
    a controller beside each package: that of its channel."""
    of_controllers = [i * routers // controllers for i in range(controllers)]
    of_packages = [i * routers // packages for i in range(packages) for _ in range(ports)]
    return " ".join(map(str, of_controllers + of_packages))


def flash_backbone(
    controllers=16,
    packages=16,
    ports=PORTS,
    mesh=(4, 4),
    registers=8,
    network="nif",
    window=WINDOW,
    geometry=GEOMETRY,
    for_controller=None,
    for_package=None,
    for_mesh=None,
):
    """A System with `controller`, `mesh` and `package` (lists, but for the mesh).

    ports        I/O ports of a package
    registers    of a plane: 2 or 8 in the paper
    network      how registers reach other planes: none, swnet, fcnet, nif
    geometry     dies, planes, blocks, pages; perhaps data_pages, span, across
    for_...      parameters that replace those of the parts
    Lines must reach the flash always through the same controller.
    """
    part = System()
    part.controller = [
        zng.FlashController(
            packages=wired(packages),
            endpoint=wired(c),
            first_package=wired(controllers),
            ports=ports,
            window=window,
            **geometry,
            **(for_controller or {}),
        )
        for c in range(controllers)
    ]
    of_package = {n: geometry[n] for n in GEOMETRY}
    part.package = [
        zng.Package(
            registers=registers,
            data_registers=NIF_DATA_REGISTERS if network == "nif" else NO_DATA_REGISTERS,
            network=network,
            ports=ports,
            endpoint=wired(int(controllers + p * ports)),
            controller=wired(p % controllers),
            queue=derived((window + COLLECTS) * controllers, from_=[WINDOW, "collect_queue", "the controllers"]),
            **of_package,
            **(for_package or {}),
        )
        for p in range(packages)
    ]
    columns, rows = mesh
    topology = "a controller and its package at each router: a drive has a controller a channel"
    part.mesh = zng.Mesh(
        **assumed(dict(columns=columns, rows=rows), topology),
        places=derived(places(columns * rows, controllers, packages, ports), from_=topology),
        **(for_mesh or {}),
    )

    for c, controller in enumerate(part.controller):
        part.mesh.input[c] = controller.output
        part.mesh.output[c] = controller.input
    for p, package in enumerate(part.package):
        for i in range(ports):
            endpoint = controllers + p * ports + i
            part.mesh.input[endpoint] = package.output[i]
            part.mesh.output[endpoint] = package.input[i]
    return part


# A slice's mesh has a router for each channel, of one package and its controller.
MESHES = {1: (4, 4), 2: (4, 2), 4: (2, 2), 8: (2, 1)}

# What tells the platforms apart behind the L2 (zng-readings.md). `reuse`: which reads one sensing serves; buffering
# a page for several is the read optimization's. `transfer`: what of it crosses the network. `redirect`: lines that
# are written may go to L2 ways that are pinned while registers thrash; the L2 of zng-wropt does not take small
# writes (V-B says so of ZnG alone), so it has none to pin. `combine`: writes that wait for one to their line go with it.
PAGE_BASIS = "ZnG II-B: reads and writes in a page basis"
EACH = stated("none", "ZnG I: Z-NAND has to fetch a whole 4KB flash page to serve a 128B data block", sweep=["waiting"])
WAITING = stated("waiting", "ZnG I: rdopt buffers pages from Z-NAND", sweep=["none"])
BASE = dict(
    registers=stated(2, "ZnG table I"),
    network=stated("none", "ZnG IV-C, V-A"),
    redirect=False,
    reuse=EACH,
    transfer=stated("page", PAGE_BASIS, sweep=["line"]),
    combine=assumed(True, "a queue compares addresses anyway, to keep the order of a line", sweep=[False]),
)
NIF = dict(registers=stated(8, "ZnG table I"), network=stated("nif", "ZnG IV-C, V-A"))
NIF_DATA_REGISTERS = stated(1, "ZnG IV-C: NiF assigns one flash register as data register", sweep=[0])
NO_DATA_REGISTERS = stated(0, "ZnG V-C: baseline employs its registers to buffer and merge", sweep=[1])
TWO_BUSES = "ZnG IV-C: registers are connected to two buses, an I/O path and a data path"
WRITES = "zng-wropt", "zng"  # platforms with eight registers and NiF
PACKAGE, CONTROLLER = "flash.package[*]", "flash.controller[*]"
LOW = "gpu.collector.when=low"
FILLED = f"{PACKAGE}.log_filled=100%", LOW  # collection as in the long run


def _on(platforms, *values):
    """A Swept for each value, on these platforms."""
    return [swept(value, platforms=platforms) for value in values]


OF_PACKAGE = dict(
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
OF_CONTROLLER = dict(
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
OF_MESH = dict(
    stages=cited(4, "the authors' public configuration", sweep=[1, 2]),
    channels=cited(4, "the authors' public configuration", sweep=[2, 8], name="virtual channels"),
    buffer=assumed(
        36, "two packets of 144 B, so that one comes while one goes", sweep=[18, 144], name="flits of a buffer"
    ),
    clock=stated("800MHz", "ZnG table I: 800 MT/s", sweep=["1600MHz"], name="network clock"),
)
# When log blocks are merged. In Figs 10 to 16 "once all the spaces of Z-NAND are used up" (III-B): until then a full one
# goes on in an erased block of its plane. Fig. 17 compares runs with collections, of log blocks that are low (IV-A), to
# runs without.
COLLECT_WHEN = "low", "used_up"
COLLECT = stated(
    "used_up",
    "ZnG III-B: once all the spaces of Z-NAND are used up",
    sweep=[swept("low", LOW)],
    name="collection",
)
PLATFORMS = {
    "zng-base": BASE,
    "zng-rdopt": dict(BASE, reuse=WAITING),
    "zng-wropt": dict(BASE, **NIF),
    "zng": dict(BASE, **NIF, redirect=True, reuse=WAITING),
}


# A mapped block: a flash block of each of `span` planes. 1 TB / (64 x 384 x 4 KiB) = 10,923 entries of four 15-bit block
# numbers are the 80 KB of the paper; 64 planes are those of a package. The planes are of all packages: two ports of 8 B x
# 800 MT/s give 12.8 GB/s a package, and the arrays give 74 GB/s, although the programs' data are a few mapped blocks.
SPAN = inferred(
    64,
    "ZnG III-B: 80 KB of table for 1 TB, table I: 384 pages a block, 64 planes a package",
    used=["zng-31"],
    sweep=[swept("1", arguments=("--span", 1, "--no-across")), swept("all planes", arguments=("--span", "all"))],
    name="planes of a mapped block",
)
ACROSS = inferred(
    True,
    "Fig. 11: arrays of 74 GB/s, the product of zng-08 to zng-11, where the ports of a package give 12.8",
    used=["zng-08", "zng-09", "zng-10", "zng-11"],
    sweep=[swept("one package", arguments=("--no-across",))],
    name="packages of a mapped block",
)


def geometry_of(size, span=SPAN, across=ACROSS):
    """Of a machine's flash; `span` may be "all"."""
    if span == "all":
        span = derived(size.channels * GEOMETRY["dies"] * GEOMETRY["planes"], from_="all planes")
    return dict(GEOMETRY, data_pages=size.data_pages, span=span, across=across)


INSTRUCTIONS = assumed(
    32,
    "address, command, answer and loop for a page moved",
    sweep=[swept(n, f"gpu.collector.instructions={n}", *FILLED) for n in (8, 256)],
    name="helper's instructions, log blocks filled",
)


def translate(part, size, programs, span=SPAN, across=ACROSS):
    """TLBs, and an MMU that walks a buffer of its own, never the flash (IV-A)."""
    ftl.translate(part, size.channels, geometry_of(size, span, across), programs)


def attach(
    root,
    size,
    programs,
    registers,
    network,
    redirect,
    reuse,
    transfer,
    combine,
    span=SPAN,
    across=ACROSS,
    collect=COLLECT,
    helper="assist",
    for_package=None,
):
    """L2 slices, crossbar, flash controllers, network, packages: `root.memory.network`, `root.flash`; and the
    helper thread that collects, `root.gpu.collector`."""
    channels = size.channels
    geometry = geometry_of(size, span, across)
    root.flash = flash_backbone(
        controllers=channels,
        packages=channels,
        mesh=MESHES[size.k],
        registers=registers,
        network=network,
        geometry=geometry,
        for_package=dict(
            OF_PACKAGE,
            reuse=reuse,
            transfer=transfer,
            **derived(for_package or {}, from_="the parameters that its caller names"),
        ),
        for_controller=dict(OF_CONTROLLER, combine=combine),
        for_mesh=OF_MESH,
    )
    slices = root.gpu.l2
    root.memory.network = mem.Crossbar(
        inputs=wired(len(slices)), **root.gpu.interleave.over(channels).crossbar, width=BEHIND_L2
    )
    for i, controller in enumerate(root.flash.controller):
        root.memory.network.mem_side[i] = controller.mem[0]
    for i, (l2, controller) in enumerate(zip(slices, root.flash.controller)):
        l2.mem_side = root.memory.network.cpu_side[i]
        if redirect:  # each controller sees as many of all writes: one is enough to tell a slice
            l2.control_ports = controller.pins = wired(1)
            controller.pin[0] = l2.control[0]
    ftl.collect(
        root.gpu,
        root.flash.controller,
        size.channels,
        geometry,
        programs,
        helper=helper,
        when=derived(collect, from_=collect)
        if source_of(collect)
        else derived(collect, from_="the option of its caller"),
        instructions=INSTRUCTIONS,
    )
