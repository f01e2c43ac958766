"""The container recipes: the same Debian, and the same commands for the copied files."""
import io
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "util/container"


def test_both_recipes_build_the_same():
    docker, apptainer = ((RECIPES / name).read_text() for name in ("Dockerfile", "memsim.def"))
    (debian,) = re.findall(r"^FROM (\S+)$", docker, re.M)
    assert re.findall(r"^From: (\S+)$", apptainer, re.M) == [debian]
    (command,) = re.findall(r"^RUN (\S+ --version) &&", docker, re.M)
    assert re.findall(r"^    (\S+ --version) &&", apptainer, re.M) == [command]
    assert "apt-get" not in docker + apptainer, "util/setup has the packages"
    for recipe in docker, apptainer:
        assert "PATH=/opt/memsim/build:$PATH" in recipe


def test_the_archive_has_what_the_recipes_run():
    done = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True)
    if done.returncode:
        pytest.skip("this is no git repository")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        assert archive.getmember("util/run").mode & 0o111
        names = archive.getnames()
    for name in "util/setup", "SConstruct", "python/memsim/__main__.py", "util/container/Dockerfile":
        assert name in names, name
    assert not any(name.startswith("build/") for name in names)
