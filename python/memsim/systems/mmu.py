"""Address translation for any machine: TLBs between its SMs and their L1s, an MMU, and a host that transfers pages if
device memory does not hold all of them.

    mmu.translate(root.gpu, footprint, walks=mmu.new_input(root.gpu.network))
    mmu.page_faults(root, root.gpu, device=mmu.new_input(root.gpu.network))
"""

from numbers import Real
from typing import Any

from .. import Port, SimObject, gpu, link
from .. import host as hosts
from ..errors import user_error
from ..model.ports import unbind
from ..model.provenance import derived, source_of, wired, with_unit
from ..model.units import Bytes
from .interleave import in_bytes
from .scale import up_to

ENTRY, LEAF_ENTRIES = 8, 512  # bytes of a page-table entry, pages of a leaf table: gpu.Mmu's defaults


def tables(footprint: int, page: int, applications: int = 1) -> int:
    """Bytes of the page tables of so many address spaces of `footprint` bytes."""
    leaves = -(-up_to(footprint, page) // (page * LEAF_ENTRIES))
    return applications * (leaves + leaves * LEAF_ENTRIES) * ENTRY


def sized(page: int | Bytes) -> Any:
    """A page's size as a parameter."""
    if source_of(page):
        return with_unit(page, "B")
    return derived(page if isinstance(page, Bytes) else Bytes(page), from_="the page that its caller names")


def new_input(network: SimObject) -> Port:
    """One more input of a crossbar, which the caller binds."""
    network.inputs = wired(network.inputs + 1)
    added: Port = network.cpu_side[network.inputs - 1]
    return added


def translate(
    part: SimObject,
    footprint: int,
    walks: Port,
    page: int = 4096,
    applications: int = 1,
    placement: str = "first_touch",
    memory: int | None = None,
    tlb: dict[str, Any] | None = None,
    **mmu: Any,
) -> int:
    """Inserts a gpu.Tlb, as `part.tlb`, between each SM of `part` (a System with a list `sm`) and the part that its
    mem_side was bound to, and adds a gpu.Mmu, as `part.mmu`.

    footprint     bytes of an application's addresses, which begin at 0
    walks         the port that serves page walks, such as new_input(network)
    page          bytes of a page
    memory        bytes of device memory for pages, from address 0; None: all pages fit
    tlb, **mmu    further parameters of the TLBs and of the MMU

    Sets the dispatcher's `translated` (the addresses of each application begin at 0). Page tables lie
    behind the pages; returns how many bytes of device memory both need.
    """
    space = up_to(footprint, page)
    frames = up_to(memory or applications * space, page)
    size = tables(space, page, applications)
    fits = "the footprint of its programs and page tables"
    part.mmu = gpu.Mmu(
        **wired(dict(tlbs=len(part.sm), applications=applications, placement=placement)),
        page=sized(page),
        address_space=derived(Bytes(space), from_=fits),
        memory=derived(Bytes(frames), from_=memory if source_of(memory) else fits),
        table_base=derived(Bytes(up_to(frames, 4096)), from_=fits),
        table_memory=derived(Bytes(up_to(size, 4096)), from_=fits),
        **mmu,
    )
    part.mmu.walk_side = walks
    part.tlb = [gpu.Tlb(page=sized(page), **(tlb or {})) for _ in part.sm]
    for i, (sm, one) in enumerate(zip(part.sm, part.tlb)):
        below = unbind(sm.mem_side)
        if sm.blocks.peer:
            sm.blocks.peer.owner.translated = wired(True)
        sm.mem_side = one.cpu_side
        one.mem_side = below
        one.mmu_side = part.mmu.tlb_side[i]
        part.mmu.shootdowns[i] = one.shootdowns
    return up_to(frames, 4096) + up_to(size, 4096)


def page_faults(
    root: SimObject,
    part: SimObject,
    device: Port,
    drive: Port | None = None,
    pcie: dict[str, Any] | None = None,
    **host: Any,
) -> None:
    """Lets a host, `root.host`, bring the pages of `part.mmu` over PCIe, `root.pcie`.

    part      has an MMU whose placement is 'faults' (see translate)
    device    the port through which the copy engine reaches device memory, such as new_input(network)
    drive     None, or the port of a drive, such as flash.FixedDrive's requests or flash.Drive's host:
              where pages are initially; source='drive_direct' among **host is GPU-direct storage
    pcie      parameters of the link.Pcie
    **host    parameters of the host.PagingHost
    """
    if drive is not None:
        host.setdefault("source", wired("drive"))
        host.setdefault("drive_space", wired(part.mmu.address_space))
    root.host = hosts.PagingHost(**wired(dict(page=part.mmu.page, queue=part.mmu.fault_buffer)), **host)
    root.pcie = link.Pcie(**(pcie or {}))
    part.mmu.fault_side = root.host.faults
    root.host.pages = part.mmu.mover_side[0]
    root.host.device_side = root.pcie.from_host
    root.pcie.to_device = device
    if drive is not None:
        root.host.drive_side = drive


def _size(given: Any, what: str) -> Any:
    """A size as a number of bytes; `what` begins the sentence of the error."""
    if not isinstance(given, Real) or isinstance(given, bool):
        return in_bytes(given, what)
    if given < 1:
        raise user_error(f"{what}={given!r}: write a number of bytes of at least 1")
    return given


def translate_gpu(part: SimObject, given: Any) -> None:
    """Adds TLBs and an MMU to a GPU of processor.gpu() by its argument `mmu`. Page-table walks use the crossbar."""
    if not isinstance(given, dict) or "footprint" not in given:
        raise user_error(
            f"gpu(): mmu={given!r}: write a dict of arguments of systems.mmu.translate(), at least "
            "footprint=scale.footprint(program)"
        )
    for name in ("walks", "applications"):
        if name in given:
            raise user_error(
                f"gpu(): mmu: '{name}' is not given here: it follows from the crossbar and from "
                "dispatcher=dict(applications=)"
            )
    if not isinstance(given.get("tlb") or {}, dict):
        raise user_error(f"gpu(): mmu.tlb={given['tlb']!r}: write a dict of gpu.Tlb's parameters")
    sizes = {name: _size(given[name], f"gpu(): mmu.{name}") for name in ("footprint", "page") if name in given}
    if given.get("memory") is not None:
        sizes["memory"] = _size(given["memory"], "gpu(): mmu.memory")
    translate(part, walks=new_input(part.network), applications=part.dispatcher.applications, **{**given, **sizes})
