"""The sources are as clang-format (Debian 12's, 14) and black leave them; clang-tidy, flake8 and mypy find nothing."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def tracked(*patterns):
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True
    )
    if listing.returncode:
        pytest.skip("not a git checkout: what belongs to the project is not known")
    return [name for name in listing.stdout.splitlines() if (ROOT / name).exists()]


def test_clang_format():
    files = tracked("src/*.cc", "src/*.hh", "tests/*.cc", "tests/*.hh")
    assert "src/core/error.hh" in files
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, f"run clang-format -i on them:\n{result.stderr}"


@pytest.mark.parametrize("command", [["black", "--check", "--quiet"], ["flake8"]], ids=lambda command: command[0])
def test_python(command):
    files = tracked("*.py")
    assert "python/memsim/__init__.py" in files
    result = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, f"run black on them, and flake8:\n{result.stdout}{result.stderr}"


@pytest.mark.slow
def test_mypy():
    """The files that pyproject.toml names are typed. (A call of a layer that is not yet typed is not counted.)"""
    result = subprocess.run(["/usr/bin/mypy"], cwd=ROOT, capture_output=True, text=True)
    faults = [line for line in result.stdout.splitlines() if ": error: " in line and "[no-untyped-call]" not in line]
    assert "source files" in result.stdout and faults == []


@pytest.mark.long
def test_clang_tidy():
    files = tracked("src/*.cc")
    assert "src/core/error.cc" in files
    command = ["run-clang-tidy", "-quiet", "-p", "build-sanitize-clang++", f"-j{os.cpu_count()}"]
    result = subprocess.run(
        [*command, *(f"^{re.escape(str(ROOT / name))}$" for name in files)], cwd=ROOT, capture_output=True, text=True
    )
    plain = re.sub(r"\x1b\[[\d;]*m", "", result.stdout)
    faults = sorted(set(re.findall(r"^.*(?:error|warning): .*$", plain, re.M)))
    assert result.returncode == 0, "\n".join(faults) or plain + result.stderr
