"""`memsim ckpt verify` detects a run that a restore changes; no platform has one."""
import re
import subprocess
from pathlib import Path

import memsim
import pytest
from memsim.across.ways import WAYS
from memsim.cli.restoring import verify
from memsim.papers import hbf
from memsim.systems import cmd, cxl_gpu, ohm, sap, zng
from memsim.systems.drive import PRESETS
from resume import body
from resume.test_restore import KERNEL

CONFIGS = Path(__file__).parents[2] / "configs"


def each(option, names, first=None):
    """One argument for each name; the given one is first."""
    return [f"--{option} {name}" for name in sorted(names, key=lambda name: name != first)]


POLICIES = sap.policies()
SCRIPTS = {  # each in configs: arguments that make it tiny, and its modes, of which the first and each platform stand for it in the short test
    "ohm_planar.py": (
        "--scale tiny --workload FDTD --max-instructions 60000",
        each("platform", ohm.platforms("planar"), "ohm-base"),
    ),
    "ohm_two_level.py": (
        "--scale tiny --workload FDTD --max-instructions 60000",
        each("platform", ohm.platforms("two-level"), "auto-rw"),
    ),
    "ohm_testbed.py": (
        "--scale tiny --workload backp --max-instructions 60000",
        each("data", ["drive", "host", "resident"]),
    ),
    "zng.py": (
        "--scale tiny --workload betw-back --max-instructions 60000",
        [
            *each("platform", zng.platforms(), "zng"),
            *each("prefetch", ["nopref", "1KBpref", "4KBpref", "predict-4KBpref", "dyn-pref"]),
            *each("register-network", ["none", "swnet", "fcnet", "nif"]),
            "--registers 8",
            "--no-redirect",
            *each("collect", ["low", "used_up"]),
            "--platform optane --optane dimm",
            "--check-contents",
        ],
    ),
    "zng_gc.py": ("--scale tiny --max-instructions 60000", ["--collect low", "--collect used_up", "--registers 2"]),
    "zng_pages.py": ("--scale tiny --workload back --max-instructions 60000", [""]),
    "zng_peak.py": (
        "--range 1048576 --warm 1us --time 2us",
        each("memory", ["ideal", "optane", "hybridgpu", "desktop", "hetero"]),
    ),
    "zng_flash.py": (
        "--controllers 2 --packages 2 --requests 100",
        [*each("register-network", ["nif", "none", "swnet", "fcnet"]), "--read-share 50%"],
    ),
    "cxl_gpu.py": (
        "--scale tiny --workload bfs --max-instructions 20000 --fault 20us",
        [
            *each("platform", cxl_gpu.platforms(), "cxl-ds"),
            *each("media", cxl_gpu.MEDIA),
            *each("controller", cxl_gpu.CONTROLLERS),
            *each("flit", cxl_gpu.values.FLITS),
            *each("read-ahead", ["naive", "dynamic", "window", "fixed", "none"]),
            *each("drive", cxl_gpu.drives.DRIVES),
            "--ports 2",
            "--series 1us",
            "--check-contents",
        ],
    ),
    "cxl_link.py": (
        "--requests 200 --outstanding 32 --read-share 50% --bit-errors 10000000000",
        each("flit", cxl_gpu.values.FLITS),
    ),
    "cmd.py": (
        "--scale tiny --workload cfd --check-contents",
        [*each("platform", cmd.platforms(), "cmd"), "--bandwidth 448", "--fifo 4"],
    ),
    "sap.py": (
        "--scale tiny --workload BFS --dram 16KiB --check-contents",
        [*each("policy", POLICIES, "sap"), "--drive flash"],
    ),
    "sap_hits.py": ("--scale tiny --workload BFS", [""]),
    "sap_hints.py": ("--scale tiny --max-instructions 20000", each("system", ["cxl_gpu", "ohm"])),
    "sap_policies.py": (
        "--scale tiny --max-instructions 20000",
        [
            f"--host {host} {policy}"
            for policy in each("policy", POLICIES, "sap")
            for host in ("endpoint", "buffer", "mmu")
        ],
    ),
    "paged_gpu.py": (
        "--scale 8 --resident 40",
        [
            *(f"--placement faults {source}" for source in each("source", ["drive", "host_memory", "drive_direct"])),
            *each("placement", ["none", "identity", "first_touch", "interleaved", "random"]),
            *(f"--placement faults {more}" for more in each("eviction", ["arc", "car", "clock-pro", "fifo"])),
            *(f"--placement faults {more}" for more in each("prefetch", ["density", "page-on-page"])),
        ],
    ),
    "co_run.py": (
        "--vertices 6",
        ["--partition shared", "--partition spatial", "--when-one-ends repeat", "--when-one-ends stop", "--only 1"],
    ),
    "cached_drive.py": ("--scale 8 --dram 16", each("replacement", ["lru", "arc", "clock-pro"])),
    "drive.py": ("--requests 300 --read-share 50%", each("drive", PRESETS)),
    "dram_traffic.py": (
        "--requests 1000 --read-share 70%",
        ["", "--pattern sequential --channels 2", "--pattern probed --requests 20", "--preset hbm2 --order fcfs"],
    ),
    "nvidia_gpu.py": (
        "--kernel bfs1 --size 8 --sms 3",
        [*each("chip", ["v100-pcie", "a100-80gb"], "h100-sxm"), "--memory ddr4_3200"],
    ),
    "eight_gpus.py": (
        "--gpus 2 --sms 2 --channels 4 --kernel bfs1 --size 8",
        [*each("far", ["own", "next", "all"], "own"), "--by-hand 2"],
    ),
    "hbf.py": (
        "--model tiny --layers 2 --context 40 --sms 2 --channels 4 --local 128KiB",
        each("way", ["alone", "behind", "hbm"], "beside"),
    ),
    "across.py": ("--ratio 4", each("way", [*WAYS, "cxl+cmd"], "hbf-behind")),
    "hbf_papers.py": (
        "--scale tiny --max-instructions 60000",
        [
            *each("platform", hbf.platforms(), "hbf-sim"),
            "--platform tilelens --layout column --ahead prefetch --latency 20",
            "--platform hbf-sim --channels 2 --slots 2",
        ],
    ),
    "llm_decode.py": (
        "--model tiny --layers 2 --context 30 --tokens 2 --sms 2",
        [*each("chip", ["v100-pcie", "h100-sxm"], "h100-pcie"), "--head", "--launch-latency 5us"],
    ),
    "llm_serve.py": (
        "--model tiny-moe --layers 1 --requests 3 --prompt 20 --prompt-spread 9 --arrival-gap 1 --tokens 2 --sms 2",
        [
            "",
            "--model tiny --batch 2 --step-tokens 8 --context 17",
            "--prompt 24 --prompt-spread 4 --shared-prefix 17 --temperature 100%",
        ],
    ),
    "qv100_trace.py": ("k.traceg --repeat 3 --sms 1", [""]),
}
EACH = [(script, mode) for script, (_, modes) in SCRIPTS.items() for mode in modes]
SHORT = [
    (script, mode)
    for script, mode in EACH
    if mode == SCRIPTS[script][1][0]
    and script != "across.py"  # it takes 20 s, and tests/python/test_across.py restores it
    or re.fullmatch(r"--(platform|policy) \S+", mode)
]

