"""The output of util/test: progress while it builds, and one line at the end."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

SCONSTRUCT = """
import os, time

def waits(target, source, env):
    end = time.monotonic() + 10
    while not os.path.exists("seen") and time.monotonic() < end:
        time.sleep(0.01)
    return not os.path.exists("seen")

Command("made", [], Action(waits, "  compile made"))
"""


def test_a_compilation_is_shown_when_it_begins(tmp_path):
    (tmp_path / "SConstruct").write_text(SCONSTRUCT)
    script = f"source '{ROOT}/util/setup'; root='{tmp_path}'; build made"
    with subprocess.Popen(["bash", "-c", script], stderr=subprocess.PIPE, text=True) as building:
        assert building.stderr.readline() == "  compile made\n"
        (tmp_path / "seen").touch()  # fails if the line appears only after the build
        assert building.stderr.read() == ""
    assert building.returncode == 0


def test_only_the_last_line_states_the_number_that_passed(tmp_path):
    tests = tmp_path / "test_some.py"
    tests.write_text(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): assert 1 == 2\n"
        "def test_broken(nothing_of_that_name): pass\n"
        "def test_left_out(): pytest.skip('no data')\n"
    )

    for name in ("pytest.ini", "conftest.py"):
        (tmp_path / name).symlink_to(ROOT / "tests" / name)

    def lines(*arguments):
        done = subprocess.run(
            ["/usr/bin/python3", "-m", "pytest", "-n", "2", tmp_path, *arguments], text=True, capture_output=True
        )
        return done.stdout.splitlines()

    found = lines()
    assert found[-1] == "1 passed, 2 failed, 1 skipped"
    assert not [line for line in found[:-1] if "passed" in line]
    assert lines("-k", "good")[-1] == "1 passed, 0 failed"
