"""Runs each fuzz target for some seconds, with a fixed seed. Each run tries the same inputs in the
same order; only their number depends on the host."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "build-fuzz-clang++" / "fuzz"
TARGETS = sorted(path.name for path in (ROOT / "tests/fuzz/corpus").iterdir())
SECONDS = 15
NOT_LINKED = (
    "there is no rig of this type",
    "there is no component type 'ohm.PlanarController'",
    "there is no component type 'test.CacheManager'",
    "there is no component type 'test.NextPages'",
)


def skip_without_program():
    if not PROGRAM.exists():
        pytest.skip("util/test --long builds it, and so does util/fuzz")


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_good_inputs_are_accepted(target):
    """But checkpoints of machines with a component that the program does not link."""
    skip_without_program()
    good = sorted((ROOT / "tests/fuzz/corpus" / target).glob("good*"))
    assert good
    for file in good:
        done = subprocess.run(
            [PROGRAM, target, file],
            env={**os.environ, "MEMSIM_FUZZ_ACCEPT": "1"},
            cwd=ROOT,
            text=True,
            capture_output=True,
        )
        unlinked = any(sentence in done.stderr for sentence in NOT_LINKED)
        assert done.returncode == 0 or unlinked, f"{file}: {done.stderr[-4000:]}"


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_fuzz(target, tmp_path):
    skip_without_program()
    done = subprocess.run(
        [
            PROGRAM,
            target,
            tmp_path,
            ROOT / "tests/fuzz/corpus" / target,
            "-seed=1",
            f"-max_total_time={SECONDS}",
            f"-artifact_prefix={tmp_path}/",
        ],
        cwd=ROOT,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    (executed,) = re.findall(r"^Done (\d+) runs", done.stderr, re.M)
    assert int(executed) > 100


def test_every_target_has_a_corpus():
    sources = (path.read_text() for path in (ROOT / "tests/fuzz/targets").glob("*.cc"))
    names = re.findall(r'FuzzTargetFor \w+ \{\s*"(\w+)"', "".join(sources))
    assert sorted(names) == TARGETS
