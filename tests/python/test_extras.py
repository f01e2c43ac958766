"""EXTRAS of the build: a component outside of the tree (docs/cpp.md)."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """\
import memsim
from memsim import mem, test

root = memsim.Root()
root.generator = mem.TrafficGen(requests=100)
root.station = test.Station(places=5)
root.generator.mem_side = root.station.cpu_side
memsim.instantiate()
memsim.simulate()
print(root.station.stats.requests)
"""


@pytest.fixture
def tree(tmp_path):
    """A copy of the built project, in which scons continues. It consists of hard links, but the original files do
    not change, because scons removes a target before it writes a new one."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in (".git", "memsim-out") and not entry.name.startswith("build"):
            (tree / entry.name).symlink_to(entry)

    def copy(source, target):
        shutil.copy2(source, target) if Path(source).name.startswith(".sconsign") else os.link(source, target)

    def others(folder, names):
        return (
            {name for name in names if name in ("unit_tests", "bench", "tests", "docs")}
            if folder in (str(ROOT / "build"), str(ROOT / "build/obj"), str(ROOT / "build/groups"))
            else set()
        )

    try:
        shutil.copytree(ROOT / "build", tree / "build", symlinks=True, copy_function=copy, ignore=others)
    except (OSError, shutil.Error):  # another file system
        shutil.rmtree(tree / "build")
        shutil.copytree(ROOT / "build", tree / "build", symlinks=True, ignore=others)
    return tree


@pytest.mark.slow
def test_a_component_from_outside_is_built_in(tree, tmp_path):
    outside = tmp_path / "parts"
    outside.mkdir()
    for name in "station.hh", "station.cc":
        shutil.copy(ROOT / "tests/unit/docs" / name, outside)
    built = subprocess.run(
        ["/usr/bin/scons", "-Q", "-j1", f"EXTRAS={outside}", "build/memsim"],
        cwd=tree,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    compiled = [line.split()[1] for line in built.stdout.splitlines() if line.lstrip().startswith("compile ")]
    assert compiled == [str(outside / "station.cc")], "nothing else is compiled again"
    (tmp_path / "own.py").write_text(SCRIPT)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [tree / "build/memsim", "own.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.split()[-1].startswith("100"), done.stderr
    again = subprocess.run(
        ["/usr/bin/scons", "-Q", "-j1", "build/memsim"], cwd=tree, capture_output=True, text=True, timeout=1200
    )
    assert (
        again.returncode == 0 and "compile" not in again.stdout and "link" not in again.stdout
    ), "a build without EXTRAS keeps it"
    shutil.rmtree(outside)
    gone = subprocess.run(["/usr/bin/scons", "-Q", "-n", "build/memsim"], cwd=tree, capture_output=True, text=True)
    assert (
        f"memsim: EXTRAS: the folder {outside} of an earlier build does not exist any more and is ignored.\n"
        in gone.stdout
    )
    plain = subprocess.run(
        [ROOT / "build/memsim", "describe", "test.Station"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert plain.returncode == 1 and "there is no component type 'test.Station'" in plain.stderr, "ours is as it was"


def test_two_folders_may_have_the_same_name(tmp_path):
    folders = tmp_path / "one/parts", tmp_path / "other/parts"
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "station.cc").write_text("")
    done = subprocess.run(
        ["/usr/bin/scons", "-Q", "-n", f"EXTRAS={':'.join(map(str, folders))}", "build/memsim"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"compile {folder}/station.cc" in done.stdout for folder in folders)


@pytest.mark.slow
def test_groups_of_an_earlier_build_are_removed(tree):
    """util/tidy would read them."""
    old = tree / "build/groups/src/mem/1_of_99.cc"
    old.write_text("")
    subprocess.run(["/usr/bin/scons", "-Q", "-n", "build/memsim"], cwd=tree, capture_output=True, check=True)
    assert not old.exists() and list((tree / "build/groups/src").rglob("1_of_*.cc"))


def test_a_missing_folder_gives_an_error_message(tmp_path):
    output = subprocess.run(
        ["/usr/bin/scons", "-Q", "-n", "EXTRAS=/no/such/folder", "build/memsim"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert output.returncode == 2 and output.stdout.endswith("memsim: EXTRAS: there is no folder /no/such/folder.\n")
