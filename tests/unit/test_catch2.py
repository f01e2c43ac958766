"""Runs every Catch2 case as a separate test in a separate process. Tags [slow] and [long] become marks.
Cases tagged [validation] print tables: tests/validation/test_document.py runs them in one process, not
with --fast. The second build, by clang++ with sanitizers, is made by util/test --long."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from common import catch2_argument

ROOT = Path(__file__).parents[2]
BUILDS = ["build", "build-sanitize-clang++"]


def run(build, *arguments):
    """Runs the cases, which must remove their files from the temporary directory."""
    with tempfile.TemporaryDirectory(prefix="memsim-") as folder:
        os.chmod(folder, 0o755)  # a case that drops its privileges reads this directory
        done = subprocess.run(
            [ROOT / build / "unit_tests", *arguments],
            env={**os.environ, "TMPDIR": folder},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=3600,
        )
        assert os.listdir(folder) == []
    return done


def names(build, *tags):
    listing = run(build, "--list-test-names-only", *tags).stdout
    return [line.strip() for line in listing.splitlines()]


def cases():
    for build in BUILDS:
        if not (ROOT / build / "unit_tests").exists():
            continue
        tagged = {mark: set(names(build, f"[{mark}]")) for mark in ("slow", "long")}
        # A long case would take more than an hour with sanitizers.
        for name in names(build, *(["~[validation]"] if build == "build" else ["~[long]"])):
            marks = [getattr(pytest.mark, mark) for mark in tagged if name in tagged[mark]]
            if build != "build":
                marks.append(pytest.mark.long)
            yield pytest.param(build, name, marks=marks, id=f"{build}: {name}")


CASES = list(cases())


@pytest.mark.parametrize("build, name", CASES)
def test_case(build, name):
    result = run(build, catch2_argument(name))
    assert "No test cases matched" not in result.stdout
    assert result.returncode == 0, result.stdout + result.stderr


def test_cases_were_found():
    sources = [*(ROOT / "tests/unit").rglob("*.cc"), *(ROOT / "tests/contract").glob("*.cc")]
    written = sum(
        len(
            [
                tags
                for tags in re.findall(r"^TEST_CASE\((.*?)\) \{", path.read_text(), re.M | re.S)
                if "[validation]" not in tags
            ]
        )
        for path in sources
    )
    assert sum(case.values[0] == "build" for case in CASES) >= written
