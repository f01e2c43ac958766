"""Files: what is none is refused; whether one is still what it was, by a hash of its contents; how a path is shown,
and what the file system refuses."""
import contextlib
import os
from pathlib import Path

from . import _memsim
from .errors import Error

_hashes = {}


def check_regular(path, remedy="write its contents into a file"):
    """Refuses what is there and is neither a file nor a directory, for which each reader has its own sentence: a
    pipe waits for its other end, and a device may have no end. files::check_regular() is the same in C++."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise Error(f"{path}: is a pipe or a device: {remedy}")


def check_output(path):
    """check_regular() for what is to be written."""
    check_regular(path, "name a file, which is made if it is not there")


def hash_of(name):
    """Of what is in the file. Read once a process, as long as its size, time and inode stay."""
    try:
        stat = os.stat(name)
    except OSError as e:
        raise Error(f"{name}: {e.strerror}: name a file that can be read") from None
    key = os.path.abspath(name), stat.st_size, stat.st_mtime_ns, stat.st_ino
    if key not in _hashes:
        _hashes[key] = _memsim.hash_of_file(os.fspath(name))
    return _hashes[key]


def hashes_of(names):
    """[(absolute path, hash)]."""
    return [(os.path.abspath(name), hash_of(name)) for name in names]


def refuse_changed(before, now, remedy):
    """Names the first of two lists' files that is not in both or has changed, as one sentence."""
    before, now = dict(before), dict(now)
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            what = ("is read now and was not when the checkpoint was written" if name not in before else
                    "is no longer read" if name not in now else
                    "has changed since the checkpoint was written")
            raise Error(f"{name} {what}: {remedy}")


def shown(path):
    """A path as people like it: from here, if it lies below."""
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


@contextlib.contextmanager
def replacing(path, mode="w"):
    """The file that takes the place of `path` when all is written; until then what stood there stays whole."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)


def os_error(act, path):
    """Does it, or says in one sentence why the file system would not."""
    try:
        return act()
    except OSError as e:
        raise Error(f"{path}: {e.strerror}: name a place that can be written") from None
