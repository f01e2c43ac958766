"""The memory of the host: the needs of a workload are known before it is built, and too large ones are refused."""
import os
import resource
import subprocess
import sys

import memsim
import pytest
from memsim import _memsim, simt

from .conftest import MEMSIM

MIB = 1 << 20
PEAK = """\
import sys
from memsim import _memsim
def most():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM:")).split()[1]) * 1024
before = most()
program = _memsim.Prepared("workload.Program", [("name", sys.argv[1]), ("size", sys.argv[2])])
program.footprint
print(most() - before)
"""
QUICK = ("bfs1", "gemm", "gc1", "vadd")
MACHINE = """\
import memsim
from memsim import gpu, mem, workload
from memsim.systems import ohm
memsim.instantiate(ohm.planar("ohm-base", workload.Program({})))
"""


def limited(size):
    """Limits the address space, in a child process."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


@pytest.fixture
def refused(tmp_path):
    """memsim's message about the script within a limit of 1500 MiB."""

    def run(script, size=1500 * MIB):
        (tmp_path / "large.py").write_text(script)
        done = subprocess.run(
            [MEMSIM, "large.py"], cwd=tmp_path, text=True, capture_output=True, preexec_fn=limited(size), timeout=100
        )
        assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
        return done.stderr.removeprefix("memsim: ").removesuffix("\n")

    return run


def names(wanted=lambda workload: True):
    """All workloads of the catalogue; most of them in slow tests."""
    return [
        pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow)
        for workload in _memsim.workloads()
        if wanted(workload)
        for name in workload["names"][:1]
    ]


@pytest.mark.parametrize("name", names(lambda w: _memsim.workload_memory(w["names"][0], w["most"]) >= 64 * MIB))
def test_a_workload_needs_about_the_estimated_memory(name):
    known = next(w for w in _memsim.workloads() if w["names"][0] == name)
    step = (lambda n: n + 1) if "logarithm" in known["size_is"] else (lambda n: 2 * n)
    size = known["size"]
    while (estimate := _memsim.workload_memory(name, size)) < 64 * MIB and step(size) <= known["most"]:
        size = step(size)
    done = subprocess.run(
        [sys.executable, "-c", PEAK, name, str(size)],
        text=True,
        capture_output=True,
        check=True,
        env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(memsim.__file__))),
    )
    assert 0.8 < int(done.stdout) / estimate < 1.1, (size, estimate)


@pytest.mark.parametrize("name", names(lambda w: _memsim.workload_memory(w["names"][0], w["most"]) > 1500 * MIB))
def test_machines_too_large_for_memory_are_rejected_before_they_are_built(refused, name):
    known = next(w for w in _memsim.workloads() if w["names"][0] == name)
    output = refused(MACHINE.format(f"name='{name}', size={known['most']}"))
    assert (
        f"program.size: {known['most']} needs about " in output
        or f"Program.size: {known['most']} needs about " in output
    ), output
    assert " are available: choose a smaller size" in output


def test_out_of_memory_gives_an_error_message(refused):
    output = refused(MACHINE.format("name='bfs1', size=9") + "x = bytearray(1 << 40)\n")
    assert (
        output.startswith("out of memory: this process uses ") and "; make the machine or its inputs smaller" in output
    )


def test_a_table_for_each_block_of_a_memory_that_is_too_large(tmp_path):
    done = subprocess.run(
        [MEMSIM, "-q", "--set", "front.capacity=256GiB", MEMSIM.parents[1] / "configs/cmd.py"],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        preexec_fn=limited(1500 * MIB),
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert "front.capacity: the tables of 256GiB need " in done.stderr


@pytest.mark.parametrize(
    "program, output",
    [
        (
            lambda device: device.launch("transpose", 1 << 40),
            "kernel 'transpose' of 1099511627776 threads needs about 65536.0 GiB of memory",
        ),
        (
            lambda device: device.array("a", __import__("numpy").broadcast_to(0, 1 << 42)),
            "array 'a' needs about 32768.0 GiB of memory",
        ),
    ],
)
def test_a_program_in_numpy_that_is_too_large(tmp_path, program, output):
    with pytest.raises(memsim.Error, match=output):
        simt.record(tmp_path / "x.steps", program)
    assert not list(tmp_path.iterdir())


def test_available_memory_is_the_least_of_all_limits():
    code = (
        "import resource\nfrom memsim import _memsim\nfree = _memsim.available_memory()\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "assert 0 < _memsim.available_memory() < min(free, 1 << 30)\n"
        "_memsim.limit_memory(True)\nassert 0 < _memsim.available_memory() < 1 << 30\n"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(memsim.__file__))),
    )
    total = int(next(line for line in open("/proc/meminfo") if line.startswith("MemTotal:")).split()[1]) * 1024
    assert MIB < _memsim.available_memory() <= total + (1 << 40)


def test_missing_memory_is_an_error_and_not_a_kill(tmp_path):
    """Without a limit set by the user: an allocation beyond the available memory fails, though the kernel would allow it."""
    (tmp_path / "all.py").write_text(
        "import memsim, resource\nsoft, hard = resource.getrlimit(resource.RLIMIT_DATA)\n"
        "assert soft < 1 << 50\nx = bytearray(soft)\n"
    )
    done = subprocess.run([MEMSIM, "all.py"], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 1 and done.stderr.startswith("memsim: out of memory: "), done.stderr
