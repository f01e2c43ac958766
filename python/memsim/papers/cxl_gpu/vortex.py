"""The GPU of CXL-GPU's configurations: Vortex-like cores and a last-level cache."""

from ...model.provenance import assumed, cited, derived, with_unit
from ...systems.parameters import Parameters, of_region
from ...systems.processor import Gpu, gpu
from . import scale
from .values import CLOCK, CORES, LANES, MSHRS, SETS, VORTEX


def vortex(size: scale.Scaled, warps: int, dispatcher: Parameters) -> Gpu:
    """Cores of so many warps, their L1s and the last-level cache, whose mem_side the caller binds."""
    return gpu(
        sms=CORES,
        slices=1,
        channels=1,
        interleave="64B",
        memory=None,
        clock=CLOCK,
        dispatcher=dict(clock=CLOCK, **of_region(dispatcher)),
        sm=dict(
            clock=CLOCK,
            lanes=LANES,
            warp_slots=warps,
            block_slots=warps,
            **assumed(
                dict(scheduler="loose_round_robin", arithmetic_latency=1), "in order, as a small core; not looked up"
            ),
            **cited(dict(line="64B", sector="32B"), f"{VORTEX}: MEM_BLOCK_SIZE 64, L1_BLOCK_SIZE of 4 B x 8 threads"),
        ),
        l1=dict(
            **assumed(
                dict(capacity="16KiB", ways=4, write_policy="write_through", write_allocate=False),
                "as a small core's; not looked up",
            ),
            **cited(dict(line="64B", sector="64B"), f"{VORTEX}: MEM_BLOCK_SIZE 64"),
            **assumed(dict(latency="8ns", targets=8), "two cycles; requests for one miss"),
            mshrs=MSHRS,
            set_hash=SETS,
        ),
        network=assumed(dict(width="64B", latency="8ns"), "a line and two cycles"),
        l2=dict(
            capacity=with_unit(size.llc, "B"),
            **cited(dict(line="64B", sector="64B"), f"{VORTEX}: MEM_BLOCK_SIZE 64"),
            ways=scale.LLC_WAYS,
            **assumed(dict(latency="32ns", targets=8), "eight cycles; requests for one miss"),
            mshrs=derived(CORES * MSHRS, from_=[MSHRS, "as many as all cores have"]),
            fetch_on_write=assumed(False, "a sector is fetched when it is read"),
            set_hash=SETS,
        ),
    )
