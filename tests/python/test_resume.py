"""Checkpoints: stopping and resuming a run has no effect on its results."""
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import memsim
import pytest

MEMSIM = Path(__file__).parents[2] / "build" / "memsim"

LONG = "1000000"


def checkpoints(directory):
    """The names of its checkpoints without that of the run: '40us' for 40us-1a2b3c4d.ckpt."""
    return sorted(path.name[: -len("-1a2b3c4d.ckpt")] for path in directory.glob("*.ckpt"))


def rows(database, query):
    with sqlite3.connect(database) as connection:
        return connection.execute(query).fetchall()


def without_ids(database):
    """All results in a database with one run, without UUID and host times."""
    return (
        rows(database, "SELECT digest, exit_cause, sim_time_fs FROM run"),
        rows(database, "SELECT tick, since_tick, label FROM dump ORDER BY id"),
        sorted(rows(database, "SELECT path, name, value, unit FROM results")),
    )


def test_a_checkpoint_inside_and_between_calls(memsim_command, script, tmp_path):
    whole = memsim_command("-d", "whole", script, 10000)
    parts = memsim_command(
        "-d",
        "parts",
        "--checkpoint-at",
        "40us",
        "--checkpoint-at",
        "60us",
        "--checkpoint-at",
        "99999999999fs",
        script,
        10000,
    )
    assert parts.stdout == whole.stdout and parts.stdout.count("\n") == 1
    assert checkpoints(tmp_path / "parts") == ["40us", "60us", "99999999999fs"]
    expected = without_ids(tmp_path / "whole/stats.db")
    for name in ("60us", "40us", "99999999999fs"):
        assert memsim_command("--restore", f"parts/{name}.ckpt").stdout == whole.stdout
        assert without_ids(tmp_path / "parts/stats.db") == expected
    info = memsim_command("ckpt", "info", "parts/40us.ckpt").stdout
    assert "loop.py 10000" in info and "40us" in info
    assert "sys.gen                  mem.TrafficGen\n" in memsim_command("ckpt", "show", "parts/40us.ckpt").stdout
    state = memsim_command("ckpt", "show", "parts/40us.ckpt", "sys.gen").stdout
    assert '"sent"' in state


def test_a_period_and_one_from_python(memsim_command, script, tmp_path):
    script.write_text(
        script.read_text().replace(
            "    if root", "    if event.tick == 60 * 10**9:\n        memsim.checkpoint('own.ckpt')\n    if root"
        )
    )
    whole = memsim_command("--checkpoint-sim-period", "35us", script, 10000)
    assert checkpoints(tmp_path / "memsim-out") == ["35us", "70us"]
    for file in ("own.ckpt", "memsim-out/35us.ckpt", "memsim-out/70us.ckpt"):
        assert memsim_command("--restore", file).stdout == whole.stdout


def test_a_script_may_change_its_directory(memsim_command, script, tmp_path):
    whole = memsim_command("-d", "whole", script.name, 10000)
    (tmp_path / "there").mkdir()
    text = script.read_text()
    for place in ("root.sys =", "while"):  # before and after the machine is built
        script.write_text(text.replace(place, f"__import__('os').chdir('there')\n{place}"))
        parts = memsim_command("-d", "parts", "--checkpoint-at", "40us", "--checkpoint-at", "60us", script.name, 10000)
        assert parts.stdout == whole.stdout
        assert rows(tmp_path / "parts/stats.db", "SELECT script, cwd FROM run") == [(str(script), str(tmp_path))]
        for name in ("60us", "40us"):
            assert memsim_command("--restore", f"parts/{name}.ckpt").stdout == whole.stdout
            assert without_ids(tmp_path / "parts/stats.db") == without_ids(tmp_path / "whole/stats.db")
        assert not any((tmp_path / "there").iterdir())
        shutil.rmtree(tmp_path / "parts")


def test_a_removed_directory(memsim_command, script, tmp_path):
    whole = memsim_command("-d", "whole", script.name, 10000)
    text = script.read_text()
    script.write_text(
        text.replace("while", "import os\nos.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\nwhile")
    )
    parts = memsim_command("-d", "parts", "--checkpoint-at", "40us", script.name, 10000)
    assert parts.stdout == whole.stdout
    assert memsim_command("--restore", "parts/40us.ckpt").stdout == whole.stdout
    assert without_ids(tmp_path / "parts/stats.db") == without_ids(tmp_path / "whole/stats.db")
    script.write_text(
        script.read_text() + f"sys.exit(os.spawnl(os.P_WAIT, {str(MEMSIM)!r}, 'memsim', __file__, '9'))\n"
    )
    sentence = "memsim: the current directory was removed: change to another one, then start memsim again\n"
    assert sentence in memsim_command("-d", "last", script.name, 9, expect=1).stderr


def test_a_script_may_change_its_arguments(memsim_command, script, tmp_path):
    script.write_text(script.read_text().replace("int(sys.argv[1])", "int(sys.argv.pop(1))"))
    whole = memsim_command("--checkpoint-at", "40us", script, 10000)
    expected = without_ids(tmp_path / "memsim-out/stats.db")
    assert memsim_command("--restore", "memsim-out/40us.ckpt").stdout == whole.stdout
    assert without_ids(tmp_path / "memsim-out/stats.db") == expected
    assert rows(tmp_path / "memsim-out/stats.db", "SELECT argv FROM run") == [('["10000"]',)]


