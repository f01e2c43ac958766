"""Configurations of runs that are known without their processes.

A process that a study starts keeps, in OUTDIR/known/, the configuration of its machine, and the files and directories
that it had read when the machine was built. The configuration follows from them and from the command, because scripts
of memsim read neither clocks nor the environment. While they are unchanged, the command has that configuration.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence

from .. import _memsim
from ..errors import PACKAGE, Error
from ..files import hash_of, hash_of_text, replacing

ASKED = "MEMSIM_KNOWN"  # environment variable: a study asks for the record
STANDARD = os.path.dirname(os.__file__) + os.sep  # Python's own modules, which its version identifies
INSTALLED = "site-packages", "dist-packages"
# Events of sys.addaudithook(): their first argument is what is read, or the process depends on more than files.
READING = {"open", "os.listdir", "os.scandir", "sqlite3.connect"}
UNKNOWN = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "socket.connect", "subprocess.Popen"}
DECIDING = "PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTHONSAFEPATH", "PYTHONUTF8"  # environment variables

_reads: set[str] | None = None  # paths read so far; None: they are not recorded
_words: list[str] = []  # the command


def begin(words: Sequence[str]) -> None:
    """Records what this process reads from now on, if a study asks for it. `words` are the arguments of memsim."""
    global _reads, _words
    if os.environ.pop(ASKED, None):
        _reads, _words = set(), list(words)
        sys.addaudithook(_note)


def keep(outdir: str, configuration: str, inputs: Iterable[str], database: str) -> None:
    """Keeps the configuration of the machine that was built, and ends the record. inputs: the machine's files."""
    global _reads
    if _reads is None:
        return
    reads, _reads = _reads, None
    modules = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    paths = {os.path.abspath(path) for path in {*reads, *modules, *inputs} if path}
    paths = {path for path in paths if not _decides_nothing(path, database)}
    marks = {path: _mark(path) for path in sorted(paths)}
    if "" in reads or None in marks.values():
        return  # the process depended on more than files
    file = _file_of(outdir, _words)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with replacing(file) as f:
        json.dump({"configuration": configuration, "build": _memsim.build_id(), "marks": marks}, f)


def configuration_of(outdir: str, words: Sequence[str]) -> str | None:
    """The configuration of a command's machine, if it is known and nothing that it follows from has changed."""
    try:
        with open(_file_of(outdir, words)) as f:
            kept = json.load(f)
        if kept["build"] == _memsim.build_id() and all(_mark(path) == mark for path, mark in kept["marks"].items()):
            return str(kept["configuration"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # the process finds out
    return None


def _note(event: str, arguments: tuple[object, ...]) -> None:
    """An event of this process."""
    if _reads is None:
        return
    if event in UNKNOWN:
        _reads.add("")
    elif event in READING:
        path = arguments[0] if arguments[0] is not None else "."
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_ACCMODE == os.O_WRONLY
        if isinstance(path, str | bytes | os.PathLike) and not writes:
            _reads.add(os.path.abspath(os.fsdecode(path)))


def _decides_nothing(path: str, database: str) -> bool:
    """Whether a file is the database of results, a compiled module, which its source identifies, or of Python."""
    own = path.startswith(STANDARD) and not any(name in path for name in INSTALLED)
    return own or path.startswith(database) or f"{os.sep}__pycache__" in path


def _mark(path: str) -> str | None:
    """The contents of a file, or the names in a directory; '' if it does not exist; None if it cannot be read."""
    try:
        if os.path.isdir(path):
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")
            return "names " + hash_of_text(json.dumps(names))
        if path.endswith(".so"):
            stat = os.stat(path)
            return f"file {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"
        if os.path.isfile(path):
            return hash_of(path)
        return None if os.path.exists(path) else ""
    except (OSError, Error):
        return None


def _file_of(outdir: str, words: Sequence[str]) -> str:
    """The file that keeps the configuration of a command in this process's circumstances."""
    python = {name: os.environ.get(name) for name in DECIDING}
    ours = os.path.dirname(PACKAGE.rstrip(os.sep))
    users = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder not in ("", ours)]
    what = [list(words), os.getcwd(), sys.version, python, users]
    return os.path.join(outdir, "known", hash_of_text(json.dumps(what)) + ".json")
