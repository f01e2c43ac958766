"""One simulation on several threads has the results of one thread."""
from pathlib import Path

import pytest

CONFIGS = Path(__file__).parents[2] / "configs"
MACHINES = {
    "drive.py": "--requests 1000",
    "dram_traffic.py": "",
    "cxl_link.py": "",
    "paged_gpu.py": "--scale 9",
    "ohm_planar.py": "--scale tiny --max-instructions 60000",
    "ohm_two_level.py": "--scale tiny --max-instructions 60000",
    "zng.py": "--scale tiny --workload betw-back --max-instructions 60000",
    "cmd.py": "--scale tiny",
    "sap.py": "--scale tiny",
    "cxl_gpu.py": "--scale tiny --workload bfs --max-instructions 20000",
    "eight_gpus.py": "--gpus 3 --sms 2 --channels 4 --kernel bfs1 --size 8 --far all",
}
DIVIDED = "partitions of"


@pytest.mark.parametrize("config", MACHINES)
def test_partitions_and_threads_have_the_digest_of_a_serial_run(run, config):
    machine = [CONFIGS / config, *MACHINES[config].split()]
    run("-d", "serial", *machine)
    content, seed = run.content("serial"), run.random.randrange(1, 1000)
    run("-d", "threads", "--threads", 2, *machine)
    assert run.content("threads") == content
    for threads in 1, 2:
        options = "--threads", threads, "--random-partitions", seed + threads
        done = run("-d", f"parts{threads}", *options, *machine)
        assert run.content(f"parts{threads}") == content, options
        assert DIVIDED in done.stderr or (config == "cmd.py" and "carry contents" in done.stderr), done.stderr


@pytest.mark.parametrize("config", ["ohm_planar.py", "eight_gpus.py"])
def test_a_checkpoint_of_two_threads_continues_on_one_and_the_reverse(run, at, config):
    machine = [CONFIGS / config, *MACHINES[config].split()]
    parts = "--threads", 2, "--random-partitions", 7
    run("-d", "whole", *machine)
    content, moments = run.content("whole"), at(run.moments("whole", 2))
    for name, saved, restored in ("parts", parts, ()), ("serial", (), parts):
        run("-d", name, *saved, *moments, *machine)
        for file in sorted((run.directory / name).glob("*.ckpt")):
            done = run("--restore", file, *restored)
            assert run.content(name) == content, file
            assert (DIVIDED in done.stderr) == bool(restored)


def test_windows_and_bounds_are_printed(run):
    machine = [CONFIGS / "drive.py", "--requests", "300"]
    done = run("--threads", 2, "--random-partitions", 1, *machine)
    assert "memsim: --threads: " in done.stderr and " wakes, of which " in done.stderr
    assert "2, 4, 8, 16, 32, 64 threads would be at most " in done.stderr
    assert "--threads" not in run("-q", "-d", "quiet", "--threads", 2, *machine).stderr


def test_an_object_shared_by_all_components_keeps_a_run_on_one_thread(run):
    machine = [CONFIGS / "drive.py", "--requests", "100"]
    for option, why in {
        "--stamps=1": "requests are stamped, in records that all components share",
        "--timeline=t.json": "requests are stamped, in records that all components share",
        "--debug-flags=All": "debug output has one order",
    }.items():
        done = run("--threads", 2, option, *machine)
        assert f"memsim: --threads: one thread: {why}\n" in done.stderr
