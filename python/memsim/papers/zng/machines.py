"""ZnG (Zhang and Jung, ISCA'20), a GPU whose memory is Z-NAND, and the machines that it is compared with.

`machine(MachineParameters(platform, programs))` builds any of them. The values are from Table I of the paper, or
are assumptions of docs/models/assumptions.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ... import Root, SimObject, System, zng
from ...errors import check_known, user_error
from ...model.provenance import assumed, cited, derived, inferred, source_of, stated, swept, wired, with_unit
from ...systems import gtx580, mmu
from ...systems.interleave import in_bytes
from ...systems.parameters import Parameters, described_by, of_region
from ...systems.processor import Gpu, gpu
from ...systems.scale import components as proportions
from ...systems.scale import footprint
from . import flash, ftl, hybrid, memory, scale, workloads

CLOCK = gtx580.CLOCK
# Equal on all platforms, as no text distinguishes them: 64 of the L2's MSHRs are for demand where hints come.
SM: Parameters = dict(
    gtx580.SM,
    warp_slots=stated(
        80,
        "ZnG table I: max warps 80 per core",
        sweep=[swept(64, "gpu.sm[*].warp_slots=64", "gpu.dispatcher.warp_slots=64")],
        name="warps",
    ),
    schedulers=cited(
        1, f"{gtx580.MACSIM}: num_warp_scheduler 2, schedule_ratio 2; one every cycle stands for them", sweep=[2]
    ),
)
L2: Parameters = dict(
    gtx580.CACHES,
    **gtx580.L2,
    demand_mshrs=assumed(64, "half of the MSHRs, where hints come", sweep=[1], name="L2 MSHRs for demand"),
)
# Real L2s hash their set index; without a hash, large strides of a program meet in few sets (D265).
L2["set_hash"] = cited(
    "polynomial",
    "GPGPU-Sim, SM7_QV100/gpgpusim.config: gpgpu_cache:dl2 with the set index P (SM2_GTX480: L, linear)",
    sweep=[swept("linear", "gpu.l2[*].set_hash=linear")],
    name="L2's hash of sets",
)
# Where a prefetcher fills pages, a page is one miss with a mask of its lines.
PAGE_FILL = inferred(
    32,
    "ZnG V-B: L2 cache can buffer a whole flash page, of 32 lines",
    sweep=[swept(1, "gpu.l2[*].mshr_lines=1")],
    name="lines of an L2 MSHR",
)

# L2 and prefetch. STT-MRAM: four times the sets, a write occupies its bank for 5 cycles (Table I), and it is "a
# read-only cache" (III-C): writes are forwarded, except in pinned ways. A present line is updated; the text does not
# say what happens to it, and in the authors' simulator it stays. Without a prefetcher nothing is fetched around a
# miss. HybridGPU's predictor is ZnG's table ("the same to [11]", IV-B), without its monitor.
L2_MSHRS = cited(128, f"{gtx580.MACSIM_DEFAULTS}: mem_mshr_size 128", sweep=[256], name="L2 MSHRs")
SRAM: Parameters = dict(
    **stated(dict(sets=1, write_cycles=1), "ZnG table I"),
    **stated(dict(write_policy="write_back", write_allocate=True), "Ohm-GPU table I, of the same GPU"),
    prefetch=None,
)
STT_MRAM: Parameters = dict(
    **stated(dict(sets=4, write_cycles=5), "ZnG table I: STT-MRAM"),
    **stated(dict(write_allocate=False), "ZnG III-C: a read-only cache"),
    write_policy=cited(
        "write_through",
        f"{flash.NETWORK}, memory.cc: a write bypasses the L3, which keeps its line",
        sweep=[swept("write_evict", "gpu.l2[*].write_policy=write_evict")],
        name="a write to a read-only L2",
    ),
    prefetch=stated("dyn-pref", "ZnG IV-B"),
)
SRAM_PREDICTED: Parameters = dict(
    SRAM,
    prefetch=inferred(
        "predict-4KBpref",
        "ZnG IV-B: the same to [11], which is HybridGPU",
        sweep=[swept("none", arguments=("--prefetch", "nopref"))],
        name="HybridGPU's predictor",
    ),
)


@dataclass(frozen=True)
class Platform:
    """What distinguishes a platform.

    memory  ZnG's flash with these parameters; or a builder of another memory below the L2. It is called with the root,
            its Scaled and the bytes of memory needed, and binds root.gpu.l2[i].mem_side
    l2      the L2 and its prefetch
    held    bytes of a device memory that is smaller than the program; None: it holds the program
    """

    memory: flash.FlashParameters | Callable[[Root, scale.Scaled, int], None]
    l2: Parameters = field(default_factory=lambda: SRAM)
    held: Callable[[scale.Scaled], int] | None = None


PLATFORMS: dict[str, Platform] = {
    "hetero": Platform(memory.hetero, held=lambda size: size.dram),
    "hybridgpu": Platform(hybrid.hybridgpu, SRAM_PREDICTED),
    "optane": Platform(memory.optane),
    "ideal": Platform(memory.ideal),
    "zng-base": Platform(flash.BASE),
    "zng-rdopt": Platform(replace(flash.BASE, reuse=flash.WAITING), STT_MRAM),
    "zng-wropt": Platform(flash.WROPT),
    "zng": Platform(replace(flash.WROPT, redirect=True, reuse=flash.WAITING), STT_MRAM),
}
READS = tuple(name for name, of in PLATFORMS.items() if of.l2 is STT_MRAM)  # with ZnG's read-only L2 and prefetcher

PREFETCHER: Parameters = dict(
    initial=assumed("4KiB", "a page", sweep=[swept("128B", platforms=READS), swept("1KiB", platforms=READS)]),
    warps=stated(
        5,
        "ZnG IV-B: five warps",
        sweep=[swept(1, platforms=READS), swept(16, platforms=READS)],
        name="representative warps",
    ),
    latency=assumed(
        "833334fs",
        "a cycle of 1.2 GHz",
        sweep=[swept("1fs", platforms=READS), swept("10ns", platforms=READS)],
        name="hint's latency",
    ),
)


def platforms() -> list[str]:
    """The names of ZnG V-A that there are."""
    return list(PLATFORMS)


@dataclass(frozen=True)
class MachineParameters:
    """Parameters of machine().

    platform    one of platforms()
    programs    workload.Programs, run at once: each has an address space of its own and may use all SMs
    size        counts and capacities of the machine; None: scale.scale() of their footprint
    prefetch    one of Fig. 16b's variants beside the L2, of zng.Prefetcher; None: the platform's own
    on_flash    fields of flash.FlashParameters that replace the platform's, if it is one of ZnG's
    optane      the reading of Table I's times of Optane: one of memory.OPTANE
    contents    whether it carries the values of the programs' stores (memsim.Root)
    dispatcher  parameters of gpu.Dispatcher, such as max_instructions
    """

    platform: str
    programs: Sequence[SimObject]
    size: scale.Scaled | None = None
    seed: int = 1
    prefetch: str | None = None
    on_flash: Parameters | None = None
    optane: str = "printed"
    contents: bool = False
    dispatcher: Parameters = field(default_factory=dict)


@described_by(MachineParameters)
def machine(p: MachineParameters) -> Root:
    """The machine of one platform.

    Returns a Root with `program`, `gpu` (dispatcher, sm, tlb, mmu, l1, network, l2, and prefetcher if
    there is one), `memory`, `flash` of ZnG's, and `scale` (its proportions beside the paper's). Caches are cold.
    """
    check_known("platform", p.platform, platforms())
    platform = PLATFORMS[p.platform]
    if p.on_flash and not isinstance(platform.memory, flash.FlashParameters):
        having = [name for name, of in PLATFORMS.items() if isinstance(of.memory, flash.FlashParameters)]
        raise user_error(
            f"{', '.join(p.on_flash)}: platform '{p.platform}' has no flash registers; those "
            f"that have are {', '.join(having)}"
        )
    spaces = [footprint(program) for program in p.programs]
    size = p.size or scale.scale(sum(spaces))
    l2 = dict(platform.l2)
    if p.prefetch is not None:
        l2["prefetch"] = p.prefetch
    chunk = memory.chunk(getattr(platform.memory, "__name__", ""), p.optane)
    root = Root(seed=p.seed, contents=p.contents)
    root.program = p.programs
    root.scale = proportions(size.invariants)
    root.gpu = gpu_of(size, len(p.programs), l2, chunk, **p.dispatcher)
    for program in p.programs:
        program.dispatcher = root.gpu.dispatcher.host
    root.memory = System()
    if isinstance(platform.memory, flash.FlashParameters):
        flash.attach(root, size, p.programs, replace(platform.memory, **(p.on_flash or {})))
        return root
    held = platform.held(size) if platform.held else None
    needed = mmu.translate(
        root.gpu,
        max(spaces),
        walks=mmu.new_input(root.gpu.network),
        applications=len(p.programs),
        placement="faults" if held else "first_touch",
        tlb=ftl.TLB,
        memory=held,
    )
    if platform.memory is memory.optane:
        memory.optane(root, size, needed, p.optane)
    else:
        platform.memory(root, size, needed)
    return root


def gpu_of(
    size: scale.Scaled, applications: int, l2: Parameters, chunk: str = scale.INTERLEAVE, **dispatcher: Any
) -> Gpu:
    """SMs with their L1s, the crossbar and the L2's slices (Table I)."""
    part = gpu(
        sms=size.sms,
        slices=size.controllers,
        interleave=chunk,
        memory=None,
        clock=CLOCK,
        sm=SM,
        dispatcher=dict(
            applications=wired(applications),
            partition=assumed("shared", "applications may use all SMs"),
            **of_region(dispatcher),
        ),
        l1=dict(capacity=with_unit(size.l1, "B"), **gtx580.CACHES),
        l2=dict(
            capacity=with_unit(size.l2_slice * l2["sets"] * size.controllers, "B"),
            **{**L2, "mshrs": L2_MSHRS},
            **{n: l2[n] for n in ("write_policy", "write_allocate", "write_cycles")},
            **(dict(mshr_lines=PAGE_FILL) if l2["prefetch"] else {}),
        ),
    )
    if l2["prefetch"]:
        add_prefetcher(part, l2["prefetch"])
    return part


