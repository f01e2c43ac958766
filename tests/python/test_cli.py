"""The command line: options, exit codes, sentences, subcommands."""
import argparse
import ast
import dataclasses
import errno
import os
import re
import shutil
import subprocess
import types
from pathlib import Path

import pytest
from memsim.arguments import wall_period
from memsim.cli import main as cli
from memsim.run import progress

ROOT = Path(__file__).parents[2]
MEMSIM = ROOT / "build" / "memsim"


def sentence(done):
    """The output is one line, printed by memsim."""
    assert done.stderr.startswith("memsim: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_options_before_the_script_are_memsim_s(memsim_command, script, tmp_path):
    script.write_text("import sys, memsim\nprint(sys.argv, __name__)\n")
    done = memsim_command("-d", "out", "loop.py", "-d", "mine", "--restore", "--", "x")
    assert done.stdout == "['loop.py', '-d', 'mine', '--restore', '--', 'x'] __main__\n"


@pytest.mark.parametrize(
    "number, advice",
    [
        (errno.ENOENT, "name a file or directory that exists"),
        (errno.ENOSPC, "free some space, or name another place"),
        (errno.EMFILE, "allow more open files (ulimit -n)"),
        (errno.EACCES, "name another file, or change its permissions"),
    ],
)
def test_the_advice_fits_a_file_error(number, advice, monkeypatch, capsys):
    def fails(_):
        raise OSError(number, os.strerror(number), "a.txt")

    monkeypatch.setattr(cli, "_main", fails)
    monkeypatch.setattr(cli.streams, "is_of_a_stream", lambda _: False)  # pytest's streams have no name
    assert cli._guarded([]) == 1
    assert capsys.readouterr().err == f"memsim: a.txt: {os.strerror(number)}: {advice}\n"


def test_an_interrupt_while_a_subcommand_creates_a_class(monkeypatch, capsys):
    """Python 3.11 replaces the exception of a signal handler then."""

    class Interrupting:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_main", lambda _: type("Class", (), {"member": Interrupting()}))
    assert cli._guarded([]) == 130
    assert capsys.readouterr().err == "memsim: interrupted\n"


def test_usage_errors_have_code_2(memsim_command):
    for arguments in (
        [],
        ["--no-such"],
        ["--restore", "x.ckpt", "s.py"],
        ["describe"],
        ["--checkpoint-at", "200", "s.py"],
        ["--checkpoint-at=-1us", "s.py"],
        ["--event-queue", "slow", "s.py"],
        ["--checkpoint-sim-period", "0us", "s.py"],
        ["ckpt"],
        ["--debug-flags", "NoSuch", "s.py"],
        ["--debug-file", "f", "s.py"],
        ["--debug-start", "1us", "s.py"],
        ["--debug-end", "1us", "s.py"],
        ["--stamps", "-1", "s.py"],
        ["--stamps", "0", "s.py"],
        ["--stamps", "9" * 40, "s.py"],
        ["--perturb-wakes", "-1", "s.py"],
        ["--perturb-wakes", str(2**64), "s.py"],
        ["sweep", "s.py", "--slurm", "--save-every", "0s"],
    ):
        assert "usage: memsim" in memsim_command(*arguments, expect=2).stderr


def test_a_period_of_real_time_may_last_hours():
    """A time of a simulation ends at 9223 s, which is shorter than a run."""
    assert [wall_period(text) for text in ("300ms", "600s", "1.5 min", "48h")] == [0.3, 600, 90, 172800]
    for text in ("0s", "8761h", "-1s", "600", "2 days", "1e3s", ""):
        with pytest.raises(argparse.ArgumentTypeError, match=f"^'{text}' is no (real time: write|period: it must)"):
            wall_period(text)


def test_one_checkpoint_is_restored(memsim_command, script):
    """`--restore OUTDIR/*.ckpt` may name several checkpoints."""
    memsim_command("-q", "-d", "out", "--checkpoint-at", "4us", "--checkpoint-at", "5us", script, 1000)
    for arguments in (["out/4us.ckpt", "out/5us.ckpt"], ["out/4us.ckpt", "--restore", "out/5us.ckpt"]):
        output = memsim_command("--restore", *arguments, expect=2).stderr
        assert output.endswith(
            "memsim: error: --restore takes one checkpoint and 2 are named: out/4us.ckpt, out/5us.ckpt\n"
        )


def test_quiet_prints_no_warning(memsim_command, script):
    late = "--checkpoint-at", "1s", script, 1000
    assert "no checkpoint at 1s" in memsim_command("-d", "warned", *late).stderr
    assert memsim_command("-q", "-d", "quiet", *late).stderr == ""


def test_a_restored_run_writes_its_timeline_where_the_user_is(memsim_command, script, tmp_path):
    memsim_command("-q", "-d", "out", "--checkpoint-at", "4us", script, 1000)
    there = tmp_path / "there"
    there.mkdir()
    subprocess.run([MEMSIM, "-q", "--timeline", "t.json", "--restore", "../out/4us.ckpt"], cwd=there, check=True)
    assert (there / "t.json").exists() and not (tmp_path / "t.json").exists()


def test_a_checkpoint_contains_the_number_of_pending_events(memsim_command, script, tmp_path):
    memsim_command("-q", "-d", "out", "--checkpoint-at", "4us", script, 1000)
    info = memsim_command("ckpt", "info", "out/4us.ckpt").stdout
    components, events = re.search(r"components +(\d+), (\d+) events pending", info).groups()
    assert components == "2" and 0 < int(events) < 50


def test_python_s_optimization_changes_nothing(memsim_command, tmp_path):
    (tmp_path / "doc.py").write_text('"""What it does."""\nimport memsim\nprint(__doc__.splitlines()[0])\n')
    environment = {**os.environ, "PYTHONOPTIMIZE": "2"}
    assert memsim_command("doc.py", env=environment).stdout == "What it does.\n"
    for command in (
        ["describe", "mem.Cache"],
        ["--list-sim-objects"],
        ["--help"],
        ["sql", "--help"],
        ["trace", "--help"],
        [ROOT / "configs/zng.py", "--help"],
    ):
        assert memsim_command(*command, env=environment).stdout == memsim_command(*command).stdout


def test_a_scaled_machine_prints_one_line(memsim_command):
    job = ("-d", "out", ROOT / "configs/ohm_planar.py", "--scale", "tiny")
    first, result = memsim_command(*job).stdout.splitlines()
    assert first == (
        "note: at this scale 4 of 6 capacity ratios differ from the paper's by more than 10 % "
        "(memsim -v SCRIPT lists them)"
    )
    quiet = memsim_command("-q", *job)
    assert (quiet.stdout, quiet.stderr) == (result + "\n", "")
    listed = memsim_command("-v", *job).stdout
    assert "scale: L2 / all L1: paper 8, here 0.0404 (off)\n" in listed and listed.count("\n") == 7


def test_mistakes_of_the_user_give_one_sentence(memsim_command, script, tmp_path):
    assert "nowhere.py: No such file" in sentence(memsim_command("nowhere.py", expect=1))
    text = script.read_text()
    for wrong, right, output in (
        ('latency="100ns"', 'latency="190"', "loop.py:8: mem.SimpleMemory.latency: '190'"),
        ('latency="100ns"', 'latncy="100ns"', "did you mean 'latency'"),
        ("root.sys.gen.mem_side", "#", "loop.py:7: sys.gen.mem_side is not bound"),
    ):
        script.write_text(text.replace(wrong, right))
        assert output in sentence(memsim_command("loop.py", 100, expect=1))
        assert not (tmp_path / "memsim-out").exists()


@pytest.mark.parametrize(
    "arguments, output",
    [
        (
            ["--chekpoint-at", "5us", "loop.py"],
            "memsim has no option --chekpoint-at (did you mean '--checkpoint-at'?): --help lists its options; options of a script follow the script's name",
        ),
        (["--scale", "tiny", "loop.py"], "memsim has no option --scale: --help lists"),
        (["--requests", "10", "loop.py"], "memsim has no option --requests: --help lists"),
        (["lop.py"], "lop.py: No such file or directory (did you mean 'loop.py'?): name a script"),
        (["sqll", "out"], "sqll: there is no such script, and no such subcommand (did you mean 'sql'?)"),
        (["-q", "resume", "out"], "resume: a subcommand must precede all options: write memsim resume first; memsim"),
        (["notes.md"], "notes.md: this is not a Python script (unterminated string literal"),
        (["nul.py"], "nul.py: this is not a Python script (source code string cannot contain null bytes)"),
        (["my.ckpt"], "my.ckpt: this is a checkpoint: memsim --restore my.ckpt continues it"),
        (["out/stats.db"], "out/stats.db: this is a database of results: memsim sql out/stats.db QUERY queries it"),
        (["sql", "out", "SELECT * FROM reslt"], "there is no table or view 'reslt' (did you mean 'result'?)"),
        (["report"], "the following arguments are required: DB\n"),
    ],
)
def test_mistyped_commands_give_an_error_message(memsim_command, script, tmp_path, arguments, output):
    (tmp_path / "notes.md").write_text("it's a note\n")
    (tmp_path / "nul.py").write_bytes(b"import memsim\n\0")
    memsim_command("-q", "-d", "out", "--checkpoint-at", "4us", script, 1000)
    next((tmp_path / "out").glob("*.ckpt")).rename(tmp_path / "my.ckpt")
    usage = arguments[0].startswith("--") or arguments == ["report"]
    done = memsim_command(*arguments, expect=2 if usage else 1)
    assert output in done.stderr and "Traceback" not in done.stderr
    assert usage or done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "option, output",
    [
        ("--sacle", "error: unrecognized arguments: --sacle tiny (did you mean '--scale'?)\n"),
        (
            "--outdir",
            "error: unrecognized arguments: --outdir tiny: --outdir is an option of memsim and must precede the script's name\n",
        ),
        ("--nothing-like-it-anywhere", "error: unrecognized arguments: --nothing-like-it-anywhere tiny\n"),
    ],
)
def test_for_an_unknown_option_of_a_script_a_similar_one_is_suggested(memsim_command, option, output):
    assert memsim_command(ROOT / "configs/ohm_planar.py", option, "tiny", expect=2).stderr.endswith(output)


