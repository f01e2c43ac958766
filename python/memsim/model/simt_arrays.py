"""Arrays of a simt program: in device memory, and in the shared memory of a kernel's blocks."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _memsim
from ..errors import user_error

if TYPE_CHECKING:
    from .simt import Launch

WARP = 32  # threads
MOST_INSTRUCTIONS = 2**32 - 1  # of a step in a recording
MOST_SHARED = 1 << 20  # maximum bytes per block: the limit of gpu.Dispatcher per SM


def check_memory(what: str, needed: int) -> None:
    """Raises Error if host memory does not suffice. Otherwise the kernel would end the process."""
    if needed > (available := _memsim.available_memory()):
        raise user_error(
            f"{what} needs about {_memsim.show_bytes(needed)} of memory, and {_memsim.show_bytes(available)} "
            "are available: record a smaller problem, or use a machine with more memory"
        )


def whole(instructions: Any, where: str) -> int:
    """The number of instructions of a step. Raises Error if it is not an integer that a recording can hold."""
    try:
        number = operator.index(instructions)
    except TypeError:
        number = -1
    if not 0 <= number <= MOST_INSTRUCTIONS:
        raise user_error(
            f"{where} {instructions!r} instructions, where an integer from 0 to {MOST_INSTRUCTIONS} is right"
        )
    return number


class Array:
    """An array in device memory; `host` is its contents, which stores change."""

    step = ""  # prefix of the kinds of its steps
    kernel: Launch | None = None  # the only launch that may use it

    def __init__(self, name: str, contents: Any, base: int) -> None:
        self.name, self.host, self.base, self.size = name, contents, base, contents.size

    def places(self, index: Any) -> Any:
        """The index in `host` of each thread's element."""
        return index

    def misread(self, places: Any, threads: Any) -> str | None:
        """The reason why these threads cannot load these elements, as the end of a sentence; None if they can."""
        return None

    def stored(self, places: Any, threads: Any) -> None:
        """Records that these threads have stored to these elements."""


class Shared(Array):
    """An array of which each block of a kernel has its own copy in shared memory. Elements are undefined before they
    are stored. A store by a thread of another warp is visible after a barrier. A load that violates these rules raises
    Error."""

    step = "shared_"

    def __init__(self, name: str, size: int, dtype: np.dtype[Any], kernel: Launch) -> None:
        thread = np.arange(kernel.threads)
        self.kernel: Launch = kernel
        self._block = thread // kernel.threads_per_block
        self._warp = thread % kernel.threads_per_block // WARP
        blocks = kernel.threads // kernel.threads_per_block
        self.end = kernel.shared_bytes + -(-size * dtype.itemsize // 8) * 8
        self.wrong = self._wrong(size, dtype)
        if self.wrong:
            return
        check_memory(f"shared array '{name}' of {blocks} blocks", blocks * size * (dtype.itemsize + 8))
        super().__init__(name, np.zeros(blocks * size, dtype), kernel.shared_bytes)
        self.size = size
        self._writer = np.full(self.host.size, -1, np.int32)  # warp of the last store; -1: none
        self._barriers = np.zeros(self.host.size, np.int32)  # barriers before the last store

    def _wrong(self, size: int, dtype: np.dtype[Any]) -> str | None:
        if size < 1 or dtype.kind not in "iufb" or dtype.itemsize > 8:
            return f"{size} x {dtype}, where at least one integer or float of at most 8 bytes is right"
        if self.end > MOST_SHARED:
            return f"a block takes {self.end} B of shared memory with it, where an SM has at most {MOST_SHARED} B"
        return None

    def places(self, index: Any) -> Any:
        return self._block * self.size + index

    def misread(self, places: Any, threads: Any) -> str | None:
        writer = self._writer[places]
        if (never := writer < 0).any():
            block, at = divmod(int(places[never][0]), self.size)
            return f"element {at} of '{self.name}' is loaded, which no thread of block {block} has stored"
        early = (self._barriers[places] == self.kernel.barriers) & (writer != self._warp[threads])
        if early.any():
            at = int(places[early][0]) % self.size
            return (
                f"thread {threads[early][0]} loads element {at} of '{self.name}', which another warp of its block has "
                "just stored: call barrier() in between"
            )
        return None

    def stored(self, places: Any, threads: Any) -> None:
        self._writer[places], self._barriers[places] = self._warp[threads], self.kernel.barriers
