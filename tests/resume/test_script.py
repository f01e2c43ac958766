"""Scripts with loops, decisions on statistics, dumps, resets and series."""
import os
import py_compile

import pytest

# Every call whose result depends on simulated state, and decisions based on the results.
SCRIPT = """\
import memsim
from memsim import workload
from memsim.systems import ohm

program = workload.Program(name="pagerank", size=9, iterations=2)
root = ohm.planar("ohm-base", program)
machine = memsim.instantiate(root)
memsim.stats.series("3us", ["gpu.l2[0].*", "memory.controller[0].*"])
memsim.simulate("10us")
for part in range(4):                                             # warm up
    memsim.simulate(f"{3 + part}us")
memsim.stats.dump("warm")
memsim.stats.reset()
l2, steps = root.gpu.l2[0].stats, 0
while memsim.simulate("5us").getCause() == "simulate() limit reached":
    steps += 1
    if l2.hits > l2.misses:
        memsim.stats.dump(f"hits at {memsim.curTick()}, {l2.hits}")
        memsim.stats.reset()
    elif int(l2.misses) % 3 == 1:
        memsim.stats.dump("misses")
        memsim.simulate(1)                                        # one tick
    if steps == 12:
        memsim.stats.series("2us", "gpu.dispatcher.*")
print(steps, memsim.curTick(), machine.digest)
"""


@pytest.fixture
def script(run):
    path = run.directory / "loops.py"
    path.write_text(SCRIPT)
    return path


def test_a_checkpoint_in_each_call(run, script, at):
    whole = run("-d", "whole", script)
    content = run.content("whole")
    labels = {label for (_, _, label) in content[1]}
    assert "warm" in labels and len(content[1]) > 5 and len(content[3]) > 100, "a thin script"
    # At and around the limits of simulate() calls, at a sample of the series, and elsewhere.
    ticks = sorted(
        {
            1,
            10 * 10**9 - 1,
            10 * 10**9,
            10 * 10**9 + 1,
            13 * 10**9,
            18 * 10**9,
            28 * 10**9 - 1,
            28 * 10**9,
            *run.moments("whole", 6),
        }
    )
    cut = run("-d", "cut", *at(ticks), script)
    assert cut.stdout == whole.stdout and run.content("cut") == content
    files = sorted((run.directory / "cut").glob("*.ckpt"))
    assert len(files) == len(ticks)
    for file in files:
        assert run("--restore", file).stdout == whole.stdout, file
        assert run.content("cut") == content, file


def test_a_checkpoint_from_the_script_between_its_calls(run, script):
    whole = run("-d", "whole", script)
    script.write_text(
        SCRIPT.replace(
            "    if l2.hits", "    if steps % 4 == 1:\n        memsim.checkpoint(f'own{steps}.ckpt')\n    if l2.hits"
        )
    )
    assert run("-d", "cut", script).stdout == whole.stdout
    files = sorted(run.directory.glob("own*.ckpt"))
    assert len(files) > 2
    for file in files:
        assert run("--restore", file).stdout == whole.stdout, file
        assert run.content("cut") == run.content("whole"), file


def test_a_changed_script(run, script, at):
    run("-d", "out", *at([30 * 10**9]), script)
    script.write_text(SCRIPT.replace("5us", "6us"))
    before = (run.directory / "out/stats.db").read_bytes()
    output = run("--restore", "out/30us.ckpt", expect=1).stderr
    assert output.startswith(f"memsim: {script} has changed since the checkpoint was written: ")
    assert output.count("\n") == 1 and (run.directory / "out/stats.db").read_bytes() == before


@pytest.mark.parametrize(
    "call, other, output",
    [
        (
            'simulate("10us")',
            'simulate("11us")',
            "loops.py:9: the script calls simulate('11us') where the run of the checkpoint called "
            "simulate('10us') (loops.py:9): a restored script must ask the same, in the same order",
        ),
        (
            'stats.dump("warm")',
            "curTick()",
            "loops.py:12: the script calls curTick() where the run of the checkpoint called dump('warm') "
            "(loops.py:12): ",
        ),
        (
            'stats.dump("warm")',
            "sys.exit()",
            "the script ended before it reached the call that the checkpoint interrupted",
        ),
    ],
)
def test_another_order_of_calls(run, script, at, call, other, output):
    """The file has not changed, but its calls depend on the environment."""
    assert f"memsim.{call}" in SCRIPT
    script.write_text(
        SCRIPT.replace("import memsim", "import memsim, os, sys; memsim.sys = sys", 1).replace(
            f"memsim.{call}", f"memsim.{other} if os.path.exists('other') else memsim.{call}"
        )
    )
    run("-d", "out", *at([60 * 10**9]), script)
    (run.directory / "other").touch()
    text = run("--restore", "out/60us.ckpt", expect=1).stderr
    assert output in text and text.startswith("memsim: ") and text.count("\n") == 1, text


def test_tunable_parameters(run, job, at):
    """A changed tunable parameter makes a new run whose parent is the old one; fixed parameters are refused."""
    run("-d", "out", *at([50 * 10**9]), *job())
    content = run.content("out")
    ((parent,),) = run.rows("out", "SELECT id FROM run")
    run("--restore", "out/50us.ckpt", "--set", "memory.xpoint[0].t_read=400ns")
    child, digest = run.rows("out", f"SELECT id, digest FROM run WHERE parent = '{parent}'")[0]
    assert digest != content[0][0][-1]
    values = run.rows(
        "out",
        "SELECT run, text FROM param JOIN object ON object.id = object "
        "WHERE path = 'memory.xpoint[0]' AND name = 't_read'",
    )
    assert dict(values)[child] == "400ns" != dict(values)[parent]
    assert run.rows("out", f"SELECT digest FROM run WHERE id = '{parent}'") == [
        (content[0][0][-1],)
    ], "the old run is as it was"
    fixed = run("--restore", "out/50us.ckpt", "--set", "gpu.dispatcher.max_instructions=1", expect=1).stderr
    assert fixed == (
        "memsim: gpu.dispatcher.max_instructions is '0' in the checkpoint and cannot "
        "be '1' now: only tunable parameters can change, and gpu.dispatcher has none\n"
    )
    assert run("--restore", "out/50us.ckpt", "--set", "memory.xpoint[0].capacity=1GiB", expect=1).stderr.endswith(
        "only tunable parameters can change, of memory.xpoint[0] these: t_read, t_write, t_column\n"
    )


