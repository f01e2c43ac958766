"""Checks of files: kinds, files in use, hashes, safe replacement, and errors of the file system."""
import contextlib
import fcntl
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, TypeVar

from . import _memsim
from .errors import Error

try:  # hashlib would load OpenSSL
    from _sha256 import sha256  # type: ignore[import]
except ImportError:  # of another Python
    from hashlib import sha256

T = TypeVar("T")
KINDS = {  # what files are, by their first bytes
    b"\x89msim": "a checkpoint",
    b"SQLite format 3\0": "a database",
    b'[\n{"ph"': "a timeline",
}
DATABASE = "the database of results"


def check_regular(path: str | os.PathLike[str], remedy: str = "write its contents into a file") -> None:
    """Raises Error for a pipe, which waits for its other end, or a device, which may have no end.

    Directories pass: each reader refuses them with its own sentence. files::check_regular() is the same in C++.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise Error(f"{path}: is a pipe or a device: {remedy}")


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """The kind of a file by its first bytes: a value of KINDS, or None."""
    try:
        with open(path, "rb") as file:
            head = file.read(max(map(len, KINDS)))
    except OSError:
        return None  # the reader of the file reports why
    return next((what for begins, what in KINDS.items() if head.startswith(begins)), None)


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths name one file, through hard and symbolic links, whether or not it exists."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def check_output(path: str | os.PathLike[str], kind: str | None = None, used_as: Sequence[str] = ()) -> None:
    """Checks that a file may be written.

    path     the file to be written
    kind     what is written, if it is of KINDS. Such an output replaces only a file of its own kind. Any other
             output replaces neither a checkpoint nor a database.
    used_as  uses of the file that do not count

    Raises Error for a pipe, a device, a file in use, or a file of another kind.
    """
    check_regular(path, "name a file, which is made if it is not there")
    for file, what in in_use:
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


class FilesInUse:
    """The files that this process reads and writes, each by an owner such as a machine."""

    def __init__(self) -> None:
        self._named: list[tuple[object, str, str]] = []  # (owner, path, what it is)
        self._locked: dict[str, tuple[int, set[object]]] = {}  # path -> (open file, owners)

    def add(self, owner: object, path: str, what: str) -> None:
        """Until release(owner) no output may replace this file."""
        self._named.append((owner, os.path.abspath(path), what))

    def add_database(self, owner: object, path: str) -> None:
        """add() for a database and the files that SQLite and memsim keep beside it."""
        for ending in ("", "-owners", "-journal", "-wal", "-shm"):
            self.add(owner, path + ending, DATABASE)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """(path, what it is) of every file in use, the loaded Python modules included."""
        for name, module in list(sys.modules.items()):
            if file := getattr(module, "__file__", None):
                yield file, "the script" if name == "__main__" else f"the module {name}"
        for _, path, what in self._named:
            yield path, what

    def lock(self, owner: object, path: str) -> None:
        """Creates an output if it does not exist, and locks it. Owners of this process share the lock.

        Raises Error if another process holds the lock. The contents stay.
        """
        path = os.path.realpath(path)
        if path in self._locked:
            self._locked[path][1].add(owner)
            return
        if os.path.exists(path) and not os.path.isfile(path):
            return
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return  # the writer of the file reports why
        self._locked[path] = file, {owner}
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.unlock(owner)
            raise Error(f"{shown(path)}: another run writes this file: name another one") from None
        except OSError:
            pass  # a file system without locks

    def unlock(self, owner: object) -> None:
        """Ends the owner's part in its locks; a lock without owners is released."""
        for path, (file, owners) in list(self._locked.items()):
            owners.discard(owner)
            if not owners:
                os.close(file)
                del self._locked[path]

    def release(self, owner: object) -> None:
        """The owner uses its files no longer."""
        self._named = [entry for entry in self._named if entry[0] is not owner]
        self.unlock(owner)


in_use = FilesInUse()  # of this process


def hash_of(name: str | os.PathLike[str]) -> str:
    """The hash of a file's contents. A file is read again only if its size, time or inode has changed.

    Raises Error if the file cannot be read.
    """
    try:
        stat = os.stat(name)
    except OSError as e:
        raise Error(f"{os.fspath(name)}: {e.strerror}: name a file that can be read") from None
    return _hash(os.path.abspath(name), stat.st_size, stat.st_mtime_ns, stat.st_ino)


@functools.cache
def _hash(path: str, size: int, time: int, inode: int) -> str:
    found: str = _memsim.hash_of_file(path)
    return found


def hash_of_text(text: str) -> str:
    """The first 32 digits of SHA-256."""
    digits: str = sha256(text.encode()).hexdigest()
    return digits[:32]


def hashes_of(names: Iterable[str]) -> list[tuple[str, str]]:
    """[(absolute path, hash)] of these files. Raises Error if one cannot be read."""
    return [(os.path.abspath(name), hash_of(name)) for name in names]


def refuse_changed(then: Iterable[tuple[str, str]], now: Iterable[tuple[str, str]], remedy: str) -> None:
    """Raises Error, which ends in `remedy`, for the first file that differs between two lists of (path, hash)."""
    before, after = dict(then), dict(now)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            what = (
                "is read now and was not when the checkpoint was written"
                if name not in before
                else "is no longer read"
                if name not in after
                else "has changed since the checkpoint was written"
            )
            raise Error(f"{name} {what}: {remedy}")


def shown(path: str) -> str:
    """The path relative to the current directory if it is below it; otherwise the path itself."""
    try:
        near = os.path.relpath(path)
    except FileNotFoundError:  # the current directory was removed
        return path
    return path if near.startswith("..") else near


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """A new file that replaces `path` when it is complete; until then the old file stays whole."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def os_error(act: Callable[[], T], path: str | os.PathLike[str]) -> T:
    """The result of act(). Raises Error, which names `path`, if the file system refuses it."""
    try:
        return act()
    except OSError as e:
        raise Error(f"{path}: {e.strerror}: name a place that can be written") from None
