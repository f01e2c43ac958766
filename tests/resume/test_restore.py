"""Restores: changes after which a run continues, changes that make it a new run, and those that are
refused before anything is deleted."""
import json
import shutil
from pathlib import Path

import memsim
import pytest
from resume import body

ROOT = Path(__file__).parents[2]
RUNS = "SELECT id, digest, exit_cause, sim_time_fs, parent FROM run ORDER BY started, id"
DUMPS = "SELECT run, label, tick FROM dump ORDER BY run, id"

MACHINE = """\
import memsim
from memsim.mem import SimpleMemory, TrafficGen

def machine(seed, **parameters):
    root = memsim.Root(seed=seed)
    root.gen = TrafficGen(requests=2000, period="10ns", read_share="50%")
    root.mem = SimpleMemory(**parameters)
    root.gen.mem_side = root.mem.cpu_side
    return memsim.instantiate(root)

"""


@pytest.fixture
def write(run):
    """A script in the test's directory."""

    def script(text, machine=MACHINE):
        path = run.directory / "script.py"
        path.write_text(machine + text)
        return path

    return script


def test_a_checkpoint_after_a_dump(run, write):
    """A restore of the last checkpoint knows that all statistics are dumped, and why the run ended."""
    script = write("machine(1)\nprint(memsim.simulate())\nmemsim.stats.dump('mine')\nmemsim.checkpoint('own.ckpt')\n")
    whole = run("-d", "out", script).stdout
    before = run.rows("out", RUNS), run.rows("out", DUMPS)
    assert [row[1] for row in before[1]] == ["mine"] and before[0][0][2] == "nothing left to do"
    assert run("--restore", "own.ckpt").stdout == whole
    assert (run.rows("out", RUNS), run.rows("out", DUMPS)) == before


def checkpoint_of(run, time, number=0):
    """The checkpoint of the run in out with this seed."""
    (uuid,) = run.rows("out", "SELECT id FROM run ORDER BY seed")[number]
    return run.directory / f"out/{time}-{uuid[:8]}.ckpt"


def test_a_save_before_the_checkpoint_is_reported(run, write):
    script = write("machine(1)\nmemsim.simulate()\n")
    run("-q", "-d", "out", "--checkpoint-at", "5us", script)
    late = "--checkpoint-at", "2us", "--checkpoint-at", "7us"
    output = run("--restore", "out/5us.ckpt", "-d", "again", *late).stderr
    assert "memsim: warning: --checkpoint-at 2us is before the checkpoint, at 5us: this machine is not saved" in output
    assert [path.name[:4] for path in (run.directory / "again").glob("*.ckpt")] == ["7us-"]


def test_two_machines_one_after_the_other(run, write):
    """The restore of the second's checkpoint makes no run of its own for the first."""
    script = write(
        "for seed in (1, 2):\n"
        "    machine(seed)\n"
        "    memsim.simulate('5us')\n"
        "    memsim.stats.dump(str(seed))\n"
        "    memsim.simulate()\n"
        "    print(memsim.default().digest)\n"
    )
    whole = run("-d", "out", "--checkpoint-at", "7us", script).stdout
    before = run.rows("out", RUNS), run.rows("out", DUMPS)
    assert len(before[0]) == 2
    first, second = (checkpoint_of(run, "7us", number) for number in (0, 1))
    for file in (second, first, second):
        assert run("--restore", file).stdout == whole
        now = run.rows("out", RUNS), run.rows("out", DUMPS)
        assert now == before, file


def test_the_other_machine_s_run_stays_where_the_checkpoint_is_refused(run, write):
    script = write("for seed in (1, 2):\n    machine(seed)\n    memsim.simulate()\n")
    run("-d", "out", "--checkpoint-at", "7us", script)
    before = (run.directory / "out/stats.db").read_bytes()
    file = checkpoint_of(run, "7us", 1)
    info, data = body.unpack(file)
    body.pack(file, info, data.replace(b"State sent u64", b"State sent u32"))
    output = run("--restore", file, expect=1).stderr
    assert "gen (mem.TrafficGen): it was saved by a memsim in which State sent differs" in output
    assert (run.directory / "out/stats.db").read_bytes() == before


