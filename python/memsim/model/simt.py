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
import contextlib
import hashlib
import struct

import numpy as np

from ..errors import here, user_error
from ..files import check_output, os_error, replacing
from .simt_arrays import Array, Shared, check_memory

MAGIC = b"memsimS1"
ALIGN = 256  # as cudaMalloc
BYTES_A_THREAD = 64  # of the host, about, while a step is recorded: its index, addresses, values and temporaries


class Values(np.ndarray):
    """An array over all threads that knows the steps whose results it comes from."""

    needs = frozenset()

    def __bool__(self):
        if self.size == 1:
            return bool(self.view(np.ndarray))
        raise user_error(
            "`if` asks one question for all threads, whose answers differ: write `with k.where(condition):`"
        )

    def __array_finalize__(self, source):
        self.needs = getattr(source, "needs", frozenset())

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [_plain(i) for i in inputs]
        if out is not None:
            options["out"] = tuple(_plain(o) for o in out)
        return _with_needs(getattr(ufunc, method)(*plain, **options), _needs_of((inputs, options)))

    def __array_function__(self, function, types, args, options):
        needs = _needs_of((args, options))
        return _with_needs(function(*_all_plain(args), **_all_plain(options)), needs)


def _plain(value):
    return value.view(np.ndarray) if isinstance(value, Values) else value


def _all_plain(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_all_plain(v) for v in value)
    if isinstance(value, dict):
        return {k: _all_plain(v) for k, v in value.items()}
    return _plain(value)


def _needs_of(value):
    if isinstance(value, Values):
        return value.needs
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return frozenset()
    return frozenset().union(*map(_needs_of, value))


def _with_needs(result, needs):
    if isinstance(result, tuple):
        return tuple(_with_needs(r, needs) for r in result)
    if not isinstance(result, np.ndarray) or result.ndim == 0:
        return result
    values = result.view(Values)
    values.needs = needs
    return values


