"""`memsim ckpt verify`: it finds a run that a restore changes, and finds none in any platform."""
import subprocess
from pathlib import Path

import memsim
import pytest
from memsim import verify
from memsim.systems import cmd, cxl_gpu, ohm, sap, zng
from resume import body

CONFIGS = Path(__file__).parents[2] / "configs"
SYSTEMS = {  # script, its platforms, arguments that make it tiny
    "ohm-planar": ("ohm_planar.py", "platform", ohm.platforms("planar"), "--workload FDTD --max-instructions 60000"),
    "ohm-two-level": ("ohm_two_level.py", "platform", ohm.platforms("two-level"),
                      "--workload FDTD --max-instructions 60000"),
    "zng": ("zng.py", "platform", zng.platforms(), "--workload betw-back --max-instructions 60000"),
    "cxl-gpu": ("cxl_gpu.py", "platform", cxl_gpu.platforms(), "--workload bfs --max-instructions 20000 --fault 20us"),
    "cmd": ("cmd.py", "platform", cmd.platforms(), "--workload cfd --check-contents"),
    "sap": ("sap.py", "policy", sap.policies(), "--workload BFS --dram 16KiB --check-contents"),
}
EACH = [(system, platform) for system, (_, _, platforms, _) in SYSTEMS.items() for platform in platforms]
ONE = {"zng": "zng", "cxl-gpu": "cxl-ds", "cmd": "cmd", "sap": "sap", "ohm-planar": "ohm-base", "ohm-two-level": "auto-rw"}

# Its memory becomes slower each time that the script runs.
FORGETFUL = """\
import memsim
from memsim.mem import SimpleMemory, TrafficGen

with open("runs", "a") as f:
    f.write("x")
root = memsim.Root()
root.gen = TrafficGen(requests=1000, period="10ns")
root.mem = SimpleMemory(latency=f"{100 + max(0, len(open('runs').read()) - 2)}ns")
root.gen.mem_side = root.mem.cpu_side
memsim.instantiate()
memsim.simulate()
"""


def command(system, platform):
    script, option, _, arguments = SYSTEMS[system]
    return [CONFIGS / script, f"--{option}", platform, "--scale", "tiny", *arguments.split()]


def same(run, ticks, machine):
    said = run("ckpt", "verify", "--ticks", ticks, "--seed", run.random.randrange(10**6), *machine).stdout.splitlines()
    assert [line.split()[1] for line in said[:-1]] == ["same"] * ticks
    assert f"restored from each of {ticks} checkpoints it gives the same digest" in said[-1]


@pytest.mark.parametrize("system", ONE)
def test_a_machine_of_each_system(run, system):
    same(run, 2, command(system, ONE[system]))


@pytest.mark.long
@pytest.mark.parametrize("system, platform", EACH)
def test_every_platform(run, system, platform):
    same(run, 20, command(system, platform))


def test_a_run_that_a_restore_changes(run):
    """Saving is undisturbed; each restored run is another one, and says in what."""
    (run.directory / "script.py").write_text(FORGETFUL)
    said = run("ckpt", "verify", "--ticks", 2, "script.py", expect=1).stdout.splitlines()
    assert len(said) == 3 and all("DIFFERENT: ends and digests, dumps, statistics" in line for line in said[:2]), said
    assert "('script', 1, " in said[0] and " became ('script', 1, " in said[0]
    assert said[2] == "script.py: 2 of 3 comparisons differ (seed 1)"


def test_what_one_restore_changes_is_no_other_s_matter(run):
    """The first restore alone has another machine, and dumps after its checkpoint and before the second's."""
    (run.directory / "script.py").write_text(
        FORGETFUL.replace("max(0, len(open('runs').read()) - 2)", "(len(open('runs').read()) == 3)")
        .replace("memsim.simulate()", "memsim.simulate('5us')\nmemsim.stats.dump('half')\nmemsim.simulate()"))
    said = run("ckpt", "verify", "--ticks", 2, "script.py", expect=1).stdout.splitlines()
    ticks, words = zip(*(line.split()[:2] for line in said[:2]))
    assert memsim._memsim.ticks(ticks[0]) < 5 * 10**9 < memsim._memsim.ticks(ticks[1])
    assert words == ("DIFFERENT:", "same")


def test_a_run_that_saving_changes(run):
    (run.directory / "script.py").write_text(FORGETFUL.replace("read()) - 2", "read()) - 1"))
    said = run("ckpt", "verify", "--ticks", 1, "script.py", expect=1).stdout
    assert said.startswith("saving alone   DIFFERENT: ends and digests, ")


def test_a_file_that_is_another_when_saved_again(run, monkeypatch):
    (run.directory / "script.py").write_text(FORGETFUL)
    run("-d", "out", "--checkpoint-at", "3us", "script.py")
    file, = (run.directory / "out").glob("*.ckpt")
    other = run.directory / "other.ckpt"
    verify.save_again(str(file), str(other))
    assert verify.same_file(file, other)
    info, data = body.unpack(file)
    at = data.rindex(b"\1")
    other.write_bytes(file.read_bytes())
    body.pack(other, info, data[:at] + b"\0" + data[at + 1:])
    for program, said in ((f"import shutil, sys; shutil.copy({str(other)!r}, sys.argv[2])",
                           "saved again it is another file"),
                          ("raise SystemExit('no')", "it cannot be loaded and saved: no")):
        monkeypatch.setattr(verify, "SAVE_AGAIN", program)
        assert verify._compare(str(file), {}, "") == said


def test_memsim_was_changed_in_the_meantime(monkeypatch):
    changed = "memsim/run.py has changed since the checkpoint was written, and the results may differ: this is a new run"
    done = subprocess.CompletedProcess([], 0, "", f"memsim: {changed}, whose parent is 1\nmemsim: results in x\n")
    monkeypatch.setattr(verify, "same_file", lambda one, other: True)
    monkeypatch.setattr(verify, "run_for_us", lambda command, quiet: done)
    assert verify._compare("a.ckpt", {}, "") == changed


@pytest.mark.parametrize("text, said", [
    ("import sys\nsys.exit('no')\n", "the script ended with code 1, and must end with 0: no"),
    ("print('no machine')\n", "the script builds no machine, so there is nothing to save"),
    (FORGETFUL.replace("memsim.simulate()", ""), "script.py: it simulates 0 fs, within which there are not 20 ticks")])
def test_what_cannot_be_verified(run, text, said):
    (run.directory / "script.py").write_text(text)
    assert run("ckpt", "verify", "script.py", expect=1).stderr == f"memsim: {said}\n"
