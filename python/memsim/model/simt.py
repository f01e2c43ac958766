"""Programs for the simulated GPU, written with numpy: one array over all threads for each step.

    from memsim import simt

    def program(device):
        x = device.array("x", numpy.arange(1000, dtype="float32"))
        y = device.array("y", numpy.zeros(1000, "float32"))
        with device.launch("double", threads=1000) as k:
            t = k.thread
            with k.where(t < 1000):
                k.store(y, t, 2 * k.load(x, t))
                k.compute(2)

    simt.record("double.steps", program)
    root.program = workload.Recorded(file="double.steps")

load() gives the values, so a program computes what it would compute on a GPU, all threads in step. A value remembers
the loads that it comes from, through numpy's functions too, and whatever uses it waits for them.
"""

from __future__ import annotations

import contextlib
import hashlib
import struct
from collections.abc import Callable, Iterator
from typing import IO, Any, ContextManager, TypeVar

import numpy as np

from ..errors import here, user_error
from ..files import check_output, os_error, replacing
from .simt_arrays import Array, Shared, check_memory, whole
from .simt_values import Plain, Values, needs_of, plain, with_needs

T = TypeVar("T")
MAGIC = b"memsimS1"
ALIGN = 256  # alignment of cudaMalloc
BYTES_A_THREAD = 64  # approximate host memory while a step is recorded: index, addresses, values and temporaries