# The memory becomes slower each time the script runs.
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


def same(run, ticks, script, mode):
    (run.directory / "k.traceg").write_text(KERNEL)
    output = run(
        "ckpt",
        "verify",
        "--ticks",
        ticks,
        "--seed",
        run.random.randrange(10**6),
        CONFIGS / script,
        *SCRIPTS[script][0].split(),
        *mode.split(),
    ).stdout.splitlines()
    assert [line.split()[1] for line in output[:-1]] == ["same"] * ticks
    assert f"restored from each of {ticks} checkpoints, it gives the same digest" in output[-1]


def test_no_script_is_left_out():
    assert {script.name for script in CONFIGS.glob("*.py")} == set(SCRIPTS)


@pytest.mark.parametrize("script, mode", SHORT)
def test_a_machine_of_each_script_and_platform(run, script, mode):
    same(run, 2, script, mode)


@pytest.mark.long
@pytest.mark.parametrize("script, mode", EACH)
def test_every_platform_and_mode(run, script, mode):
    same(run, 20, script, mode)


def test_memsim_s_options_are_those_of_a_run(run):
    """Each process has the options: the plain run, the run that saves, and those that continue."""
    (run.directory / "script.py").write_text(
        FORGETFUL.replace(
            'f.write("x")', 'f.write(f"{options.changes} {options.stamps} {options.event_queue} {options.perturb}\\n")'
        )
        .replace(
            "import memsim\n", "import memsim\nfrom memsim.run.session import session\noptions = session.options\n", 1
        )
        .replace("f\"{100 + max(0, len(open('runs').read()) - 2)}ns\"", '"100ns"')
    )
    run(
        "ckpt",
        "verify",
        "--ticks",
        2,
        "--set=mem.latency=900ns",
        "--set",
        "mem.queue=8",
        "--stamps",
        10,
        "--event-queue",
        "naive",
        "--perturb-wakes",
        3,
        "script.py",
    )
    assert (run.directory / "runs").read_text() == "['mem.latency=900ns', 'mem.queue=8'] 10 naive 3\n" * 4
    output = run("ckpt", "verify", "--set", "mem.latncy=900ns", "script.py", expect=1).stderr
    assert "the script ended with code 1; it must end with 0: " in output and "did you mean 'latency'" in output


