"""Every Catch2 case as a test of its own, in its own process; the tags [slow] and [long] are the
marks. Builds other than build/ (sanitizers, clang++) are those that util/test --long makes."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILDS = ["build", "build-sanitize-g++", "build-opt-clang++"]


def run(build, *arguments):
    return subprocess.run([ROOT / build / "unit_tests", *arguments], cwd=ROOT, capture_output=True, text=True)


def names(build, *tags):
    return [line.strip() for line in run(build, "--list-test-names-only", *tags).stdout.splitlines()]


def cases():
    for build in BUILDS:
        if not (ROOT / build / "unit_tests").exists():
            continue
        tagged = {mark: set(names(build, f"[{mark}]")) for mark in ("slow", "long")}
        for name in names(build):
            marks = [getattr(pytest.mark, mark) for mark in tagged if name in tagged[mark]]
            if build != "build":
                marks.append(pytest.mark.long)
            yield pytest.param(build, name, marks=marks, id=f"{build}: {name}")


CASES = list(cases())


@pytest.mark.parametrize("build, name", CASES)
def test_case(build, name):
    result = run(build, re.sub(r"([\\,\[\]*\"~])", r"\\\1", name))
    assert "No test cases matched" not in result.stdout
    assert result.returncode == 0, result.stdout + result.stderr


def test_cases_were_found():
    sources = [path.read_text() for folder in ("unit", "contract") for path in (ROOT / "tests" / folder).rglob("*.cc")]
    written = sum(len(re.findall(r"^(?:TEMPLATE_)?TEST_CASE\(", text, re.M)) for text in sources)
    assert sum(case.values[0] == "build" for case in CASES) >= written
