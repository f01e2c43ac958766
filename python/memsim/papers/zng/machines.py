"""ZnG (Zhang and Jung, ISCA'20) and what it is compared with: a GPU whose memory is Z-NAND.

`machine(platform, programs, ...)` builds any of them; the values stand in Table I of the paper or are
assumptions of docs/models/zng.md.
"""

from ... import Root, System, zng
from ...errors import check_known, user_error
from ...systems import gtx580, mmu
from ...systems.processor import gpu
from ...systems.scale import components as proportions
from ...systems.scale import footprint
from . import flash, ftl, memory, scale

CLOCK = "1200MHz"
# Equal on all platforms, as no text tells them apart: 64 of the L2's MSHRs are for demand where hints come.
L2 = dict(gtx580.L2, demand_mshrs=64)

# What is behind the L2. Each is called with the root, its Scaled and the bytes of memory needed, and
# binds root.gpu.l2[i].mem_side. Those of flash.PLATFORMS have ZnG's flash there.
MEMORIES = {
    "hetero": memory.hetero,
    "hybridgpu": memory.hybridgpu,
    "optane": memory.optane,
    "ideal": memory.ideal,
}
# L2 and prefetch. STT-MRAM: four times the sets, a write takes its bank for 5 cycles (Table I), and it
# keeps nothing that is written (III-C: "a read-only cache") but in pinned ways. Without a prefetcher
# nothing is fetched around a miss. HybridGPU's predictor is ZnG's table ("the same to [11]", IV-B), without its monitor.
SRAM = dict(sets=1, write_cycles=1, write_policy="write_back", write_allocate=True, prefetch=None)
STT_MRAM = dict(sets=4, write_cycles=5, write_policy="write_evict", write_allocate=False, prefetch="dyn-pref")
READ_PATH = {
    "zng-rdopt": STT_MRAM,
    "zng": STT_MRAM,
    "hybridgpu": dict(SRAM, prefetch="predict-4KBpref"),
}  # all others have SRAM


def platforms():
    """The names of ZnG V-A that there are."""
    return [*MEMORIES, *flash.PLATFORMS]


def machine(
    platform, programs, size=None, seed=1, prefetch=None, on_flash=None, optane="table", contents=False, **dispatch
):
    """The machine of one platform.

    platform   one of platforms()
    programs   workload.Programs, run at once: each has an address space of its own and may use all SMs
    size       what the machine has; None: scale.scale() of their footprint
    prefetch   one of Fig. 16b's variants beside the L2, of zng.Prefetcher; None: the platform's own
    on_flash   arguments of flash.attach() that replace the platform's, if it is one of ZnG's
    optane     what Table I's times of Optane mean: memory.OPTANE
    contents   whether it carries the values of the programs' stores (memsim.Root)
    dispatch   parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `gpu` (dispatcher, sm, tlb, mmu, l1, network, l2, and prefetcher if
    there is one), `memory`, `flash` of ZnG's, and `scale` (what became of the proportions). Caches are cold.
    """
    check_known("platform", platform, platforms())
    own = flash.PLATFORMS.get(platform)
    if on_flash and not own:
        raise user_error(
            f"{', '.join(on_flash)}: platform '{platform}' has no flash registers; those "
            f"that have are {', '.join(flash.PLATFORMS)}"
        )
    spaces = [footprint(p) for p in programs]
    size = size or scale.scale(sum(spaces))
    l2 = dict(READ_PATH.get(platform, SRAM))
    if prefetch is not None:
        l2["prefetch"] = prefetch
    root = Root(seed=seed, contents=contents)
    root.program = programs
    root.scale = proportions(size.invariants)
    root.gpu = gpu_of(size, len(programs), l2, memory.chunk(platform, optane), **dispatch)
    for program in programs:
        program.dispatcher = root.gpu.dispatcher.host
    root.memory = System()
    if own:
        on_flash = {**own, **(on_flash or {})}
        flash.translate(root.gpu, size, programs, on_flash.get("stripe", flash.STRIPE))
        flash.attach(root, size, programs, **on_flash)
        return root
    held = memory.PAGED.get(platform)
    needed = mmu.translate(
        root.gpu,
        max(spaces),
        walks=mmu.new_input(root.gpu.network),
        applications=len(programs),
        placement="faults" if held else "first_touch",
        tlb=ftl.TLB,
        memory=held(size) if held else None,
    )
    MEMORIES[platform](root, size, needed, **({"reading": optane} if platform == "optane" else {}))
    return root


def gpu_of(size, applications, l2, chunk=scale.INTERLEAVE, **dispatch):
    """SMs with their L1s, the crossbar and the L2's slices (Table I)."""
    part = gpu(
        sms=size.sms,
        slices=size.controllers,
        interleave=chunk,
        memory=None,
        clock=CLOCK,
        sm=gtx580.SM,
        dispatcher=dict(applications=applications, partition="shared", **dispatch),
        l1=dict(capacity=f"{size.l1}B", **gtx580.CACHES),
        l2=dict(
            capacity=f"{size.l2_slice * l2['sets'] * size.controllers}B",
            **gtx580.CACHES,
            **L2,
            **{n: l2[n] for n in ("write_policy", "write_allocate", "write_cycles")},
        ),
    )
    if l2["prefetch"]:
        add_prefetcher(part, l2["prefetch"])
    return part


def add_prefetcher(part, variant, **parameters):
    """A zng.Prefetcher beside the slices part.l2."""
    part.prefetcher = zng.Prefetcher(variant=variant, slices=len(part.l2), **parameters)
    for i, l2 in enumerate(part.l2):
        l2.hint_ports = l2.observers = 1
        l2.events[0] = part.prefetcher.events[i]
        part.prefetcher.hints[i] = l2.hints[0]
