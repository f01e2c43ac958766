"""ZnG's flash: controllers on the GPU's interconnect, the flash network, packages.

`flash_backbone(...)` builds it; whoever has requests binds `controller[i].mem[j]`.
"""

from .. import System, flash, zng
from ..errors import user_error

COLLECTS = 32  # moves and erases that a controller may have out at a package: its collect_queue
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
                    queue=(window + COLLECTS) * controllers, check_contents=check_contents, **geometry,
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
