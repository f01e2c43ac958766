"""How addresses are distributed over the components that share them: one description for all of them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import SimObject, mem
from ..errors import Error, user_error
from ..model.provenance import wired
from ..model.units import Bytes


def in_bytes(size: object, what: str) -> int:
    """The number of bytes of a size such as '48KiB' or Bytes(48); `what` begins the sentence of the error."""
    try:
        value = size.value if isinstance(size, Bytes) else Bytes.parse(size).value if isinstance(size, str) else 0
    except Error:
        value = 0
    if value < 1:
        names = ", ".join(sorted(Bytes.units(), key=Bytes.units().__getitem__))
        raise user_error(f"{what}: {size!r} is no size: write whole bytes with a unit of {names}, such as '48KiB'")
    return value


@dataclass(frozen=True)
class Interleave:
    """Neighbouring chunks of addresses belong to neighbouring parts, the chunk after the last part's to the first part.

    ways         parts that share the addresses
    chunk        size of the addresses in one part, such as '256B' or Bytes(256)
    hash_rounds  rounds over the parts that a hash deals at a time (mem.Crossbar); 0: in turn

    A machine states it once. Caches and memory controllers behind a crossbar take it from the connection.
    """

    ways: int
    chunk: str | Bytes
    hash_rounds: int = 0

    def __post_init__(self) -> None:
        most = int(mem.Crossbar._params["outputs"]["max"])
        if isinstance(self.ways, bool) or not isinstance(self.ways, int) or not 1 <= self.ways <= most:
            raise user_error(f"Interleave: ways={self.ways!r}: addresses go round over 1 to {most} parts")
        in_bytes(self.chunk, "Interleave: chunk")

    def over(self, ways: int) -> Interleave:
        """An Interleave of the same chunks over another number of parts."""
        return replace(self, ways=ways)

    @property
    def crossbar(self) -> dict[str, Any]:
        """The parameters of the mem.Crossbar in front of the parts."""
        return wired(dict(outputs=self.ways, granularity=self.chunk)) | self._hash

    def channel(self, index: int) -> dict[str, Any]:
        """The parameters of the mem.DramController with this index, whose map ends in ChCl (in Ch if a chunk is one
        burst).

        For controllers that no crossbar deals addresses out to; behind one they may be left out unless they are hashed.
        """
        return wired(dict(channels=self.ways, channel=index, interleave=self.chunk)) | self._hash

    def slice(self, index: int, partitions: int = 1) -> dict[str, Any]:
        """The parameters of the mem.Cache with this index, which a crossbar does not state.

        partitions  of the L2: the first half of the slices is partition 0 of two
        """
        of_partition = wired(dict(partition=2 * index // self.ways)) if partitions == 2 else {}
        return (self.share(index) if self.hash_rounds else {}) | of_partition

    def share(self, index: int) -> dict[str, Any]:
        """The parameters of the component with this index that has a part of the addresses and is no cache, such as a
        flash.HbfStack."""
        given = dict(interleave_ways=self.ways, interleave_index=index, interleave_granularity=self.chunk)
        return wired(given) | self._hash

    @property
    def _hash(self) -> dict[str, Any]:
        return dict(hash_rounds=self.hash_rounds) if self.hash_rounds else {}


def join(slices: int, channels: int, interleave: Interleave, **crossbar: Any) -> list[SimObject]:
    """A mem.Crossbar in front of each memory controller that several L2 slices share, for connect()."""
    return [
        mem.Crossbar(**{**interleave.over(1).crossbar, "inputs": wired(slices // channels), **crossbar})
        for _ in range(channels)
    ]


def connect(slices: Sequence[SimObject], controllers: Sequence[SimObject], joins: Sequence[SimObject] = ()) -> None:
    """Binds L2 slices to the controllers of their addresses: slice i to controller i modulo their number,
    through joins of that index where several slices share one."""
    n = len(controllers)
    for i, l2 in enumerate(slices):
        l2.mem_side = joins[i % n].cpu_side[i // n] if joins else controllers[i].cpu_side
    for one, controller in zip(joins, controllers):
        one.mem_side[0] = controller.cpu_side


def names_memory(memory: Any) -> bool:
    """Whether an argument `memory` of systems.gpu() is a whole memory: a function, a timing table, or parameters that
    have one."""
    return callable(memory) or isinstance(memory, str) or (isinstance(memory, dict) and "timing" in memory)


def with_queue(memory: Any, queue: int) -> Any:
    """An argument `memory` of systems.gpu() whose ports get `queue` places unless it sets them. Where the way to a
    memory is long, a component's own few places bound the rate."""
    if not callable(memory):
        return dict(queue=queue) | (memory if isinstance(memory, dict) else dict(timing=memory))

    @functools.wraps(memory)
    def make(i: int, interleave: Interleave) -> Any:
        made = memory(i, interleave)
        if isinstance(made, SimObject) and "queue" in made._params and "queue" not in made._values:
            made.queue = queue
        return made

    return make