def add_prefetcher(part: Gpu, variant: str, **parameters: Any) -> None:
    """A zng.Prefetcher beside the slices part.l2."""
    monitor = dict(window=monitored(part)) if variant == "dyn-pref" else {}
    part.prefetcher = zng.Prefetcher(
        variant=derived(variant, from_=variant if source_of(variant) else "the variant that its caller names"),
        slices=wired(len(part.l2)),
        **{**PREFETCHER, **monitor, **parameters},
    )
    for i, l2 in enumerate(part.l2):
        l2.hint_ports = l2.observers = wired(1)
        l2.events[0] = part.prefetcher.events[i]
        part.prefetcher.hints[i] = l2.hints[0]


def monitored(part: Gpu) -> int:
    """The window of the access monitor, in evictions. docs/models/zng.md gives the reason."""
    lines = sum(in_bytes(l2.capacity, "an L2 slice's capacity") // in_bytes(l2.line, "its line") for l2 in part.l2)
    return assumed(
        lines // 2,
        "half of the L2's lines, as in feedback-directed prefetching (Srinath et al., HPCA'07; not looked up)",
        sweep=[swept(1024, platforms=READS), swept(lines, platforms=READS)],
    )


def each(scale: str = "tiny") -> Iterator[tuple[str, str, Root]]:
    """(mode, platform, machine) of each platform, with a program of that scale."""
    for platform in platforms():
        yield "", platform, machine(MachineParameters(platform, workloads.programs("back", scale)))