@pytest.mark.parametrize(
    "call",
    [
        "memsim.stats.series('1us', ['gen.sents'])",
        "memsim.stats.series('0us', ['gen.reads'])",
        "memsim.checkpoint('/proc/none/a.ckpt')",
    ],
)
def test_an_error_that_the_script_has_caught(run, write, call):
    script = write(
        "machine(1)\n"
        "memsim.stats.series('2us', ['gen.reads'])\n"
        "try:\n"
        f"    {call}\n"
        "except memsim.Error as e:\n"
        "    print(e)\n"
        "memsim.simulate('5us')\n"
        "memsim.checkpoint('own.ckpt')\n"
        "memsim.simulate()\n"
        "print(memsim.default().digest)\n"
    )
    whole = run("-d", "out", "--checkpoint-at", "3us", "--checkpoint-at", "8us", script).stdout
    assert whole.count("\n") == 2
    content = run.content("out")
    for file in ("out/3us.ckpt", "own.ckpt", "out/8us.ckpt"):
        assert run("--restore", file).stdout == whole, file
        assert run.content("out") == content, file


TRACED = """\
import memsim
from memsim import workload
from memsim.mem import SimpleMemory

root = memsim.Root()
root.player = workload.TracePlayer(trace="a.trc", format="dramsim3", timed=False)
root.mem = SimpleMemory()
root.player.mem_side = root.mem.cpu_side
memsim.instantiate(root)
memsim.simulate()
"""
KERNEL = """\
-kernel name = k
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 8
-shmem base_addr = 0x7fc867000000
-local mem base_addr = 0x7fc865000000
-accelsim tracer version = 3

#traces format = ...

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 2
0000 ffffffff 1 R2 LDG.E 2 R4 R5 4 1 0x7fc800000000 4
0010 ffffffff 0 EXIT 0 0

#END_TB

"""
KERNELS = """\
import memsim
from memsim import workload
from memsim.systems import qv100

memsim.instantiate(qv100.qv100(workload.TraceProgram(trace="kernelslist.g"), sms=1))
memsim.simulate()
"""
NETWORK = """\
import memsim
from memsim import workload
from memsim.systems import ohm

memsim.instantiate(ohm.planar("ohm-base", workload.Program(name="darknet", input="w.cfg", size=8)))
memsim.simulate()
"""
LAYER = "[net]\nchannels=1\n[convolutional]\nactivation=linear\n"  # one weight, one bias


@pytest.mark.parametrize(
    "script, files, changed, at",
    [
        (
            TRACED,
            {"a.trc": "".join(f"0x{64 * i:x} READ {i}\n" for i in range(1000))},
            ("a.trc", ("0x40 READ", "0x80 READ")),
            "1us",
        ),
        (
            KERNELS,
            {"kernelslist.g": "kernel-1.traceg\n", "kernel-1.traceg": KERNEL},
            ("kernel-1.traceg", ("0x7fc800000000", "0x7fc800001000")),
            "100ns",
        ),
        (
            KERNELS,
            {"kernelslist.g": "kernel-1.traceg\nkernel-1.traceg\n", "kernel-1.traceg": KERNEL},
            ("kernelslist.g", ("kernel-1.traceg\nkernel", "\nkernel-1.traceg\nkernel")),
            "100ns",
        ),
        (NETWORK, {"w.cfg": LAYER, "w.weights": "\0" * 16 + "\0\0@?" * 2}, ("w.weights", ("@", "A")), "100ns"),
    ],
    ids=["a trace", "a kernel of a list", "a list", "a network's weights"],
)
def test_a_changed_input(run, write, script, files, changed, at):
    """A changed input is refused before anything of the finished run is deleted; a new file with equal contents is accepted."""
    for name, text in files.items():
        (run.directory / name).write_text(text)
    write(script, machine="")
    run("-d", "out", "--checkpoint-at", at, "script.py")
    before = (run.directory / "out/stats.db").read_bytes()
    name, (old, new) = changed
    (run.directory / name).write_text(files[name].replace(old, new, 1))
    output = run("--restore", f"out/{at}.ckpt", expect=1).stderr
    assert output == (
        f"memsim: {run.directory}/{name} has changed since the checkpoint was written: "
        "restore the file as it was, or start again without --restore\n"
    )
    assert (run.directory / "out/stats.db").read_bytes() == before
    (run.directory / name).write_text(files[name])
    content = run.content("out")
    run("--restore", f"out/{at}.ckpt")
    assert run.content("out") == content


