"""What several scripts of util/ and their tests use."""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = "src", "python", "configs", "tests", "util", "SConstruct", "ext"  # on which builds and checks depend


def output(*command, root=ROOT):
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def tracked(root=ROOT):
    """The existing files of the tree, as git names them."""
    return [name for name in output("git", "ls-files", "-z", root=root).split("\0") if name and (root / name).is_file()]


def uncommitted():
    """The lines of git status for sources, or nothing."""
    return output("git", "status", "--porcelain", "--", *SOURCES)


def load(name):
    """The script util/NAME as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "util" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def cores():
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def catch2_argument(case):
    """The argument of unit_tests that selects exactly this case."""
    return re.sub(r"([\\,\[\]*\"~])", r"\\\1", case)
