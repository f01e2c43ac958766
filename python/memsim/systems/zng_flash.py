"""ZnG's flash: controllers on the GPU's interconnect, the flash network, packages.

`flash_backbone(...)` builds it; whoever has requests binds `controller[i].mem[j]`. `attach(...)` puts it
behind the L2 of one of zng.py's machines, `translate(...)` has its MMU name blocks of flash.
"""

from .. import System, flash, mem, zng
from ..errors import user_error
from . import mmu

GEOMETRY = dict(dies=8, planes=8, blocks=1024, pages=384)  # ZnG, Table I


def places(routers, controllers, packages, ports):
    """The router of each endpoint: controllers evenly spread, packages at those that follow."""
    if controllers + packages > routers:
        raise user_error(f"{controllers} controllers and {packages} packages need as many routers; the "
                         f"mesh has {routers}")
    of_controllers = [i * routers // controllers for i in range(controllers)]
    others = [r for r in range(routers) if r not in of_controllers]
    of_packages = [r for r in others[:packages] for _ in range(ports)]
    return " ".join(map(str, of_controllers + of_packages))


def flash_backbone(controllers=6, packages=16, ports=2, mesh=(5, 5), registers=8, network="nif",
                   window=128, check_contents=False, geometry=GEOMETRY, for_controller=None,
                   for_package=None, for_mesh=None):
    """A System with `controller`, `mesh` and `package` (lists, but for the mesh).

    ports        I/O ports of a package
    registers    of a plane: 2 or 8 in the paper
    network      how registers reach other planes: none, swnet, fcnet, nif
    geometry     dies, planes, blocks, pages
    for_...      parameters that replace those of the parts
    Lines must reach the flash always through the same controller.
    """
    part = System()
    part.controller = [
        zng.FlashController(packages=packages, endpoint=c, first_package=controllers, ports=ports,
                            window=window, check_contents=check_contents, **geometry,
                            **(for_controller or {}))
        for c in range(controllers)]
    part.package = [
        zng.Package(registers=registers, network=network, ports=ports,
                    endpoint=controllers + p * ports, controller=p % controllers,
                    queue=window * controllers, check_contents=check_contents, **geometry,
                    **(for_package or {}))
        for p in range(packages)]
    columns, rows = mesh
    part.mesh = flash.Mesh(columns=columns, rows=rows, endpoints=controllers + packages * ports,
                           places=places(columns * rows, controllers, packages, ports),
                           **(for_mesh or {}))

    for c, controller in enumerate(part.controller):
        part.mesh.input[c] = controller.output
        part.mesh.output[c] = controller.input
    for p, package in enumerate(part.package):
        for i in range(ports):
            endpoint = controllers + p * ports + i
            part.mesh.input[endpoint] = package.output[i]
            part.mesh.output[endpoint] = package.input[i]
    return part


# Routers of a slice's mesh: at least as many as controllers and packages.
MESHES = {1: (5, 5), 2: (4, 3), 4: (3, 2), 8: (2, 2)}
LINK = 800_000_000  # Hz; with 8 B a link carries 6.4 GB/s (Table I)
INTERLEAVE = "4KiB"

# What tells the platforms apart behind the L2. `reuse`: which reads one sensing serves. `redirect`: lines
# that are written may go to L2 ways that are pinned while registers thrash. The L2 of zng-wropt does not
# take small writes (V-B says so of ZnG alone), so it has none to pin.
BASE = dict(registers=2, network="none", redirect=False, reuse="waiting")
PLATFORMS = {
    "znand": dict(BASE, reuse="none"),  # Fig. 5a: each request is a page of flash
    "zng-base": BASE,
    "zng-rdopt": BASE,
    "zng-wropt": dict(BASE, registers=8, network="nif"),
    "zng": dict(BASE, registers=8, network="nif", redirect=True),
}


def block_bytes(size):
    return size.data_pages * 4096


def translate(part, size, footprint, applications):
    """TLBs, and an MMU that walks a buffer of its own, never the flash (IV-A)."""
    part.table = mem.SimpleMemory(capacity="1TiB", latency="20ns", bandwidth="1000GB/s")
    return mmu.translate(part, mmu.up_to(footprint, block_bytes(size)), walks=part.table.cpu_side,
                         applications=applications, placement="identity")


def attach(root, size, registers, network, redirect, reuse, check_contents=False):
    """L2 slices, crossbar, flash controllers, network, packages: `root.memory.network`, `root.flash`."""
    count = size.controllers
    root.flash = flash_backbone(
        controllers=count, packages=size.channels, mesh=MESHES[size.k], registers=registers,
        network=network, check_contents=check_contents, for_package=dict(reuse=reuse),
        for_controller=dict(data_pages=size.data_pages, pins=int(redirect)),
        for_mesh=dict(clock=f"{round(LINK * size.of_controller)}Hz"))
    # Slices and controllers share addresses alike: each slice has its controller.
    root.memory.network = mem.Crossbar(inputs=count, outputs=count, granularity=INTERLEAVE, width="64B")
    for i, (l2, controller) in enumerate(zip(root.gpu.l2, root.flash.controller)):
        l2.mem_side = root.memory.network.cpu_side[i]
        root.memory.network.mem_side[i] = controller.mem[0]
        if redirect:
            l2.control_ports = 1
            controller.pin[0] = l2.control[0]