def test_help_is_a_word_too(memsim_command):
    assert memsim_command("help").stdout == memsim_command("--help").stdout
    assert memsim_command("help", "sql").stdout == memsim_command("sql", "--help").stdout
    assert "--platform" in memsim_command("help", ROOT / "configs/ohm_planar.py").stdout


def test_the_columns_of_debug_help_are_aligned(memsim_command):
    lines = memsim_command("--debug-help").stdout.splitlines()
    column = max(len(line.split()[0]) for line in lines) + 2
    assert len(lines) > 50 and all(line[column - 2 : column] == "  " and line[column] != " " for line in lines)


def test_options_are_written_in_full(memsim_command):
    """Abbreviations are refused, because the database stores a script's arguments: `--plat` would be a second spelling."""
    parsers = [
        (path, call)
        for folder in ("configs", "python/memsim")
        for path in (ROOT / folder).glob("**/*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).endswith(("ArgumentParser", "ScriptParser", "add_parser"))
    ]
    assert len(parsers) > 6
    assert [
        f"{path}:{call.lineno}"
        for path, call in parsers
        if "allow_abbrev" not in [keyword.arg for keyword in call.keywords]
    ] == []
    output = memsim_command(ROOT / "configs/cmd.py", "--scal", "tiny", expect=2).stderr
    assert "unrecognized arguments: --scal" in output


def test_a_script_s_own_error_keeps_its_traceback(memsim_command, script):
    script.write_text("import memsim\ndef f():\n    return 1 / 0\nf()\n")
    done = memsim_command("loop.py", expect=1)
    assert done.stderr == (
        'Traceback (most recent call last):\n  File "loop.py", line 4, in '
        '<module>\n    f()\n  File "loop.py", line 3, in f\n    return 1 / 0\n'
        "           ~~^~~\nZeroDivisionError: division by zero\n"
    )
    script.write_text("import memsim\nif x\n")
    assert "SyntaxError" in memsim_command("loop.py", expect=1).stderr
    script.write_text("raise SystemExit(7)\n")
    memsim_command("loop.py", expect=7)


def test_an_output_directory_that_cannot_be_written(memsim_command, script, tmp_path):
    (tmp_path / "file").write_text("")
    assert "file/out" in sentence(memsim_command("-d", "file/out", script, 100, expect=1))
    assert "nowhere/x.db" in sentence(memsim_command("--stats-db", "nowhere/x.db", script, 100, expect=1))


def test_set(memsim_command, script):
    def run(*arguments, **options):
        return memsim_command(*arguments, script, 100, **options)

    plain = run().stdout
    assert run("--set", "sys.mem.latency=300ns").stdout != plain
    assert "did you mean 'sys.mem'" in sentence(run("--set", "sys.mm.latency=1ns", expect=1))
    assert "did you mean 'latency'" in sentence(run("--set", "sys.mem.latncy=1ns", expect=1))
    assert "no unit" in sentence(run("--set", "sys.mem.latency=1", expect=1))
    assert "path.parameter=value" in sentence(run("--set", "latency", expect=1))


def test_set_of_every_element(memsim_command, tmp_path):
    (tmp_path / "two.py").write_text(
        """\
import memsim
root = memsim.Root()
root.gen = [memsim.mem.TrafficGen(requests=9, period="10ns") for _ in range(2)]
root.mem = [memsim.mem.SimpleMemory() for _ in range(2)]
for gen, mem in zip(root.gen, root.mem):
    gen.mem_side = mem.cpu_side
memsim.instantiate()
memsim.simulate()
print([int(gen.stats.reads) for gen in root.gen])
"""
    )
    assert memsim_command("two.py").stdout == "[9, 9]\n"
    assert memsim_command("--set", "gen[*].requests=5", "two.py").stdout == "[5, 5]\n"
    assert memsim_command("--set", "gen[1].requests=5", "two.py").stdout == "[9, 5]\n"
    assert "no component 'mm[*]'" in memsim_command("--set", "mm[*].latency=1ns", "two.py", expect=1).stderr


def test_equal_runs_give_equal_digests(memsim_command, script):
    plain = memsim_command(script, 1000).stdout
    assert memsim_command("--event-queue", "naive", script, 1000).stdout == plain
    assert memsim_command("--perturb-wakes", 5, script, 1000).stdout == plain
    assert memsim_command("--checkpoint-sim-period", "1us", script, 1000).stdout == plain


def test_one_database_takes_several_runs(memsim_command, script):
    for out in ("a", "b"):
        memsim_command("-d", out, "--stats-db", "all.db", script, 1000)
    answer = memsim_command("sql", "all.db", "SELECT count(*) AS n FROM run").stdout
    assert answer == "n\n2\n"
    assert "no such column" in sentence(memsim_command("sql", "all.db", "SELECT nil FROM run", expect=1))
    assert "no such database" in sentence(memsim_command("sql", "x.db", "SELECT 1", expect=1))


def test_progress_only_on_request(memsim_command, script, capsys, monkeypatch):
    assert memsim_command(script, 1000).stderr.count("\n") == 1  # where the results are
    assert memsim_command("-v", script, 1000).stderr.count("\n") >= 1
    monkeypatch.setattr(progress, "EVERY", 0)
    machine = types.SimpleNamespace(now=0, work=[])
    for verbosity, seen in ((-1, False), (0, False), (1, True)):
        machine.now = 0
        shown = progress.Progress(machine, verbosity)
        shown.begin(10**15)
        shown.began -= 10
        machine.now = 10**12
        shown.show()
        text = capsys.readouterr().err
        assert seen == ("1ms simulated in 0m10s" in text and "2h46m left at most" in text), text


def test_progress_shows_the_launch_and_the_time_left(monkeypatch):
    """Of several programs, the least advanced one is shown. A run ends when all of its work has ended."""

    def launch(number, done):
        return dict(what=f"gpu: launch {number}", unit="blocks", done=done, all=512, last=False)

    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    machine = types.SimpleNamespace(now=0, work=[launch(3, 100)])
    shown = progress.Progress(machine, 0)
    shown.begin(progress._memsim.never)
    assert "gpu: launch 3, 100 of 512 blocks" in shown.line() and "left" not in shown.line()
    clock[0], machine.work = 10, [launch(3, 300)]
    assert shown.line().endswith("gpu: launch 3, 300 of 512 blocks; 0m10s left of this launch")
    clock[0], machine.work = 20, [launch(4, 0)]
    assert "left" not in shown.line(), "the time of launch 3 does not predict launch 4"
    ends = [dict(what=f"gen[{i}]", unit="requests", done=0, all=100, last=True) for i in range(2)]
    machine.work = ends
    shown.line()
    clock[0], ends[0]["done"] = 30, 50
    assert "left" not in shown.line(), "gen[1] has done nothing yet"
    clock[0], ends[1]["done"] = 40, 20
    assert shown.line().endswith("; gen[1], 20 of 100 requests; 1m20s left at most")


def test_written_files_are_named(memsim_command, script, tmp_path):
    first, second, end = memsim_command(
        "-d", "out", "--checkpoint-at", "4us", "--checkpoint-at", "5us", script, 1000
    ).stderr.splitlines()
    (run,) = memsim_command("sql", "out/stats.db", "SELECT id FROM run").stdout.split()[1:]
    assert first == f"memsim: checkpoint at 4us in out/4us-{run[:8]}.ckpt"
    assert second == f"memsim: checkpoint at 5us in out/5us-{run[:8]}.ckpt"
    assert {p.name for p in (tmp_path / "out").glob("*.ckpt")} == {f"4us-{run[:8]}.ckpt", f"5us-{run[:8]}.ckpt"}
    assert end == f"memsim: results in out/stats.db, run {run}"
    quiet = memsim_command("-q", "-d", "out", "--checkpoint-at", "4us", script, 1000)
    assert quiet.stderr == ""
    # Results of a run that was stopped early.
    script.write_text(script.read_text() + "raise SystemExit(3)\n")
    output = memsim_command("-d", "early", script, 1000, expect=3).stderr
    (run,) = memsim_command("sql", "early/stats.db", "SELECT id FROM run").stdout.split()[1:]
    assert output == (
        f"memsim: ended by sys.exit(3) at 10.09us; the last dump of run {run} in early/stats.db has its "
        f"statistics; continue with --restore early/ended-{run[:8]}.ckpt\n"
    )


def test_lists(memsim_command):
    assert "mem.SimpleMemory" in memsim_command("--list-sim-objects").stdout
    assert "latency" in memsim_command("describe", "mem.SimpleMemory").stdout
    assert "did you mean 'SimpleMemory'" in sentence(memsim_command("describe", "SimpleMemry", expect=1))
    memsim_command("--debug-help")


def test_reference_and_stubs(memsim_command, tmp_path):
    memsim_command("reference", "components.md")
    assert "| `latency` | 100ns |" in (tmp_path / "components.md").read_text()
    memsim_command("stubs", "stubs")
    assert "class SimpleMemory(SimObject)" in (tmp_path / "stubs/memsim/mem.pyi").read_text()
    for stub in (tmp_path / "stubs/memsim").rglob("*.pyi"):
        compile(stub.read_text(), stub, "exec")
    assert "proc" in sentence(memsim_command("reference", "/proc/no/file", expect=1))


@pytest.mark.slow
def test_mypy_finds_the_stubs(memsim_command, script, tmp_path):
    memsim_command("stubs", "stubs")
    script.write_text(
        script.read_text() + "memory = SimpleMemory(latency='1ns', queue=3)\nmemory.queue = 4\n"
        "reads: float = memory.stats.reads\n"
    )
    run = mypy_in(tmp_path)
    assert run("--strict", "loop.py").returncode == 0, run("--strict", "loop.py").stdout
    script.write_text(script.read_text() + "SimpleMemory(latency=3)\n")
    assert "incompatible type" in run("--strict", "loop.py").stdout


def mypy_in(tmp_path):
    """Runs mypy with the stubs in a directory."""
    environment = {**os.environ, "MYPYPATH": str(tmp_path / "stubs")}
    return lambda *arguments: subprocess.run(
        ["/usr/bin/mypy", *map(str, arguments)], cwd=tmp_path, text=True, env=environment, capture_output=True
    )


ORDINARY = """\
import memsim
from memsim import dram, energy, mem, plot, simt, study, systems, workload
from memsim.systems import cmd, gpu, ohm, scale

root = memsim.Root(seed=3, contents=True)
root.gpu = systems.gpu(sms=2)
root.memory = memsim.DramController(timing=dram.Preset("fast", base="hbm2", tCL="12ns"))
cache = mem.Cache(capacity="1MiB", ways=4)
simulation = memsim.instantiate(root)
event = simulation.simulate("3us")
print(event.getCause(), event.tick + 1, simulation.check_contents()["bytes"])
hits: int = cache.stats.hits
latency: float = cache.stats.miss_latency.p99
results = memsim.results("out")
print(results.df(wide=True), results.df(["a", "b"], all_dumps=True), results.launches())
fig = study.Study("ohm", "x", seeds=3)
fig.point("a.py", "--x", 1, x=1)
ohm.planar("ohm-base", workload.Program(name="bfs1"), contents=True)
print(ohm.scale.OHM_PLANAR.sms + 1, systems.zng.machine, systems.interleave.Interleave(2, "256B").crossbar)
"""
WRONG = {
    "from memsim import nothing": "nothing",
    "memsim.Root(seed='x')": "incompatible type",
    "memsim.results('out').df(wid=True)": "wide",
    "simulation.check_content()": "check_contents",
    "simulation.simulate([3])": "incompatible type",
    "mem.Cach()": "Cache",
    "study.Studdy": "Study",
    "systems.ohm.planarr": "planar",
}


@pytest.mark.slow
def test_mypy_accepts_ordinary_lines_and_every_configuration(memsim_command, tmp_path):
    """The stubs are generated from the code and cover all that the scripts of configs/ use."""
    memsim_command("stubs", "stubs")
    run = mypy_in(tmp_path)
    (tmp_path / "ordinary.py").write_text(ORDINARY)
    (tmp_path / "wrong.py").write_text(ORDINARY + "\n".join(WRONG))
    for what in ["ordinary.py"], ["-p", "memsim"]:
        assert (done := run("--strict", *what)).returncode == 0, done.stdout
    errors = [line for line in run("wrong.py").stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(WRONG)
    for line, text in zip(errors, WRONG.values()):
        assert text in line
    configs = ROOT / "configs"
    open_faults = "zng_gc.py", "ohm_testbed.py", "sap_hints.py"  # their types are not yet correct
    scripts = [path for path in sorted(configs.glob("*.py")) if path.name not in open_faults]
    done = run("--ignore-missing-imports", "--disable-error-code", "var-annotated", *scripts)
    assert done.returncode == 0, done.stdout


def test_an_ordinary_python(script, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build/python")}

    def run(*arguments):
        return subprocess.run(
            ["/usr/bin/python3", *map(str, arguments)], cwd=tmp_path, text=True, env=environment, capture_output=True
        )

    plain = run(script, 1000)
    assert plain.returncode == 0, plain.stderr
    assert run("-m", "memsim", "-d", "two", script, 1000).stdout == plain.stdout
    assert (
        run("-m", "memsim", "sql", "memsim-out", "SELECT exit_cause FROM run").stdout.split("\n")[1]
        == "nothing left to do"
    )


def test_a_python_that_cannot_load_the_module(tmp_path):
    shutil.copytree(ROOT / "python/memsim", tmp_path / "memsim")

    def run(*arguments):
        done = subprocess.run(["/usr/bin/python3", *arguments], cwd=tmp_path, text=True, capture_output=True)
        assert done.returncode == 1
        return done.stderr

    assert run("-m", "memsim", "x.py").startswith("memsim: memsim is not built")
    (tmp_path / "memsim/_memsim.cpython-39-x86_64-linux-gnu.so").write_text("")
    text = run("-m", "memsim", "x.py")
    assert "use /usr/bin/python3" in text and text.count("\n") == 1
    assert "use /usr/bin/python3" in run("-c", "import memsim")


def test_launched_from_anywhere_by_a_link(script, tmp_path):
    (tmp_path / "m").symlink_to(MEMSIM)
    done = subprocess.run(["./m", "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("memsim ")


def test_many_checkpoints_in_a_short_time_are_warned_of(memsim_command, script):
    output = memsim_command("-d", "out", "--checkpoint-sim-period", "10ns", script, 120).stderr
    warnings = [line for line in output.splitlines() if "warning" in line]
    assert len(warnings) == 1 and "warning: 50 checkpoints were written in " in warnings[0]
    assert "all of which are kept in out: --checkpoint-sim-period or --checkpoint-at may be too short" in warnings[0]
    assert "warning: 50" not in memsim_command("-d", "few", "--checkpoint-sim-period", "50ns", script, 120).stderr


def test_an_option_of_a_run_is_one_field_of_options(monkeypatch):
    """A new field is an option of the command line, and a checkpoint keeps it on request."""
    from memsim.run import options

    declared = [("speed", int, options.option(3, "--speed", group="new", kept=True, type=options.whole(1)))]
    more = dataclasses.make_dataclass("Options", declared, bases=(options.Options,))
    monkeypatch.setattr(options, "Options", more)
    parser = argparse.ArgumentParser()
    options.add_options(parser, *options.of_command_line())
    args = parser.parse_args(["--speed", "5", "--set", "a.b=1", "--set=c.d=2", "--stamps", "7"])
    assert (args.speed, args.changes, args.stamps, args.timeline) == (5, ["a.b=1", "c.d=2"], 7, None)
    assert options.repeated(args, "changes", "stamps", "threads") == ["--set=a.b=1", "--set=c.d=2", "--stamps=7"]
    assert more().kept()["speed"] == 3 and "stamps" not in more().kept()
