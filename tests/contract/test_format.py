"""The sources are as clang-format leaves them (Debian 12's, 14), and clang-tidy finds nothing."""

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
