"""A checkpoint is continued by another build: with debugging, or by clang++ with sanitizers. util/test --long makes
these builds; without them the tests are skipped."""
import shutil
import subprocess

import pytest

from .conftest import ROOT
from .test_verify import CONFIGS, SCRIPTS

SYSTEMS = "ohm_planar.py", "ohm_two_level.py", "zng.py", "cmd.py", "cxl_gpu.py", "sap.py"
BUILDS = "build-debug-g++", "build-sanitize-clang++"
RESULTS = "SELECT path, name, value, unit FROM result ORDER BY path, name"


def command(script):
    """The arguments of the first mode."""
    arguments, modes = SCRIPTS[script]
    return [CONFIGS / script, *arguments.split(), *modes[0].split()]


@pytest.mark.long
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("script", SYSTEMS)
def test_a_checkpoint_continues_in_another_build(run, script, build):
    if not (ROOT / build / "memsim").exists():
        pytest.skip(f"there is no {build}: util/test --long makes it")

    def other(*arguments):
        subprocess.run(
            [ROOT / build / "memsim", "-q", *map(str, arguments)], cwd=run.directory, check=True, timeout=3000
        )

    machine = command(script)
    run("-q", "-d", "whole", *machine)
    (tick,) = run.moments("whole", 1)
    for writes, reads in (run, other), (other, run):
        writes("-q", "-d", "cut", "--checkpoint-at", f"{tick}fs", *machine)
        (file,) = (run.directory / "cut").glob("*.ckpt")
        reads("--restore", file, "-d", "on")
        assert run.digest("on") == run.digest("cut") == run.digest("whole")
        assert run.rows("on", RESULTS) == run.rows("whole", RESULTS)
        for outdir in "cut", "on":
            shutil.rmtree(run.directory / outdir)


@pytest.mark.parametrize("script", SYSTEMS)
def test_restored_twice_in_a_row(run, script):
    """Continues from a checkpoint that a restored run has written."""
    machine = command(script)
    run("-q", "-d", "whole", *machine)
    first, second = run.moments("whole", 2)
    run("-q", "-d", "out", "--checkpoint-at", f"{first}fs", *machine)
    (file,) = (run.directory / "out").glob("*.ckpt")
    run("--restore", file, "--checkpoint-at", f"{second}fs")
    later = max((run.directory / "out").glob("*.ckpt"), key=lambda path: path.stat().st_mtime_ns)
    assert later != file or first == second
    run("--restore", later)
    assert run.content("out") == run.content("whole")
