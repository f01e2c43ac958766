"""Files: pipes and devices are refused; an output replaces no file that is in use; a hash shows whether a file has
changed; how a path is shown, and what the file system refuses."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from . import _memsim
from .errors import Error

T = TypeVar("T")
Path_ = str | os.PathLike[str]
_hashes: dict[tuple[str, int, int, int], str] = {}
_used: list[tuple[object, str, str]] = []  # (owner, path, what): files that are in use until release(owner)
KINDS = {  # what files are, by their first bytes
    b"\x89msim": "a checkpoint",
    b"SQLite format 3\0": "a database",
    b'[\n{"ph"': "a timeline",
}
DATABASE = "the database of results"


def check_regular(path: Path_, remedy: str = "write its contents into a file") -> None:
    """Refuses what is there and is neither a file nor a directory, for which each reader has its own sentence: a
    pipe waits for its other end, and a device may have no end. files::check_regular() is the same in C++."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise Error(f"{path}: is a pipe or a device: {remedy}")


def kind_of(path: Path_) -> str | None:
    """What the file is, by its first bytes: one of KINDS, or None."""
    try:
        with open(path, "rb") as file:
            head = file.read(max(map(len, KINDS)))
    except OSError:
        return None  # whoever opens it reports why
    return next((what for begins, what in KINDS.items() if head.startswith(begins)), None)


def use(owner: object, path: Path_, what: str) -> None:
    """Until release(owner) no output may replace this file."""
    _used.append((owner, os.path.abspath(path), what))


def use_database(owner: object, path: str) -> None:
    """use() for a database and the files that SQLite and memsim keep beside it."""
    for ending in ("", "-owners", "-journal", "-wal", "-shm"):
        use(owner, path + ending, DATABASE)


def release(owner: object) -> None:
    """The files of this owner are no longer in use."""
    _used[:] = [entry for entry in _used if entry[0] is not owner]


def _in_use() -> Iterator[tuple[str, str]]:
    """(path, what) of every file that this process uses."""
    for name, module in list(sys.modules.items()):
        if file := getattr(module, "__file__", None):
            yield file, "the script" if name == "__main__" else f"the module {name}"
    for _, path, what in _used:
        yield path, what


def same_file(one: Path_, other: Path_) -> bool:
    """Whether two paths name one file, through links of both kinds, whether or not it exists."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def check_output(path: Path_, kind: str | None = None, used_as: Collection[str] = ()) -> None:
    """Refuses a file to be written that is a pipe or a device, that is in use otherwise than `used_as`, or whose
    contents are of another kind: an output of a kind in KINDS replaces only its own kind, any other output
    replaces neither a checkpoint nor a database."""
    check_regular(path, "name a file, which is made if it is not there")
    for file, what in _in_use():
        if what in used_as or what == DATABASE and kind == "a database":
            continue
        if same_file(path, file):
            raise Error(f"{path}: is {what}, which the output would destroy: name another file")
    present = kind_of(path)
    if kind == "a database":  # SQLite replaces no file, and refuses what is no database
        return
    if present != kind and (
        present in ("a checkpoint", "a database") or kind and os.path.isfile(path) and os.path.getsize(path)
    ):
        raise Error(
            f"{path}: is {present or 'another file'}, which the output would destroy: name another file"
            + (f", or {kind}, which is replaced" if kind else "")
        )


class Claim:
    """The files that one machine writes: locked, so that no other process writes them, until it and the machines of
    this process that share one are closed."""

    _held: dict[str, tuple[int, set["Claim"]]] = {}  # path -> (the open file, the claims)

    def take(self, path: Path_) -> None:
        """Makes the file if it does not exist, and locks it. What is in it stays."""
        path = os.path.realpath(path)
        if path in self._held:
            self._held[path][1].add(self)
            return
        if os.path.exists(path) and not os.path.isfile(path):
            return
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return  # whoever writes it reports why
        self._held[path] = file, {self}
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise Error(f"{shown(path)}: another run writes this file: name another one") from None
        except OSError:
            pass  # a file system without locks

    def close(self) -> None:
        for path, (file, claims) in list(self._held.items()):
            claims.discard(self)
            if not claims:
                os.close(file)
                del self._held[path]


def hash_of(name: Path_) -> str:
    """Of what is in the file. Read once a process, as long as its size, time and inode stay."""
    try:
        stat = os.stat(name)
    except OSError as e:
        raise Error(f"{name}: {e.strerror}: name a file that can be read") from None
    key = os.path.abspath(name), stat.st_size, stat.st_mtime_ns, stat.st_ino
    if key not in _hashes:
        _hashes[key] = _memsim.hash_of_file(os.fspath(name))
    return _hashes[key]


def hashes_of(names: Iterable[Path_]) -> list[tuple[str, str]]:
    """[(absolute path, hash)]."""
    return [(os.path.abspath(name), hash_of(name)) for name in names]


def refuse_changed(before: Iterable[tuple[str, str]], now: Iterable[tuple[str, str]], remedy: str) -> None:
    """Names the first of two lists' files that is not in both or has changed, as one sentence."""
    then, present = dict(before), dict(now)
    for name in sorted(then.keys() | present.keys()):
        if then.get(name) != present.get(name):
            what = (
                "is read now and was not when the checkpoint was written"
                if name not in then
                else "is no longer read"
                if name not in present
                else "has changed since the checkpoint was written"
            )
            raise Error(f"{name} {what}: {remedy}")


def shown(path: str) -> str:
    """A path as people like it: from here, if it lies below."""
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


@contextlib.contextmanager
def replacing(path: Path_, mode: str = "w") -> Iterator[IO[Any]]:
    """The file that takes the place of `path` when all is written; until then what stood there stays whole."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)


def os_error(act: Callable[[], T], path: object) -> T:
    """Does it, or says in one sentence why the file system would not."""
    try:
        return act()
    except OSError as e:
        raise Error(f"{path}: {e.strerror}: name a place that can be written") from None
