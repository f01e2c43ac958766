"""The command line: `memsim [options] script.py arguments` and `memsim SUBCOMMAND`."""

import errno
import os
import sys

from .. import _memsim
from ..errors import IN_USE, Error, InUse, Panic, legible, utf8
from ..run import signals, streams
from ..run.start import USER_ERROR
from .subcommands import SUBCOMMANDS

OUR_BUG = 70  # sysexits' EX_SOFTWARE
REMEDIES = {  # of file errors that no command explains
    errno.ENOENT: "name a file or directory that exists",
    errno.ENOSPC: "free some space, or name another place",
    errno.EDQUOT: "free some space, or name another place",
    errno.EMFILE: "allow more open files (ulimit -n)",
}


def main(argv: list[str]) -> int:
    """Returns the exit code. A mistake of the user gives one sentence; a mistake of memsim asks for a report."""
    try:
        exit_code = _guarded(argv)
        sys.stdout.flush()
        return exit_code
    except OSError as e:
        if not streams.is_of_a_stream(e):
            raise
        return int(streams.give_up(e))


def _guarded(argv: list[str]) -> int:
    try:
        try:
            return _main(argv)
        except RuntimeError as e:
            raise signals.raised_by_handler(e)
    except SystemExit as e:  # of a script or of argparse
        if e.code is None or isinstance(e.code, int):
            return e.code or 0
        print(e.code, file=sys.stderr)
        return USER_ERROR
    except InUse as e:
        return _fail(e, IN_USE)
    except Error as e:
        return _fail(e, USER_ERROR)
    except Panic as e:
        return _fail(e, OUR_BUG)
    except MemoryError:
        return _fail(_memsim.out_of_memory(), USER_ERROR)
    except OSError as e:  # of a file of ours: the script's own errors end in the script
        if streams.is_of_a_stream(e):
            raise
        where = f"{os.fspath(e.filename)}: " if isinstance(e.filename, str | os.PathLike) else ""
        remedy = REMEDIES.get(e.errno or 0, "name another file, or change its permissions")
        return _fail(f"{where}{e.strerror or e}: {remedy}", USER_ERROR)
    except KeyboardInterrupt:
        return _fail("interrupted", 130)


def _fail(what: object, exit_code: int) -> int:
    sys.stdout.flush()
    print(f"memsim: {legible(str(what))}", file=sys.stderr)
    return exit_code


def _main(argv: list[str]) -> int:
    for text in argv:
        utf8(text, "the argument")
    try:
        os.getcwd()
    except FileNotFoundError:
        raise Error("the current directory was removed: change to another one, then start memsim again") from None
    signals.install_handlers(signals.OF_A_RUN)
    signals.end_with_parent()
    if argv[:1] == ["help"]:  # of memsim, of a subcommand or of a script
        argv = [*argv[1:], "--help"]
    if argv and argv[0] in SUBCOMMANDS:
        signals.unblock()
        if streams.stdout_was_closed:
            raise Error(f"stdout is closed: memsim {argv[0]} has nowhere to print")
        return SUBCOMMANDS[argv[0]].run(argv[1:])
    _memsim.limit_memory(True)
    with signals.handled():
        from . import script  # not needed by subcommands

        return script.main(argv)
