"""Programs written with numpy (memsim.simt): their results, recordings and dependences."""
import memsim
import numpy as np
import pytest
from memsim import _memsim, gpu, mem, simt, workload


def gather(device, threads=100):
    """y[t] = x[table[t]] + 1, where x is large enough."""
    table = device.array("table", (np.arange(threads) * 7 % threads).astype("int32"))
    x = device.array("x", np.arange(threads, dtype="float32"))
    y = device.array("y", np.zeros(threads, "float32"))
    with device.launch("gather", threads, threads_per_block=64) as k:
        with k.where(k.thread < threads):
            at = k.load(table, k.thread)
            value = k.load(x, at)
            with k.where(value >= 10):
                k.compute(3, value)
                k.store(y, k.thread, value + 1)
    return y.host


def machine(file):
    root = memsim.Root()
    root.program = workload.Recorded(file=str(file))
    root.dispatcher = gpu.Dispatcher(sms=1)
    root.sm = gpu.Sm()
    root.memory = mem.SimpleMemory()
    root.program.dispatcher = root.dispatcher.host
    root.dispatcher.sm_side[0] = root.sm.blocks
    root.sm.mem_side = root.memory.cpu_side
    return root


def steps_of(file):
    data = file.read_bytes()
    text = data[int.from_bytes(data[8:16], "little") :].decode()
    return [line.split() for line in text.splitlines() if line.startswith("step")]


def test_a_program_computes_and_runs(tmp_path, in_tmp):
    y = simt.record(tmp_path / "g.steps", gather)
    expected = np.arange(100) * 7 % 100
    assert (y == np.where(expected >= 10, expected + 1, 0)).all()
    with memsim.Simulation(machine(tmp_path / "g.steps")) as sim:
        assert sim.simulate().cause == "nothing left to do"
        assert sim.root.program.stats.launches == 1
        # 4 warps: 128 threads have an exit each, 100 load twice, 90 compute 3 and store.
        assert sim.root.dispatcher.stats.thread_instructions == 128 + 200 + 4 * 90
        assert sim.root.memory.stats.writes > 0


