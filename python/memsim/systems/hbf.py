"""Stacks of High Bandwidth Flash for a GPU, as papers of 2026 assume them: one as a channel, one as a drive.

    root.gpu = systems.h100(memory=placed.beside(hbf.channel("dash"), placed.arrays(root.model, "weights.")))
"""

from typing import Any

from .. import SimObject, flash
from ..errors import check_known, user_error
from ..model.provenance import assumed, cited, derived, wired
from ..model.units import Bytes
from .interleave import Interleave
from .placed import Memory
from .scale import up_to

CHANNELS = 16  # of a stack, as the OCP architecture has them
PAGE = 4096
YEAR = 365.25 * 24 * 3600  # seconds


def _paper(source: str, **values: Any) -> dict[str, Any]:
    return {name: cited(value, source) for name, value in values.items()}


# Of a channel: 1/16 of the planes and of the bandwidth of a stack. `rate` is that of the link where the paper has one.
PAPERS: dict[str, dict[str, Any]] = {
    "dash": _paper(
        "DASH (arXiv 2608.14333), device parameters",
        dies=16,
        banks=8,
        t_read="3us",
        t_program="100us",
        rate="100GB/s",
        endurance=100000,
    ),
    "flint": _paper(
        "FLINT (arXiv 2608.25062), device parameters",
        dies=16,
        banks=2,
        t_read="2us",
        t_program="50us",
        t_erase="3ms",
        rate="62500MB/s",
        sense_energy="20pJ",
        program_energy="100pJ",
        endurance=100000,
        disturb_limit=1000000,
    ),
    "flashaccel": _paper(
        "FlashAccel (arXiv 2607.10186), device parameters",
        dies=8,
        banks=6,
        t_read="4us",
        t_program="75us",
        rate="48GB/s",
        sense_energy="8pJ",
        endurance=100000,
    ),
    "hbflex": _paper(
        "HBFlex (arXiv 2609.18675), device parameters",
        dies=16,
        banks=2,
        t_read="4us",
        t_program="75us",
        rate="30500MB/s",
        endurance=100000,
    ),
    "hbf_sim": _paper(
        "HBF-Sim (arXiv 2609.29246), device parameters",
        dies=16,
        banks=2,
        t_read="15us",
        t_program="200us",
        t_erase="2ms",
        rate="192GB/s",
    ),
}


def parameters(paper: str = "dash", **changes: Any) -> dict[str, Any]:
    """The parameters of a channel of a stack as a paper assumes it, with changes."""
    check_known("paper", paper, PAPERS)
    return {**PAPERS[paper], **changes}


def channel(paper: str = "dash", **changes: Any) -> Memory:
    """One host channel of a stack for each channel of a GPU, for placed.beside() or systems.gpu(memory=). Sixteen
    make a stack.

    paper    one of PAPERS
    changes  of the flash.HbfStack's parameters
    """
    given = parameters(paper, **changes)

    def memory(i: int, interleave: Interleave) -> SimObject:
        stack: SimObject = flash.HbfStack(
            channels=derived(1, from_="a host channel of a stack for each channel of the GPU"),
            **interleave.share(i),
            **given,
        )
        return stack

    return memory


def drive(capacity: int, paper: str = "dash", channels: int = CHANNELS, **changes: Any) -> SimObject:
    """A stack that an FTL of the host manages, as a drive of `capacity` bytes: a flash.Drive with a child `stack`.

    changes  of the flash.HbfStack's parameters
    """
    if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
        raise user_error(f"hbf.drive(): capacity={capacity!r}: write a whole number of bytes, at least 1")
    given = parameters(paper, **changes)
    planes = channels * int(given["dies"]) * int(given["banks"])
    pages = 16  # of a block: few, so that a stack for a small program has blocks
    blocks = up_to(capacity, planes * pages * PAGE) // (planes * pages * PAGE) + SPARE_BLOCKS
    shape = wired(dict(dies=given.pop("dies"), blocks=blocks, pages=pages))
    banks = given.pop("banks")
    spare = min(0.9, 1 - up_to(capacity, PAGE) / (blocks * planes * pages * PAGE))
    part: SimObject = flash.Drive(
        channels=wired(channels),
        packages=wired(1),
        planes=wired(banks),
        **shape,
        page=derived(Bytes(PAGE), from_="a page of HBF"),
        over_provisioning=derived(f"{int(spare * 10**9)}ppb", from_="the capacity and the blocks of a plane"),
        **HOST,
    )
    part.stack = flash.HbfStack(
        channels=wired(channels), banks=wired(banks), **shape, written=wired(False), commands=wired(16384), **given
    )
    for c in range(channels):
        part.channel[c] = part.stack.host[c]
    return part


SPARE_BLOCKS = assumed(8, "of a plane: room for the blocks that are open and for collection")
HOST = assumed(
    dict(
        preconditioned="100%",
        unwritten="past",
        completion="1fs",
        host_rate="1000GB/s",
        commands=16384,
        queue_depth=16384,
        cache="64MiB",
        write_buffer="16MiB",
        dram_rate="1000GB/s",
        dram_latency="0fs",
    ),
    "an FTL in the GPU's memory controller, without a time of its own; pages it writes wait in an SRAM",
)


def years(endurance: int, blocks: int, erases: float, seconds: float) -> float:
    """Years until all blocks have reached their endurance, if wear is even.

    erases   in the time that was simulated
    seconds  simulated
    """
    return float("inf") if erases == 0 else endurance * blocks / (erases / seconds) / YEAR