def test_python_runs_a_script_that_changes_its_directory(memsim_command, script, tmp_path):
    (tmp_path / "there").mkdir()
    script.write_text(
        script.read_text().replace(
            "while", "memsim.simulate('30us')\n__import__('os').chdir('there')\nmemsim.checkpoint()\nwhile"
        )
    )
    environment = {**os.environ, "PYTHONPATH": str(MEMSIM.parent / "python")}
    whole = subprocess.check_output(
        ["/usr/bin/python3", script.name, "10000"], cwd=tmp_path, env=environment, text=True
    )
    expected = without_ids(tmp_path / "memsim-out/stats.db")
    assert memsim_command("--restore", "memsim-out/30us.ckpt").stdout == whole
    assert without_ids(tmp_path / "memsim-out/stats.db") == expected
    assert not any((tmp_path / "there").iterdir())


def start(tmp_path, *arguments):
    return subprocess.Popen(
        [MEMSIM, *map(str, arguments)], cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for(directory, pattern):
    for _ in range(5000):
        if list(directory.glob(pattern)):
            return
        time.sleep(0.02)
    raise AssertionError(f"{pattern} was not written")


def test_sigterm_at_a_random_moment(memsim_command, script, tmp_path):
    whole = memsim_command("-d", "whole", script, LONG)
    running = start(tmp_path, "-d", "out", script, LONG)
    wait_for(tmp_path, "out/stats.db")
    moment = random.SystemRandom().uniform(0, 0.3)
    time.sleep(moment)
    running.send_signal(signal.SIGTERM)
    out, err = running.communicate(timeout=60)
    if running.returncode == 0:
        pytest.skip(f"the run was over after {moment} s")
    assert running.returncode == 143 and "--restore out/sigterm-" in err, err
    assert rows(tmp_path / "out/stats.db", "SELECT finished FROM run") == [(None,)]
    assert memsim_command("--restore", "out/sigterm.ckpt").stdout == whole.stdout
    assert without_ids(tmp_path / "out/stats.db") == without_ids(tmp_path / "whole/stats.db")


def test_sigkill_after_a_checkpoint_by_the_wall_clock(memsim_command, script, tmp_path):
    whole = memsim_command("-d", "whole", script, LONG)
    running = start(tmp_path, "-d", "out", "--checkpoint-wall-period", "0.1s", script, LONG)
    wait_for(tmp_path, "out/wall-*.ckpt")
    time.sleep(random.SystemRandom().uniform(0, 0.1))
    running.kill()
    running.communicate(timeout=60)
    assert memsim_command("--restore", "out/wall.ckpt").stdout == whole.stdout
    assert without_ids(tmp_path / "out/stats.db") == without_ids(tmp_path / "whole/stats.db")


def test_signals_for_status_and_a_save(script, tmp_path):
    running = start(tmp_path, "--checkpoint-at", "31us", script, 10 * int(LONG))
    wait_for(tmp_path, "memsim-out/31us-*.ckpt")
    running.send_signal(signal.SIGUSR1)
    running.send_signal(signal.SIGUSR2)
    wait_for(tmp_path, "memsim-out/signal-*.ckpt")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "simulated in" in err and err.endswith("memsim: interrupted\n")
    assert "sys.gen, " in err and f" of {10 * int(LONG)} requests" in err, "how far it is"
    assert "\n  sys.gen.mem_side waits for " in err, "which component waits for which"


def test_changes_that_a_checkpoint_allows(memsim_command, script, tmp_path):
    memsim_command("--checkpoint-at", "40us", script, 10000)
    fixed = memsim_command("--restore", "memsim-out/40us.ckpt", "--set", "sys.mem.queue=8", expect=1).stderr
    assert fixed == (
        "memsim: sys.mem.queue is '32' in the checkpoint and cannot be '8' now: only tunable parameters can change, of sys.mem these: latency, bandwidth\n"
    )
    memsim_command("--restore", "memsim-out/40us.ckpt", "--set", "sys.mem.latency=300ns")
    memsim_command("--restore", "memsim-out/40us.ckpt", "-d", "elsewhere")
    ((first,),) = [rows(tmp_path / "memsim-out/stats.db", "SELECT id FROM run WHERE parent IS NULL OR parent = ''")]
    children = rows(tmp_path / "memsim-out/stats.db", f"SELECT digest FROM run WHERE parent = '{first[0]}'")
    assert len(children) == 1
    assert rows(tmp_path / "elsewhere/stats.db", "SELECT parent FROM run") == [first]
    values = rows(tmp_path / "memsim-out/stats.db", "SELECT * FROM param")
    assert any("300ns" in map(str, row) for row in values)


def test_a_changed_script_gives_an_error_message(memsim_command, script, tmp_path):
    (tmp_path / "helper.py").write_text("N = 3\n")
    script.write_text("import helper\n" + script.read_text())
    memsim_command("--checkpoint-at", "40us", script, 10000)
    (tmp_path / "helper.py").write_text("N = 4\n")
    text = memsim_command("--restore", "memsim-out/40us.ckpt", expect=1).stderr
    assert text.startswith(f"memsim: {tmp_path}/helper.py has changed since the checkpoint")
    assert text.count("\n") == 1
    (tmp_path / "helper.py").unlink()
    assert "which is missing" in memsim_command("--restore", "memsim-out/40us.ckpt", expect=1).stderr


def test_another_order_of_calls_gives_an_error_message(memsim_command, script, tmp_path):
    script.write_text(
        script.read_text().replace(
            "memsim.stats.series", "import os\nif 'OTHER' in os.environ: memsim.curTick()\nmemsim.stats.series"
        )
    )
    memsim_command("--checkpoint-at", "40us", script, 10000)
    text = memsim_command("--restore", "memsim-out/40us.ckpt", expect=1, env={"OTHER": "1"}).stderr
    assert text == (
        "memsim: loop.py:12: the script calls curTick() where the run of the checkpoint "
        "called series(50000000000, ['sys.gen.*']) (loop.py:13): a restored script must "
        "ask the same, in the same order\n"
    )


@pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "missing"])
def test_a_damaged_checkpoint_gives_an_error_message(memsim_command, script, tmp_path, damage):
    memsim_command("--checkpoint-at", "40us", script, 1000 if damage == "foreign" else 10000)
    file = next((tmp_path / "memsim-out").glob("40us-*.ckpt"), tmp_path / "memsim-out/40us.ckpt")
    bytes_ = bytearray(file.read_bytes()) if file.exists() else bytearray()
    if damage == "cut":
        del bytes_[len(bytes_) // 2 :]
    elif damage == "flip":
        bytes_[len(bytes_) // 2] ^= 1
    elif damage == "foreign":
        bytes_ = bytearray(b"#!/bin/sh\necho this is something else\n")
    file.write_bytes(bytes_) if damage != "missing" else file.unlink()
    before = (tmp_path / "memsim-out/stats.db").read_bytes()
    text = memsim_command("--restore", "memsim-out/40us.ckpt", expect=1).stderr
    assert text.startswith("memsim: ") and "40us" in text and text.count("\n") == 1
    assert (tmp_path / "memsim-out/stats.db").read_bytes() == before


def test_without_the_script(memsim_command, script, tmp_path, monkeypatch):
    whole = memsim_command("--checkpoint-at", "40us", script, 10000).stdout.split()
    script.unlink()
    monkeypatch.chdir(tmp_path)
    with memsim.restore("memsim-out/40us.ckpt", outdir="notebook") as sim:
        assert sim.curTick() == 40 * 10**9
        assert sim.root.sys.mem.latency == "100ns"
        assert sim.root.sys.gen.mem_side.peer == sim.root.sys.mem.cpu_side
        assert sim.simulate().tick == int(whole[0])
        assert memsim.curTick() == int(whole[0])


def test_a_script_with_two_machines(memsim_command, script, tmp_path):
    script.write_text(
        """\
import memsim
from memsim.mem import SimpleMemory, TrafficGen

def machine(seed):
    root = memsim.Root(seed=seed)
    root.gen = TrafficGen(requests=1000, period="10ns", read_share="50%")
    root.mem = SimpleMemory()
    root.gen.mem_side = root.mem.cpu_side
    return memsim.Simulation(root)

both = [machine(1), machine(2)]
while {sim.simulate("1us").cause for sim in both} != {"nothing left to do"}:
    for sim in both:
        sim.stats.dump()
print([sim.digest for sim in both])
"""
    )
    whole = memsim_command("--checkpoint-at", "3.5us", script).stdout
    files = list((tmp_path / "memsim-out").glob("3500ns-*.ckpt"))
    assert len(files) == 2, "one of each"
    for file in files:
        assert memsim_command("--restore", file).stdout == whole


@pytest.mark.parametrize("apart, code, saved", [(1000, 143, ["sigterm"]), (0, -signal.SIGTERM, [])])
def test_two_sigterms_count_as_one_if_close_together(tmp_path, apart, code, saved):
    """The second signal arrives before the run can react to the first."""
    (tmp_path / "script.py").write_text(
        f"""\
import os, time
import memsim
from memsim.run import signals
signals.ONCE = {apart}
root = memsim.Root()
root.gen, root.mem = memsim.mem.TrafficGen(requests=10), memsim.mem.SimpleMemory()
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
open("ready", "w").close()
while not signals._seen:
    time.sleep(0.01)
open("seen", "w").close()
for _ in range(6000):
    if os.path.exists("go"):
        break
    time.sleep(0.01)
memsim.simulate()
"""
    )
    running = start(tmp_path, "script.py")
    for name in "ready", "seen":
        wait_for(tmp_path, name)
        running.send_signal(signal.SIGTERM)
    (tmp_path / "go").touch()
    _, output = running.communicate(timeout=60)
    assert running.returncode == code, output
    assert checkpoints(tmp_path / "memsim-out") == saved