def test_a_program_that_ends_early_keeps_the_previous_recording(tmp_path):
    simt.record(tmp_path / "g.steps", gather)
    whole = (tmp_path / "g.steps").read_bytes()
    with pytest.raises(ZeroDivisionError):
        simt.record(tmp_path / "g.steps", lambda device: 1 // 0)
    assert (tmp_path / "g.steps").read_bytes() == whole
    assert [file.name for file in tmp_path.iterdir()] == ["g.steps"]


def test_a_number_of_instructions_is_any_integer(tmp_path):
    def program(device):
        with device.launch("k", 32) as k:
            for number in 0, np.int64(3), 2**32 - 1:
                k.compute(number)

    simt.record(tmp_path / "k.steps", program)
    assert [step[4] for step in steps_of(tmp_path / "k.steps")] == ["0", "3", "4294967295"]


def test_steps_wait_for_their_operands(tmp_path):
    simt.record(tmp_path / "g.steps", gather)
    kinds_and_needs = [(s[1], s[9:]) for s in steps_of(tmp_path / "g.steps")]
    assert kinds_and_needs == [("load", []), ("load", ["0"]), ("compute", ["1"]), ("store", ["1"])]


def test_dependences_go_through_numpy_s_functions():
    with open("/dev/null", "wb") as file, simt.Device(file).launch("k", 32) as k:
        x = k._device.array("x", np.arange(256, dtype="int64"))
        a, b = k.load(x, k.thread), k.load(x, k.thread)
        for value, needs in (
            (np.where(a > 3, b, 0), {0, 1}),
            (np.minimum(a, 7), {0}),
            (np.stack([a, b])[1], {0, 1}),
            (a.copy(), {0}),
            (-b[::-1], {1}),
            (np.roll(b, 1), {1}),
            (k.thread + 1, set()),
        ):
            assert value.needs == needs


def test_the_same_program_writes_the_same_bytes(tmp_path):
    for name in "ab":
        simt.record(tmp_path / name, gather)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_atomics_barriers_and_profile(tmp_path):
    def program(device):
        counts = device.array("counts", np.zeros(8, "uint32"))
        with device.launch("count", 256) as k:
            k.reduce_add(counts, k.thread % 8, 1)
            k.barrier()
        return counts.host

    assert (simt.record(tmp_path / "c.steps", program) == 32).all()
    prepared = _memsim.Prepared("workload.Recorded", [("file", str(tmp_path / "c.steps"))])
    profile = prepared.profile()
    assert profile["atomics"] == 8 and profile["launches"] == 1 and profile["footprint"] == 256
    assert profile["warp_instructions"] == 3 * 8


def reversed_blocks(device, stride=1, threads=256):
    """Each block of 64 threads reverses its part in shared memory."""
    x = device.array("x", np.arange(threads, dtype="float32"))
    with device.launch("turn", threads, threads_per_block=64) as k:
        tile, at = k.shared("tile", 64 * stride), k.thread % 64
        k.store(tile, at * stride, k.load(x, k.thread))
        k.barrier()
        k.store(x, k.thread, k.load(tile, (63 - at) * stride))
    return x.host


def test_shared_memory_is_each_block_s_own(tmp_path, in_tmp):
    x = simt.record(tmp_path / "t.steps", reversed_blocks)
    assert (x == np.arange(256).reshape(4, 64)[:, ::-1].ravel()).all()
    kinds = [s[1] for s in steps_of(tmp_path / "t.steps")]
    assert kinds == ["load", "shared_store", "barrier", "shared_load", "store"]
    assert [s[9:] for s in steps_of(tmp_path / "t.steps")] == [[], ["0"], [], [], ["3"]]
    with memsim.Simulation(machine(tmp_path / "t.steps")) as sim:
        assert sim.simulate().cause == "nothing left to do"
        stats = sim.root.sm.stats
        assert stats.shared_instructions == stats.shared_passes == 2 * 8  # warps, no conflicts
        assert stats.blocks == 4


@pytest.mark.parametrize("stride, passes", [(1, 1), (2, 2), (3, 1), (8, 8), (32, 32), (33, 1)])
def test_bank_conflicts_are_those_of_the_stride(tmp_path, in_tmp, stride, passes):
    simt.record(tmp_path / "t.steps", lambda device: reversed_blocks(device, stride))
    with memsim.Simulation(machine(tmp_path / "t.steps")) as sim:
        sim.simulate()
        assert sim.root.sm.stats.shared_passes == 2 * 8 * passes


def test_shared_memory_takes_room_of_the_sm(tmp_path, in_tmp):
    """A block uses 16 KiB: three are resident in 48 KiB."""
    simt.record(tmp_path / "t.steps", lambda device: reversed_blocks(device, stride=64))
    with memsim.Simulation(machine(tmp_path / "t.steps")) as sim:
        sim.simulate()
        assert sim.root.sm.stats.resident.peak == 3 * 2
    simt.record(tmp_path / "t.steps", lambda device: reversed_blocks(device, stride=193))
    with pytest.raises(
        memsim.Error, match="dispatcher: a block of 64 threads.* 49408 bytes of shared memory.* does not fit"
    ):
        memsim.instantiate(machine(tmp_path / "t.steps"))


@pytest.mark.parametrize(
    "line, message",
    [
        ("k.shared('s', 0)", "step 0 of kernel 'k': shared array 's': 0 x float32, where at least one integer or"),
        ("k.shared('s', 1 << 18, 'complex64')", "shared array 's': 262144 x complex64, where"),
        (
            "k.shared('s', 1 << 18), k.shared('t', 1)",
            "shared array 't': a block takes 1048584 B of shared memory with it, where an SM has at most 1048576 B",
        ),
        ("k.load(k.shared('s', 8), k.thread)", "step 0 of kernel 'k': index 8 is outside of 's', which has 8 elements"),
        (
            "k.load(k.shared('s', 8), 3)",
            "step 0 of kernel 'k': element 3 of 's' is loaded, which no thread of block 0 has stored",
        ),
        (
            "s = k.shared('s', 64); k.store(s, k.thread % 64, 1); k.load(s, (k.thread + 1) % 64)",
            r"step 1 of kernel 'k': thread 31 loads element 32 of 's', which another warp of its block has just stored: "
            r"call barrier\(\) in between",
        ),
        ("k.reduce_add(k.shared('s', 8), 0, 1)", "reduce_add: 's' is shared memory, where atomics are not modelled"),
        ("j.load(k.shared('s', 8), 0)", "step 0 of kernel 'j': 's' is shared memory of another launch, which has"),
    ],
)
def test_a_mistake_with_shared_memory_names_the_line(in_tmp, line, message):
    text = f"""\
from memsim import simt
def program(device):
    with device.launch("j", threads=64) as j:
        pass
    with device.launch("k", threads=64, threads_per_block=64) as k:
        {line}
simt.record("x.steps", program)
"""
    with pytest.raises(memsim.Error, match=r"wrong\.py:6: .*" + message):
        exec(compile(text, "wrong.py", "exec"), {})


@pytest.mark.parametrize(
    "line, output",
    [
        (
            "k.load(x, numpy.arange(5))",
            r"step 0 of kernel 'k': the index has the shape \(5,\), where "
            r"\(256,\) is right, one for each thread, or a single one",
        ),
        ("k.load(x, k.thread * 0.5)", "step 0 of kernel 'k': an index of type float64, where integers are"),
        ("k.load(x, k.thread)", "step 0 of kernel 'k': index 100 is outside of 'x', which has 100 elements"),
        ("k.store(x, 0, numpy.zeros((2, 256)))", r"step 0 of kernel 'k': the value has the shape \(2, 256\), where "),
        ("k.load([1], 0)", r"step 0 of kernel 'k': \[1\] is no array of the device"),
        ("k.where(numpy.ones(3)).__enter__()", r"step 0 of kernel 'k': the condition has the shape \(3,\), where "),
        ("device.array('y', [[1, 2], [3, 4]])", r"array 'y': int64 of shape \(2, 2\), where one dimension"),
        (
            "k.compute(-1)",
            "step 0 of kernel 'k': compute: -1 instructions, where an integer from 0 to 4294967295 is right",
        ),
        ("k.compute(1.5)", "step 0 of kernel 'k': compute: 1.5 instructions, where"),
        ("k.compute(10**10)", "step 0 of kernel 'k': compute: 10000000000 instructions, where"),
        ("k.compute(k.thread)", "step 0 of kernel 'k': compute: "),
        ("with k.where(k.thread < 3): k.barrier()", r"step 0 of kernel 'k': barrier: inside where\(\) some "),
    ],
)
def test_a_mistake_names_the_line(in_tmp, line, output):
    (in_tmp / "wrong.py").write_text(
        f"""\
import numpy
from memsim import simt
def program(device):
    x = device.array("x", numpy.zeros(100))
    with device.launch("k", threads=100) as k:
        {line}
simt.record("x.steps", program)
"""
    )
    with pytest.raises(memsim.Error, match=r"wrong\.py:6: " + output):
        exec(compile((in_tmp / "wrong.py").read_text(), "wrong.py", "exec"), {})


@pytest.mark.parametrize(
    "change, output",
    [
        (lambda b: b[:-69], "its index has no end: the file is truncated; record it again"),
        (lambda b: b"gem5" + b[4:], r"is not a complete recording of memsim.simt.record\(\)"),
        (lambda b: b"", r"is not a complete recording of memsim.simt.record\(\)"),
        (lambda b: b.replace(b"step load", b"step fetch"), "index line 5: there is no step 'fetch'"),
        (lambda b: b.replace(b"gather 2 64", b"gather 9 64"), "an array of 576 threads does not fit in the file"),
    ],
)
def test_a_damaged_recording_is_refused(tmp_path, in_tmp, change, output):
    file = tmp_path / "g.steps"
    simt.record(file, gather)
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(memsim.Error, match=rf"program.file: .*g.steps: .*{output}"):
        memsim.Simulation(machine(file))


def test_a_missing_recording_is_refused(tmp_path, in_tmp):
    with pytest.raises(memsim.Error, match="gone.steps: cannot be read; memsim.simt.record"):
        memsim.Simulation(machine(tmp_path / "gone.steps"))