class Launch:
    """A kernel while it is recorded. Each call is a step of all active threads. PCs of sites follow the order of the
    steps' source lines."""

    threads_per_block: int
    shared_bytes: int  # per block, so far
    barriers: int  # number so far

    def __init__(self, device: Device, name: str, threads: int, threads_per_block: int, registers: int) -> None:
        self._device, self.name = device, name
        self.threads = -(-threads // threads_per_block) * threads_per_block
        self._active: Plain = np.ones(self.threads, bool)
        self._condition = frozenset[int]()
        self._steps, self._sites, self._line = 0, dict[tuple[str, str], int](), len(device.index)
        self.threads_per_block = threads_per_block
        self.shared_bytes = self.barriers = 0
        self._head = f"launch {name} {self.threads // threads_per_block} {threads_per_block} {registers}"
        device.index.append(self._head)
        self.thread: Values = np.arange(self.threads, dtype=np.int64).view(Values)

    def where(self, condition: Any) -> ContextManager[None]:
        """A context in which only the threads that fulfil the condition are active.

        condition   a value of shape (threads,), or a single one
        """
        return self._within(plain(self._full("condition", condition)).astype(bool), needs_of(condition))

    @contextlib.contextmanager
    def _within(self, active: Plain, needs: frozenset[int]) -> Iterator[None]:
        outer = self._active, self._condition
        self._active, self._condition = outer[0] & active, outer[1] | needs
        try:
            yield
        finally:
            self._active, self._condition = outer

    @property
    def any_active(self) -> bool:
        """Whether any thread is active in a loop over `where`."""
        return bool(self._active.any())

    def shared(self, name: str, size: int, dtype: Any = "float32") -> Shared:
        """An array of `size` elements in the shared memory of each block, for load() and store().

        Raises Error for elements of more than 8 bytes, and for more shared memory than a block can have.
        """
        made = Shared(name, size, np.dtype(dtype), self)
        if wrong := made.wrong:
            raise user_error(f"{self._place} shared array '{name}': {wrong}")
        self.shared_bytes = made.end
        self._device.index[self._line] = f"{self._head} {made.end}"
        return made

    def compute(self, instructions: int, *uses: Any) -> None:
        """Adds this many instructions without memory accesses, which use these values. Raises Error if this is not an
        integer from 0 to 2^32 - 1."""
        self._step("compute", instructions=whole(instructions, f"{self._place} compute:"), needs=needs_of(uses))

    def load(self, array: Array, index: Any) -> Any:
        """The values at these indices, of shape (threads,); 0 in threads that are not active.

        index   integers of shape (threads,), or a single one

        Raises Error for an index outside of the array.
        """
        at, addresses = self._addresses(array, index)
        if wrong := array.misread(at[self._active], np.flatnonzero(self._active)):
            raise user_error(f"{self._place} {wrong}")
        step = self._step(array.step + "load", array, addresses, needs=needs_of(index))
        values = np.zeros(self.threads, array.host.dtype)
        values[self._active] = array.host[at[self._active]]
        return with_needs(values, frozenset([step]))

    def store(self, array: Array, index: Any, values: Any) -> None:
        """Stores values of shape (threads,), or a single one. If several threads store to one element, the value of the
        highest thread remains. Raises Error for an index outside of the array."""
        at, addresses = self._addresses(array, index)
        stored = self._full("value", values).astype(array.host.dtype)
        array.host[at[self._active]] = plain(stored)[self._active]
        array.stored(at[self._active], np.flatnonzero(self._active))
        self._step(array.step + "store", array, addresses, stored, needs=needs_of((index, values)))

    def reduce_add(self, array: Array, index: Any, values: Any) -> None:
        """An atomic addition without a result. Raises Error for an index outside of the array."""
        at, addresses = self._addresses(array, index)
        if array.step:
            raise user_error(
                f"{self._place} reduce_add: '{array.name}' is shared memory, where atomics are not modelled"
            )
        added = self._full("value", values).astype(array.host.dtype)
        np.add.at(array.host, at[self._active], plain(added)[self._active])
        after = np.zeros(self.threads, array.host.dtype)
        after[self._active] = array.host[at[self._active]]
        self._step("reduce", array, addresses, after, needs=needs_of((index, values)))

    def barrier(self) -> None:
        """All threads of a block wait for each other. Raises Error inside where() if a thread is left out."""
        if not self._active.all():
            raise user_error(f"{self._place} barrier: inside where() some threads do not reach it")
        self._step("barrier")
        self.barriers += 1

    @property
    def _place(self) -> str:
        return f"step {self._steps} of kernel '{self.name}':"

    def _full(self, what: str, values: Any) -> Any:
        """One value per thread, from an array or a single value."""
        given = np.asanyarray(values)
        if given.ndim == 0:
            return np.broadcast_to(given, self.threads)
        if given.shape != (self.threads,):
            raise user_error(
                f"{self._place} the {what} has the shape {given.shape}, where "
                f"({self.threads},) is right, one for each thread, or a single one"
            )
        return given

    def _addresses(self, array: Array, index: Any) -> tuple[Any, Any]:
        if not isinstance(array, Array):
            raise user_error(f"{self._place} {array!r} is no array of the device: device.array() makes them")
        if array.kernel not in (None, self):
            raise user_error(f"{self._place} '{array.name}' is shared memory of another launch, which has ended")
        at = plain(self._full("index", index))
        if at.dtype.kind not in "iu":
            raise user_error(f"{self._place} an index of type {at.dtype}, where integers are right")
        used = at[self._active]
        outside = used[(used < 0) | (used >= array.size)]
        if outside.size:
            raise user_error(
                f"{self._place} index {outside[0]} is outside of '{array.name}', which has {array.size} elements"
            )
        at = np.where(self._active, at, 0).astype(np.int64)
        return array.places(at), array.base + at.astype(np.uint64) * array.host.itemsize

    def _step(
        self,
        kind: str,
        array: Array | None = None,
        addresses: Any = None,
        values: Any = None,
        instructions: int = 1,
        needs: frozenset[int] = frozenset(),
    ) -> int:
        device, number = self._device, self._steps
        self._steps += 1
        if not self._active.any():
            kind, array, addresses, values = "compute", None, None, None  # no thread is active
        pc = (len(device.launches) << 12) + 16 * self._sites.setdefault((here(), kind), len(self._sites))
        active = 0 if self._active.all() else device.put(self._active.astype(np.uint8))
        width = array.host.itemsize if array else 0
        at = device.put(addresses.astype(np.uint64)) if array else 0
        bits = device.put(_bits(values)) if values is not None else 0
        needed = sorted(needs | self._condition)
        device.index.append(
            f"step {kind} {pc} {width} {instructions} {active} {at} {bits} "
            f"{len(needed)} {' '.join(map(str, needed))}".rstrip()
        )
        return number


def _bits(values: Any) -> Plain:
    """Stored values as unsigned 64-bit integers with the same bits."""
    unsigned: Plain = np.ascontiguousarray(plain(values))
    return unsigned.view(f"u{unsigned.itemsize}").astype(np.uint64)


class Device:
    """Device memory, and the file to which launches are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._hash = file, hashlib.sha256()
        self._next, self.index, self.launches = 0, list[str](), list[str]()

    def array(self, name: str, contents: Any) -> Array:
        """An array in device memory with a copy of these contents.

        contents    one dimension of elements of 1, 2, 4 or 8 bytes

        Raises Error for another shape or type.
        """
        check_memory(f"array '{name}'", getattr(contents, "nbytes", 0))
        contents = np.array(contents)
        if contents.ndim != 1 or contents.dtype.kind not in "iufb" or contents.itemsize > 8:
            raise user_error(
                f"array '{name}': {contents.dtype} of shape {contents.shape}, where one "
                "dimension of integers or floats of at most 8 bytes is right"
            )
        if not name or not name.isidentifier():
            raise user_error(f"array '{name}': a name has letters, digits and _")
        made = Array(name, contents, self._next)
        self.index.append(f"array {name} {self._next} {contents.nbytes}")
        self._next += -(-max(contents.nbytes, 1) // ALIGN) * ALIGN
        return made

    def launch(
        self, name: str, threads: int, threads_per_block: int = 256, registers: int = 16
    ) -> ContextManager[Launch]:
        """A context that records a kernel with at least this many threads. Whole blocks are launched, so the kernel
        must guard excess threads.

        registers   registers per thread

        Raises Error for sizes out of range.
        """
        if threads < 1 or not 1 <= threads_per_block <= 1024:
            raise user_error(
                f"kernel '{name}': {threads} threads in blocks of {threads_per_block}, where "
                "at least 1, in blocks of 1 to 1024, is right"
            )
        if not name.isidentifier():
            raise user_error(f"kernel '{name}': a name has letters, digits and _")
        check_memory(f"kernel '{name}' of {threads} threads", threads * BYTES_A_THREAD)
        kernel = Launch(self, name, threads, threads_per_block, registers)
        self.launches.append(name)
        return contextlib.nullcontext(kernel)

    def put(self, array: Plain) -> int:
        """Appends an array to the file. Returns its offset."""
        place = self._file.tell()
        data = array.tobytes()
        self._file.write(data)
        self._hash.update(data)
        return place

    def finish(self) -> None:
        """Appends the index and writes its offset at the beginning of the file."""
        place = self._file.tell()
        text = "".join(f"{line}\n" for line in self.index)
        self._hash.update(text.encode())
        self._file.write(f"{text}end {self._hash.hexdigest()}\n".encode())
        self._file.seek(len(MAGIC))
        self._file.write(struct.pack("<Q", place))


def record(path: str, program: Callable[[Device], T]) -> T:
    """Runs program(device) and writes the operations of its kernels to `path`, for workload.Recorded. The same program
    writes the same bytes. Returns the result of the program."""
    check_output(path)

    def write() -> T:
        with replacing(path, "wb") as file:
            file.write(MAGIC + bytes(8))
            device = Device(file)
            result = program(device)
            device.finish()
            return result

    return os_error(write, path)
