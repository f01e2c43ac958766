"""ZnG's flash: controllers on the GPU's interconnect, the flash network, packages.

`flash_backbone(...)` builds it; whoever has requests binds `controller[i].mem[j]`. `attach(...)` puts it
behind the L2 of one of machines.py's machines, `translate(...)` has its MMU name blocks of flash.
"""

from ... import System, mem, zng
from . import ftl

COLLECTS = 32  # moves and erases that a controller may have out at a package: its collect_queue
GEOMETRY = dict(dies=8, planes=8, blocks=1024, pages=384)  # ZnG, Table I


def places(routers, controllers, packages, ports):
    """The router of each endpoint: controllers and packages, each evenly spread. With as many of both there is
    a controller beside each package: that of its channel."""
    of_controllers = [i * routers // controllers for i in range(controllers)]
    of_packages = [i * routers // packages for i in range(packages) for _ in range(ports)]
    return " ".join(map(str, of_controllers + of_packages))


def flash_backbone(
    controllers=16,
    packages=16,
    ports=2,
    mesh=(4, 4),
    registers=8,
    network="nif",
    window=128,
    geometry=GEOMETRY,
    for_controller=None,
    for_package=None,
):
    """A System with `controller`, `mesh` and `package` (lists, but for the mesh).

    ports        I/O ports of a package
    registers    of a plane: 2 or 8 in the paper
    network      how registers reach other planes: none, swnet, fcnet, nif
    geometry     dies, planes, blocks, pages; perhaps data_pages
    for_...      parameters that replace those of the parts
    Lines must reach the flash always through the same controller.
    """
    part = System()
    part.controller = [
        zng.FlashController(
            packages=packages,
            endpoint=c,
            first_package=controllers,
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
            data_registers=int(network == "nif"),
            network=network,
            ports=ports,
            endpoint=controllers + p * ports,
            controller=p % controllers,
            queue=(window + COLLECTS) * controllers,
            **of_package,
            **(for_package or {}),
        )
        for p in range(packages)
    ]
    columns, rows = mesh
    part.mesh = zng.Mesh(columns=columns, rows=rows, places=places(columns * rows, controllers, packages, ports))

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
BASE = dict(registers=2, network="none", redirect=False, reuse="none", transfer="page", combine=True)
# When log blocks are merged. In Figs 10 to 16 "once all the spaces of Z-NAND are used up" (III-B): until then a full one
# goes on in an erased block of its plane. Fig. 17 compares runs with collections, of log blocks that are low (IV-A), to
# runs without.
COLLECT_WHEN = "low", "used_up"
COLLECT = "used_up"
PLATFORMS = {
    "zng-base": BASE,
    "zng-rdopt": dict(BASE, reuse="waiting"),
    "zng-wropt": dict(BASE, registers=8, network="nif"),
    "zng": dict(BASE, registers=8, network="nif", redirect=True, reuse="waiting"),
}


# Neighbouring blocks over which the pages of addresses go round. 1: "the physical data block sequentially stores
# the read-only flash pages" (IV-A). Sweep: 64, the blocks that an entry of the paper's 80 KB of table would name
# (1 TB / (64 x 384 x 4 KiB) = 10,923 entries of four 15-bit block numbers), and one of each plane, a drive's superblock.
STRIPE = 1


def geometry_of(size):
    return dict(GEOMETRY, data_pages=size.data_pages)


def translate(part, size, programs, stripe=STRIPE):
    """TLBs, and an MMU that walks a buffer of its own, never the flash (IV-A)."""
    ftl.translate(part, size.channels, geometry_of(size), programs, stripe=stripe)


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
    stripe=STRIPE,
    collect=COLLECT,
    helper="assist",
    for_package=None,
):
    """L2 slices, crossbar, flash controllers, network, packages: `root.memory.network`, `root.flash`; and the
    helper thread that collects, `root.gpu.collector`."""
    channels = size.channels
    root.flash = flash_backbone(
        controllers=channels,
        packages=channels,
        mesh=MESHES[size.k],
        registers=registers,
        network=network,
        geometry=geometry_of(size),
        for_package=dict(reuse=reuse, transfer=transfer, **(for_package or {})),
        for_controller=dict(combine=combine),
    )
    slices = root.gpu.l2
    root.memory.network = mem.Crossbar(inputs=len(slices), **root.gpu.interleave.over(channels).crossbar, width="64B")
    for i, controller in enumerate(root.flash.controller):
        root.memory.network.mem_side[i] = controller.mem[0]
    for i, (l2, controller) in enumerate(zip(slices, root.flash.controller)):
        l2.mem_side = root.memory.network.cpu_side[i]
        if redirect:  # each controller sees as many of all writes: one is enough to tell a slice
            l2.control_ports = controller.pins = 1
            controller.pin[0] = l2.control[0]
    ftl.collect(
        root.gpu,
        root.flash.controller,
        size.channels,
        geometry_of(size),
        programs,
        stripe=stripe,
        helper=helper,
        when=collect,
    )
