"""The running script: its path, its files, and whether they have changed."""
import ast
import importlib.util
import json
import marshal
import math
import os
import struct
import sys
from collections.abc import Iterator
from typing import Any

from .. import _memsim
from ..errors import PACKAGE, Error, user_error
from ..files import hash_of
from .session import session


class Script:
    """The path, arguments, directory and files of the script that runs as __main__. `path` is None in a notebook, at a
    prompt and in commands of memsim."""

    def __init__(self) -> None:
        name = getattr(sys.modules["__main__"], "__file__", None)
        path = os.path.abspath(name) if name and os.path.isfile(name) else None
        self.path = None if path and path.startswith(PACKAGE) else path
        # A script may change sys.argv; one that it runs by runpy has arguments of its own.
        self.name, *self.argv = session.argv if path and path == session.script else sys.argv
        self.cwd = session.cwd or os.getcwd()
        self._hashes: dict[str, str] = {}  # of all files
        self._run: set[str] = set()  # files whose modules Python has run
        self.files()

    def files(self) -> dict[str, str]:
        """File -> hash, as first seen, of the script, of the loaded modules below its directory, and of the modules
        there that any of these imports by a statement. Raises Error if Python has run a stale compiled file."""
        if self.path is None:
            return {}
        below = os.path.dirname(self.path) + os.sep
        for module in list(sys.modules.values()):
            name = getattr(module, "__file__", None)
            full = os.path.abspath(name) if name else ""
            if (
                full.startswith(below)
                and not full.startswith(PACKAGE)
                and full.endswith((".py", ".pyc"))
                and full not in self._run
            ):
                self._run.add(full)
                _refuse_stale(full, getattr(module, "__cached__", None))
                self._add_with_imports(full, below)
        self._add_with_imports(self.path, below)
        return self._hashes

    def _add_with_imports(self, file: str, below: str) -> None:
        if file not in self._hashes:
            self._hashes[file] = hash_of(file)
            for other in _imported(file, below):
                self._add_with_imports(other, below)


def _imported(file: str, below: str) -> Iterator[str]:
    """The modules below a directory that the source of `file` imports anywhere."""
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        folder = below
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            for _ in range(node.level):  # one dot is the folder of the file
                folder = os.path.dirname(file if folder is below else folder)
            names = [f"{node.module or ''}.{alias.name}".strip(".") for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            for n in range(1, len(parts) + 1):
                for ending in (".py", os.sep + "__init__.py"):
                    module = os.path.join(folder, *parts[:n]) + ending
                    if module.startswith(below) and not module.startswith(PACKAGE) and os.path.isfile(module):
                        yield module


def _refuse_stale(file: str, cached: str | None) -> None:
    """Raises Error if Python has run a compiled file with the time and size of the source but with other code."""
    if not cached:
        return
    try:
        with open(cached, "rb") as compiled, open(file, "rb") as source:
            magic, flags, time, size = struct.unpack("<4sIII", compiled.read(16))
            stat = os.fstat(source.fileno())
            if (magic, flags, time, size) != (
                importlib.util.MAGIC_NUMBER,
                0,
                int(stat.st_mtime) & 0xFFFFFFFF,
                stat.st_size & 0xFFFFFFFF,
            ):
                return  # Python has compiled the source
            same = marshal.loads(compiled.read()) == compile(source.read(), file, "exec", dont_inherit=True)
    except (OSError, TypeError, ValueError, EOFError, SyntaxError, struct.error):
        return
    if not same:
        raise Error(
            f"{file}: Python has run {cached}, which was compiled from a different version of the file: "
            "delete it and start again"
        )


def arguments_as_json(arguments: Any) -> str:
    """The arguments that a script made its machine from, as JSON; '' if there are none. NaN and infinity, which SQLite
    does not know, and values that JSON does not know become text. Raises Error if they have no names."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    try:
        named = dict(arguments) if isinstance(arguments, dict) else vars(arguments)
    except TypeError:
        raise user_error(f"arguments: {arguments!r} is neither argparse's namespace nor a dict of names") from None
    return json.dumps(_finite({str(name): value for name, value in named.items()}), default=str)


def _finite(value: Any) -> Any:
    """The value with numbers that JSON does not have replaced."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {str(name): _finite(v) for name, v in value.items()}
    return [_finite(v) for v in value] if isinstance(value, list | tuple) else value


def package_files() -> dict[str, str]:
    """File -> hash of memsim's own Python modules that decide what a run does: all of model/ and run/, which are loaded
    at their first use, and the loaded ones of other folders. Modules of commands and results decide nothing."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    names = {os.path.abspath(file) for file in files if file}
    for folder in ("model", "run"):
        names |= {entry.path for entry in os.scandir(PACKAGE + folder)}
    return {
        name.removeprefix(PACKAGE): hash_of(name)
        for name in sorted(names)
        if name.startswith(PACKAGE)
        and name.endswith(".py")
        and not name.removeprefix(PACKAGE).startswith(("cli" + os.sep, "results" + os.sep))
    }


def changed_behaviour(saved: _memsim.Checkpoint) -> str:
    """The first part of memsim that has changed since the checkpoint was written; '' if none has."""
    if saved.build != _memsim.build_id():
        return "memsim's compiled module"
    for name, expected in saved.script.package:
        if not os.path.isfile(PACKAGE + name) or hash_of(PACKAGE + name) != expected:
            return f"memsim/{name}"
    return ""


def check_unchanged(script: _memsim.Script) -> None:
    """Raises Error if a checkpoint has no script or if its script has changed."""
    if not script.path:
        raise Error("this checkpoint was written without a script: open it in Python with memsim.restore(FILE)")
    for name, expected in [(script.path, script.hash), *script.modules]:
        if not os.path.isfile(name):
            raise Error(
                f"{name}: the checkpoint's script needs this file, which is missing: restore "
                "it, or open the checkpoint in Python with memsim.restore(FILE)"
            )
        if hash_of(name) != expected:
            raise Error(
                f"{name} has changed since the checkpoint was written: restore the file as "
                "it was, or open the checkpoint in Python with memsim.restore(FILE)"
            )