def test_parameters_set_at_the_start_and_on_the_way(run, job, at):
    """Checkpoints keep --set. A chain of changes gives the results of one run with all of them."""
    start = ["--set", "memory.xpoint[0].t_read=300ns", "--set", "gpu.l2[0].mshrs=32"]
    run("-d", "whole", *start, *job())
    run("-d", "out", *start, *at([20 * 10**9]), *job())
    run("--restore", "out/20us.ckpt")
    assert run.content("out") == run.content("whole") != (run("-d", "plain", *job()), run.content("plain"))[1]
    run("--restore", "out/20us.ckpt", "-d", "once", "--set", "memory.xpoint[0].t_read=500ns", *at([90 * 10**9]))
    content = run.content("once")
    run("--restore", "once/90us.ckpt")
    assert run.content("once") == content, "the same run continues with the changed parameters"
    run("--restore", "once/90us.ckpt", "-d", "twice", "--set", "memory.xpoint[0].t_read=700ns")
    chain = [run.rows(d, "SELECT id, parent FROM run")[0] for d in ("out", "once", "twice")]
    assert [parent for _, parent in chain[1:]] == [id for id, _ in chain[:-1]]
    assert run.digest("twice") != run.digest("once")


def test_a_run_cut_short(run, job, at):
    """Runs limited by instructions and by a region of interest are resumed like others."""

    def launches(outdir):
        ((count,),) = run.rows(outdir, "SELECT value FROM result WHERE path = 'gpu.dispatcher' AND name = 'launches'")
        return count

    run("-d", "all", *job())
    for name, options in (
        ("instructions", {"max_instructions": 100_000}),
        ("region", {"first_launch": 2, "launches": 2}),
    ):
        run("-d", name, *job(**options))
        assert run.end(name) < run.end("all")
        run("-d", f"{name}-cut", *at(run.moments(name, 2)), *job(**options))
        for file in sorted((run.directory / f"{name}-cut").glob("*.ckpt")):
            run("--restore", file)
            assert run.content(f"{name}-cut") == run.content(name), file
    assert launches("region") == 2 < launches("all")


IMPORTS = """\
import memsim
import early
from memsim.mem import SimpleMemory, TrafficGen

root = memsim.Root()
root.gen, root.mem = TrafficGen(requests=2000, period="10ns"), SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate("5us")
memsim.simulate("1us")
import late.part
from late import other
memsim.simulate(early.LENGTH)
"""


@pytest.fixture
def imports(run):
    """A script with modules, some of which are imported after the checkpoint is written; and the checkpoint."""
    (run.directory / "script.py").write_text(IMPORTS)
    (run.directory / "early.py").write_text("LENGTH = '2us'\n")
    (run.directory / "late").mkdir()
    for name, text in (("__init__", "from . import inner"), ("part", "import deep"), ("other", ""), ("inner", "X = 1")):
        (run.directory / f"late/{name}.py").write_text(text)
    (run.directory / "deep.py").write_text("Y = 1\n")
    run("-d", "out", "--checkpoint-at", "3us", "script.py")
    return "out/3us.ckpt"


@pytest.mark.parametrize(
    "module", ["early.py", "late/__init__.py", "late/part.py", "late/other.py", "late/inner.py", "deep.py"]
)
def test_a_module_that_is_imported_later_may_not_change_either(run, imports, module):
    run("--restore", imports)
    with open(run.directory / module, "a") as file:
        file.write("# changed\n")
    output = run("--restore", imports, expect=1).stderr
    assert output == (
        f"memsim: {run.directory}/{module} has changed since the checkpoint was written: restore the file as it was, "
        "or open the checkpoint in Python with memsim.restore(FILE)\n"
    )


def test_a_compiled_module_that_is_not_of_its_source(run, imports, monkeypatch):
    """Python runs a cached module if its recorded time and size are those of the source."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    run("-d", "again", "script.py")
    module = run.directory / "early.py"
    before = module.stat()
    (compiled,) = run.directory.glob("__pycache__/early.*.pyc")
    module.write_text("LENGTH = '4us'\n")
    os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))
    output = run("-d", "again", "script.py", expect=1).stderr
    assert output == (
        f"memsim: {module}: Python has run {compiled}, which was compiled from a different version of the file: delete it and start again\n"
    )
    compiled.unlink()
    run("-d", "again", "script.py")


def test_a_module_without_its_source(run, imports):
    module = run.directory / "early.py"
    py_compile.compile(module, module.with_suffix(".pyc"))
    text = module.read_bytes()
    module.unlink()
    run("-d", "again", "--checkpoint-at", "3us", "script.py")
    module.write_bytes(text.replace(b"2us", b"4us"))
    py_compile.compile(module, module.with_suffix(".pyc"))
    module.unlink()
    assert (
        "early.pyc has changed since the checkpoint was written" in run("--restore", "again/3us.ckpt", expect=1).stderr
    )