def test_a_finished_run_of_other_contents_is_not_skipped(run, write):
    """A changed trace with the same size and modification time."""
    import os

    trace = run.directory / "a.trc"
    trace.write_text("0x40 READ 1\n")
    write(TRACED, machine="")
    run("-d", "out", "--skip-finished", "script.py")
    time = trace.stat().st_mtime_ns
    trace.write_text("0x80 READ 1\n")
    os.utime(trace, ns=(time, time))
    run("-d", "out", "--skip-finished", "script.py")
    assert len(run.rows("out", RUNS)) == 2
    run("-d", "out", "--skip-finished", "script.py")
    assert len(run.rows("out", RUNS)) == 2


def test_another_build_makes_a_new_run(run, write):
    script = write("machine(1)\nmemsim.simulate()\n")
    run("-d", "out", "--checkpoint-at", "5us", script)
    before = run.rows("out", RUNS)
    file = checkpoint_of(run, "5us")
    info, data = body.unpack(file)
    build = memsim._memsim.build_id()
    assert len(build) == 40
    body.pack(file, info, data.replace(build.encode(), b"0" * 40))
    output = run("--restore", file).stderr
    assert (
        "memsim: memsim's compiled module has changed since the checkpoint was written, and the "
        f"results may differ: this is a new run, whose parent is {before[0][0]}\n"
    ) in output
    first, child = run.rows("out", RUNS)
    assert first == before[0] and child[4] == first[0] and child[1] == first[1]


def test_a_changed_module_of_memsim_makes_a_new_run(run):
    """A copy of memsim, in which the function that builds the machine is edited between save and restore."""
    shutil.copytree(
        ROOT / "build/python", run.directory / "python", ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    for module in (ROOT / "build/python/memsim").glob("*.so"):
        (run.directory / "python/memsim" / module.name).symlink_to(module)
    shutil.copy(ROOT / "build/memsim", run.directory / "memsim")
    script = run.directory / "script.py"
    script.write_text(
        "import memsim\nfrom memsim import workload\nfrom memsim.systems import ohm\n"
        "memsim.instantiate(ohm.planar('ohm-base', workload.Program(size=8)))\n"
        "memsim.simulate()\n"
    )
    run.command = lambda arguments: [str(a) for a in (run.directory / "memsim", *arguments)]
    run("-d", "out", "--checkpoint-at", "5us", script)
    before = run.rows("out", RUNS)
    run("--restore", "out/5us.ckpt")
    assert run.rows("out", RUNS) == before
    module = run.directory / "python/memsim/papers/ohm/machines.py"
    module.write_text(module.read_text() + "\n# another figure\n")
    output = run("--restore", "out/5us.ckpt").stderr
    assert (
        "memsim: memsim/papers/ohm/machines.py has changed since the checkpoint was written, and the "
        "results may differ: this is a new run, whose parent is "
    ) in output
    first, child = run.rows("out", RUNS)
    assert first == before[0] and child[4] == first[0]


def test_components_of_other_machines_may_change(run, write):
    """A checkpoint of another version, whose shapes are the same for this machine."""
    script = write("machine(1)\nmemsim.simulate()\n")
    run("-d", "out", "--checkpoint-at", "5us", script)
    content = run.content("out")
    file = checkpoint_of(run, "5us")
    info, data = body.unpack(file)
    version = memsim.__version__.encode()
    assert version in info
    body.pack(file, info.replace(version, version[:-12] + b"0" * 12), data)
    run("--restore", file)
    assert run.content("out") == content
    assert json.loads(run("ckpt", "show", file, "gen").stdout)["sent"]


def test_a_script_of_two_machines_is_not_skipped(run, write):
    """Whether the second one finished is unknown when the first one is skipped."""
    write("for seed in 1, 2:\n    with machine(seed):\n        memsim.simulate()\n")
    for _ in range(2):
        done = run("-d", "out", "--skip-finished", "script.py", expect=1)
        assert "--skip-finished: the script builds a second machine" in done.stderr