class Launch:
    """A kernel while it is recorded: each call is a step of all threads that are active. Sites have their PCs in the
    order of the steps' lines."""

    def __init__(self, device, name, threads, threads_per_block, registers):
        self._device, self.name = device, name
        self.threads = -(-threads // threads_per_block) * threads_per_block
        self._active, self._condition = np.ones(self.threads, bool), frozenset()
        self._steps, self._sites, self._line = 0, {}, len(device.index)
        self.threads_per_block, self.shared_bytes, self.barriers = threads_per_block, 0, 0
        self._head = f"launch {name} {self.threads // threads_per_block} {threads_per_block} {registers}"
        device.index.append(self._head)
        self.thread = np.arange(self.threads, dtype=np.int64).view(Values)

    def where(self, condition):
        """Only the threads where it holds are active inside; the others keep out."""
        return self._within(_plain(self._full("condition", condition)).astype(bool), _needs_of(condition))

    @contextlib.contextmanager
    def _within(self, active, needs):
        outer = self._active, self._condition
        self._active, self._condition = outer[0] & active, outer[1] | needs
        try:
            yield
        finally:
            self._active, self._condition = outer

    @property
    def any_active(self):
        """Whether a loop over `where` has work left."""
        return bool(self._active.any())

    def shared(self, name, size, dtype="float32"):
        """An array of so many elements in the shared memory of each block, for load() and store()."""
        made = Shared(name, size, np.dtype(dtype), self)
        if wrong := made.wrong:
            raise user_error(f"{self._place} shared array '{name}': {wrong}")
        self.shared_bytes = made.end
        self._device.index[self._line] = f"{self._head} {made.end}"
        return made

    def compute(self, instructions, *uses):
        """So many instructions without memory, that use these values."""
        self._step("compute", instructions=instructions, needs=_needs_of(uses))

    def load(self, array, index):
        """The values there; 0 in threads that are not active."""
        at, addresses = self._addresses(array, index)
        if wrong := array.misread(at[self._active], np.flatnonzero(self._active)):
            raise user_error(f"{self._place} {wrong}")
        step = self._step(array.step + "load", array, addresses, needs=_needs_of(index))
        values = np.zeros(self.threads, array.host.dtype)
        values[self._active] = array.host[at[self._active]]
        return _with_needs(values, frozenset([step]))

    def store(self, array, index, values):
        """The highest thread's value stays where several store to one place."""
        at, addresses = self._addresses(array, index)
        stored = self._full("value", values).astype(array.host.dtype)
        array.host[at[self._active]] = _plain(stored)[self._active]
        array.stored(at[self._active], np.flatnonzero(self._active))
        self._step(array.step + "store", array, addresses, stored, needs=_needs_of((index, values)))

    def reduce_add(self, array, index, values):
        """An atomic addition whose result nobody uses."""
        at, addresses = self._addresses(array, index)
        if array.step:
            raise user_error(
                f"{self._place} reduce_add: '{array.name}' is shared memory, where atomics are not modelled"
            )
        added = self._full("value", values).astype(array.host.dtype)
        np.add.at(array.host, at[self._active], _plain(added)[self._active])
        after = np.zeros(self.threads, array.host.dtype)
        after[self._active] = array.host[at[self._active]]
        self._step("reduce", array, addresses, after, needs=_needs_of((index, values)))

    def barrier(self):
        """All threads of a block wait for each other; none may have been left out by where()."""
        if not self._active.all():
            raise user_error(f"{self._place} barrier: inside where() some threads never come to it")
        self._step("barrier")
        self.barriers += 1

    @property
    def _place(self):
        return f"step {self._steps} of kernel '{self.name}':"

    def _full(self, what, values):
        """One value for each thread, out of that or a single one."""
        given = np.asanyarray(values)
        if given.ndim == 0:
            return np.broadcast_to(given, self.threads)
        if given.shape != (self.threads,):
            raise user_error(
                f"{self._place} the {what} has the shape {given.shape}, where "
                f"({self.threads},) is right, one for each thread, or a single one"
            )
        return given

    def _addresses(self, array, index):
        if not isinstance(array, Array):
            raise user_error(f"{self._place} {array!r} is no array of the device: device.array() makes them")
        if array.kernel not in (None, self):
            raise user_error(f"{self._place} '{array.name}' is shared memory of another launch, which has ended")
        at = _plain(self._full("index", index))
        if at.dtype.kind not in "iu":
            raise user_error(f"{self._place} an index of type {at.dtype}, where integers are right")
        used = at[self._active]
        outside = used[(used < 0) | (used >= array.size)]
        if outside.size:
            raise user_error(
                f"{self._place} index {outside[0]} is outside of '{array.name}', which has " f"{array.size} elements"
            )
        at = np.where(self._active, at, 0).astype(np.int64)
        return array.places(at), array.base + at.astype(np.uint64) * array.host.itemsize

    def _step(self, kind, array=None, addresses=None, values=None, instructions=1, needs=frozenset()):
        device, number = self._device, self._steps
        self._steps += 1
        if not self._active.any():
            kind, array, addresses, values = "compute", None, None, None  # nobody does it
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


def _bits(values):
    """Stored values as unsigned integers of 64 bits, bit by bit."""
    plain = np.ascontiguousarray(_plain(values))
    return plain.view(f"u{plain.itemsize}").astype(np.uint64)


class Device:
    """Device memory and the file that launches are written into."""

    def __init__(self, file):
        self._file, self._hash = file, hashlib.sha256()
        self._next, self.index, self.launches = 0, [], []

    def array(self, name, contents):
        """An array with these contents, of elements of 1, 2, 4 or 8 bytes."""
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

    def launch(self, name, threads, threads_per_block=256, registers=16):
        """A kernel over at least so many threads: whole blocks are launched, so guard the rest."""
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

    def put(self, array):
        """Appends an array to the file; its place."""
        place = self._file.tell()
        data = array.tobytes()
        self._file.write(data)
        self._hash.update(data)
        return place

    def finish(self):
        place = self._file.tell()
        text = "".join(f"{line}\n" for line in self.index)
        self._hash.update(text.encode())
        self._file.write(f"{text}end {self._hash.hexdigest()}\n".encode())
        self._file.seek(len(MAGIC))
        self._file.write(struct.pack("<Q", place))


def record(path, program):
    """Runs program(device) and writes what its kernels do to `path`, for workload.Recorded. The same
    program writes the same bytes. Returns what the program returns."""
    check_output(path)

    def write():
        with replacing(path, "wb") as file:
            file.write(MAGIC + bytes(8))
            device = Device(file)
            result = program(device)
            device.finish()
            return result

    return os_error(write, path)