def test_a_run_that_a_restore_changes(run):
    """Saving has no effect; each restored run differs, and the report names the difference."""
    (run.directory / "script.py").write_text(FORGETFUL)
    output = run("ckpt", "verify", "--ticks", 2, "script.py", expect=1).stdout.splitlines()
    assert len(output) == 3 and all(
        "DIFFERENT: ends and digests, dumps, statistics" in line for line in output[:2]
    ), output
    assert "('script', 1, " in output[0] and " became ('script', 1, " in output[0]
    assert output[2] == "script.py: 2 of 3 comparisons differ (seed 1)"


def test_changes_of_one_restore_do_not_affect_another(run):
    """Only the first restore has another machine; it dumps between its checkpoint and the second one."""
    (run.directory / "script.py").write_text(
        FORGETFUL.replace("max(0, len(open('runs').read()) - 2)", "(len(open('runs').read()) == 3)").replace(
            "memsim.simulate()", "memsim.simulate('5us')\nmemsim.stats.dump('half')\nmemsim.simulate()"
        )
    )
    output = run("ckpt", "verify", "--ticks", 2, "script.py", expect=1).stdout.splitlines()
    ticks, words = zip(*(line.split()[:2] for line in output[:2]))
    assert memsim._memsim.ticks(ticks[0]) < 5 * 10**9 < memsim._memsim.ticks(ticks[1])
    assert words == ("DIFFERENT:", "same")


def test_a_script_that_builds_several_machines(run):
    """A restore builds those again that the script built after the checkpoint."""
    machine = "root = memsim.Root()" + FORGETFUL.partition("root = memsim.Root()")[2]
    machine = machine.replace("f\"{100 + max(0, len(open('runs').read()) - 2)}ns\"", '"100ns"')
    first = machine.replace("memsim.instantiate()", "first = memsim.instantiate()").replace(
        "memsim.simulate()", "memsim.simulate('3us')"
    )
    (run.directory / "script.py").write_text(
        "import memsim\nfrom memsim.mem import SimpleMemory, TrafficGen\n"
        + first
        + machine.replace("requests=1000", "requests=500")
        + "first.simulate()\n"
        + machine.replace("requests=1000", "requests=200")
    )
    output = run("ckpt", "verify", "--ticks", 4, "script.py").stdout.splitlines()
    assert len(output) > 5 and all(line.split()[1] == "same" for line in output[:-1]), output


def test_a_run_that_saving_changes(run):
    (run.directory / "script.py").write_text(FORGETFUL.replace("read()) - 2", "read()) - 1"))
    output = run("ckpt", "verify", "--ticks", 1, "script.py", expect=1).stdout
    assert output.startswith("saving alone   DIFFERENT: ends and digests, ")


def test_a_file_that_is_another_when_saved_again(run, monkeypatch):
    (run.directory / "script.py").write_text(FORGETFUL)
    run("-d", "out", "--checkpoint-at", "3us", "script.py")
    (file,) = (run.directory / "out").glob("*.ckpt")
    other = run.directory / "other.ckpt"
    verify.save_again(str(file), str(other))
    assert verify.same_file(file, other)
    info, data = body.unpack(file)
    at = data.rindex(b"\1")
    other.write_bytes(file.read_bytes())
    body.pack(other, info, data[:at] + b"\0" + data[at + 1 :])
    for program, output in (
        (f"import shutil, sys; shutil.copy({str(other)!r}, sys.argv[2])", "saved again, it is a different file"),
        ("raise SystemExit('no')", "it cannot be loaded and saved: no"),
    ):
        monkeypatch.setattr(verify, "SAVE_AGAIN", program)
        assert verify._compare(str(file), {}, "") == output


def test_memsim_was_changed_in_the_meantime(monkeypatch):
    changed = (
        "memsim/run.py has changed since the checkpoint was written, and the results may differ: this is a new run"
    )
    done = subprocess.CompletedProcess([], 0, "", f"memsim: {changed}, whose parent is 1\nmemsim: results in x\n")
    monkeypatch.setattr(verify, "same_file", lambda one, other: True)
    monkeypatch.setattr(verify, "run_for_us", lambda command, quiet: done)
    assert verify._compare("a.ckpt", {}, "") == changed


@pytest.mark.parametrize(
    "text, output",
    [
        ("import sys\nsys.exit('no')\n", "the script ended with code 1; it must end with 0: no"),
        ("print('no machine')\n", "the script builds no machine"),
        (
            FORGETFUL.replace("memsim.simulate()", ""),
            "script.py: it simulates 0 fs, which is less than 20 ticks",
        ),
    ],
)
def test_what_cannot_be_verified(run, text, output):
    (run.directory / "script.py").write_text(text)
    assert run("ckpt", "verify", "script.py", expect=1).stderr == f"memsim: {output}\n"
