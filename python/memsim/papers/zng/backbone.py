"""ZnG's flash network: controllers, a mesh and packages.

`flash_backbone(BackboneParameters(...))` builds it, and the caller binds `controller[i].mem[j]` to components that send
requests.
"""

from dataclasses import dataclass, field

from ... import System, zng
from ...model.provenance import assumed, derived, stated, wired
from ...systems.parameters import Parameters, described_by

BEHIND_L2 = assumed("64B", "as wide as a slice of the L2, on every platform")  # of the crossbar there
COLLECTS = 32  # moves and erases that a controller may have out at a package: its collect_queue
GEOMETRY: Parameters = stated(dict(dies=8, planes=8, blocks=1024, pages=384), "ZnG table I")
PORTS = stated(2, "ZnG table I: I/O ports of a package")
WINDOW = assumed(128, "requests of a controller without an answer at a package")
NIF_DATA_REGISTERS = stated(1, "ZnG IV-C: NiF assigns one flash register as data register", sweep=[0])
NO_DATA_REGISTERS = stated(0, "ZnG V-C: baseline employs its registers to buffer and merge", sweep=[1])


def places(routers: int, controllers: int, packages: int, ports: int) -> str:
    """The router of each endpoint: controllers and packages, each evenly spread. With as many of both there is
    a controller beside each package: that of its channel."""
    of_controllers = [i * routers // controllers for i in range(controllers)]
    of_packages = [i * routers // packages for i in range(packages) for _ in range(ports)]
    return " ".join(map(str, of_controllers + of_packages))


@dataclass(frozen=True, kw_only=True)
class BackboneParameters:
    """Parameters of flash_backbone().

    mesh         columns and rows
    ports        I/O ports of a package
    registers    of a plane: 2 or 8 in the paper
    network      how registers reach other planes: none, swnet, fcnet, nif
    geometry     dies, planes, blocks, pages; perhaps data_pages, span, across
    for_...      parameters that replace those of the parts
    """

    controllers: int = 16
    packages: int = 16
    ports: int = PORTS
    mesh: tuple[int, int] = (4, 4)
    registers: int = 8
    network: str = "nif"
    window: int = WINDOW
    geometry: Parameters = field(default_factory=lambda: dict(GEOMETRY))
    for_controller: Parameters = field(default_factory=dict)
    for_package: Parameters = field(default_factory=dict)
    for_mesh: Parameters = field(default_factory=dict)


@described_by(BackboneParameters)
def flash_backbone(p: BackboneParameters) -> System:
    """A System with `controller`, `mesh` and `package` (lists, but for the mesh).

    Lines must reach the flash always through the same controller.
    """
    part = System()
    part.controller = [
        zng.FlashController(
            packages=wired(p.packages),
            endpoint=wired(c),
            first_package=wired(p.controllers),
            ports=p.ports,
            window=p.window,
            **p.geometry,
            **dict(p.for_controller),
        )
        for c in range(p.controllers)
    ]
    of_package = {n: p.geometry[n] for n in GEOMETRY}
    part.package = [
        zng.Package(
            registers=p.registers,
            data_registers=NIF_DATA_REGISTERS if p.network == "nif" else NO_DATA_REGISTERS,
            network=p.network,
            ports=p.ports,
            endpoint=wired(int(p.controllers + i * p.ports)),
            controller=wired(i % p.controllers),
            queue=derived((p.window + COLLECTS) * p.controllers, from_=[WINDOW, "collect_queue", "the controllers"]),
            **of_package,
            **dict(p.for_package),
        )
        for i in range(p.packages)
    ]
    columns, rows = p.mesh
    topology = "a controller and its package at each router: a drive has a controller a channel"
    part.mesh = zng.Mesh(
        **assumed(dict(columns=columns, rows=rows), topology),
        places=derived(places(columns * rows, p.controllers, p.packages, p.ports), from_=topology),
        **dict(p.for_mesh),
    )
    for c, controller in enumerate(part.controller):
        part.mesh.input[c] = controller.output
        part.mesh.output[c] = controller.input
    for i, package in enumerate(part.package):
        for port in range(p.ports):
            endpoint = p.controllers + i * p.ports + port
            part.mesh.input[endpoint] = package.output[port]
            part.mesh.output[endpoint] = package.input[port]
    return part
