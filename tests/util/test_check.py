"""util/check: its steps run every long test, and a step is recorded with the commit that it checked."""

import shlex
import subprocess
from pathlib import Path

import pytest
from common import load

ROOT = Path(__file__).parents[2]


def collected(command):
    """The names of the long tests that a command of pytest runs."""
    options = ["-n", "0", "--collect-only", "-o", "addopts=--import-mode=importlib"]
    done = subprocess.run([*shlex.split(command), *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 5), done.stdout + done.stderr  # 5: without a second build no case is found
    return {line for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.slow
def test_every_long_test_belongs_to_a_step():
    check = load("check")
    commands = {name: command for name, (_, _, command) in check.STEPS.items()}
    by_step = {name: collected(command) for name, command in commands.items() if "pytest" in command}
    assert "util/fuzz" in commands["fuzzing"]
    every = collected(f"{check.PYTEST} tests -m long")
    lost = {test for test in every - set.union(*by_step.values()) if not test.startswith("fuzz/test_fuzz.py")}
    assert len(every) > 500 and not lost
    twice = [test for test in by_step.pop("long tests") if any(test in tests for tests in by_step.values())]
    assert not twice


@pytest.fixture
def check(monkeypatch, tmp_path):
    """The script with one step, on a page of its own; returns its rows for these states of the sources."""
    module = load("check")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "PAGE", tmp_path / "docs/check.md")
    monkeypatch.setattr(module, "STEPS", {"small": ("nothing", (), "echo 2 passed, 0 failed")})
    monkeypatch.setattr("sys.argv", ["util/check"])

    def rows(*states):
        monkeypatch.setattr(module, "tree", iter(states).__next__)
        assert module.main() == 0
        return list(module.recorded().values())

    return rows


def test_a_step_is_recorded_with_its_commit(check):
    (row,) = check(("abc", ""), ("abc", ""))
    assert row.startswith("| small | nothing | `abc` | ") and row.endswith(" | passed: 2 passed, 0 failed |")


@pytest.mark.parametrize("after", [("def", ""), ("abc", " M src/a.cc")])
def test_nothing_is_recorded_if_the_sources_change_meanwhile(check, capsys, after):
    assert check(("abc", ""), after) == []
    assert "small is not recorded, since the sources changed while it ran" in capsys.readouterr().err


def test_nothing_is_recorded_with_uncommitted_files(check, capsys):
    assert check(("abc", " M src/a.cc")) == []
    assert "since files are not committed:\n M src/a.cc\n" in capsys.readouterr().err
