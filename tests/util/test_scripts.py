"""The shell scripts of util/ in a small tree: which files util/lint reads, and which tests util/test runs."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path):
    """A function that runs a script of util/ in a copy without sources, whose build does nothing."""
    shutil.copytree(ROOT / "util", tmp_path / "util", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "ext", tmp_path / "ext", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "SConstruct").write_text('Command("build/memsim", [], Touch("$TARGET"))\n')
    (tmp_path / "bin").mkdir()

    def run(script, *arguments):
        return subprocess.run(
            ["env", f"PATH={tmp_path}/bin:/usr/bin:/bin", tmp_path / "util" / script, *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    return run


def test_a_path_restricts_the_tests(tree, tmp_path):
    (tmp_path / "tests").mkdir()
    for name in "pytest.ini", "conftest.py":
        (tmp_path / "tests" / name).symlink_to(ROOT / "tests" / name)
    for name in "one", "other":
        (tmp_path / f"tests/test_{name}.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    for arguments, passed in ([], 4), (["tests/test_one.py"], 2), (["-x", "tests/test_one.py::test_a"], 1):
        assert tree("test", *arguments).stdout.splitlines()[-1] == f"{passed} passed, 0 failed"


@pytest.fixture
def linted(tree, tmp_path):
    """A repository with one source; its tools print their arguments."""
    for name in "clang-format", "black", "flake8", "mypy":
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    for name in "prose", "tidy":
        (tmp_path / "util" / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src/part.cc").write_text("")
    (tmp_path / "src/gone.cc").write_text("")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    (tmp_path / "src/gone.cc").unlink()
    return tree


def test_lint_reads_existing_files_and_python_scripts(linted):
    done = linted("lint")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert lines["clang-format"] == ["--dry-run", "-Werror", "src/part.cc"]
    assert "tidy" not in lines and "clang-tidy reads nothing, since docs/results/check.md names no" in done.stderr
    assert "tidy src/part.cc" in linted("lint", "--all").stdout.splitlines()
    for tool in "black", "flake8":
        assert {"SConstruct", "util/common.py", "util/bench", "util/check"} <= set(lines[tool])


def test_lint_stops_outside_of_a_repository(linted, tmp_path):
    shutil.rmtree(tmp_path / ".git")
    done = linted("lint")
    assert done.returncode == 1 and done.stderr.endswith(
        "memsim: git lists no *.cc *.hh: use a clone of the repository\n"
    )
