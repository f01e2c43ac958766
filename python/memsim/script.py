"""The script that runs: where it is, what it consists of, and whether it has changed."""
import hashlib
import os
import sys
from pathlib import Path

from .errors import PACKAGE, Error


def hash_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class Script:
    """The path, arguments, directory and files of the script now running as __main__."""

    def __init__(self):
        name = getattr(sys.modules["__main__"], "__file__", None)
        self.path = os.path.abspath(name) if name and os.path.isfile(name) else None
        self.name, self.argv, self.cwd = sys.argv[0], sys.argv[1:], os.getcwd()
        self._hashes = {}
        self.files()

    def files(self):
        """File -> hash of the script and of the modules below its directory, as first seen."""
        if self.path is None:
            return {}
        below = os.path.dirname(self.path) + os.sep
        for module in [None, *sys.modules.values()]:
            name = getattr(module, "__file__", None) if module else self.path
            if not name or name in self._hashes:
                continue
            full = os.path.abspath(name)
            if full == self.path or (full.startswith(below) and not full.startswith(PACKAGE) and
                                     full.endswith(".py")):
                self._hashes.setdefault(full, hash_of(full))
        return self._hashes


def check_unchanged(script):
    """Refuses a script that is no longer what it was when its checkpoint was written."""
    if not script.path:
        raise Error("this checkpoint was written without a script: open it in Python with "
                    "memsim.restore(FILE)")
    for name, expected in [(script.path, script.hash), *script.modules]:
        if not os.path.isfile(name):
            raise Error(f"{name}: the checkpoint's script needs this file and it is gone: put it "
                        "back, or open the checkpoint in Python with memsim.restore(FILE)")
        if hash_of(name) != expected:
            raise Error(f"{name} has changed since the checkpoint was written: restore the file as "
                        "it was, or open the checkpoint in Python with memsim.restore(FILE)")
