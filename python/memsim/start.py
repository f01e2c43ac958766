"""A user's script is started as __main__, and its runs end with it."""
import ast
import code
import os
import signal
import sys
import traceback
import types

from . import children, run, schema, signals, streams
from .errors import PACKAGE, Error, Panic, did_you_mean
from .files import check_regular

USER_ERROR = 1  # the exit code
KINDS = {  # how files begin that are taken for scripts
    b"\x89msim": "a checkpoint: memsim --restore {} goes on from it",
    b"SQLite format 3": "a database of results: memsim sql {0} QUERY asks it, memsim report {0} makes a page of it",
}


def run_script(script, arguments, interactive=False):
    source = _read(script)
    main_module = types.ModuleType("__main__")
    main_module.__file__ = script
    main_module.__builtins__ = __builtins__
    sys.modules["__main__"] = main_module
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    finished = False
    try:
        with signals.handled():
            # PYTHONOPTIMIZE=2 would take the docstring, which many a script shows as its --help.
            optimize = min(sys.flags.optimize, 1)
            exec(compile(source, script, "exec", optimize=optimize), main_module.__dict__)
            if interactive:
                code.interact(local=main_module.__dict__, exitmsg="")
            signals.obey()
        finished = True
    except SystemExit as e:
        finished = e.code in (None, 0)
        if e.code == 128 + signal.SIGTERM:
            children.terminate()
        raise
    except (Error, Panic, KeyboardInterrupt):
        raise
    except BaseException as e:
        if streams.is_of_a_stream(e):
            raise
        if isinstance(e, ImportError) and (said := schema.explain_import(e)):
            raise said from None
        sys.stdout.flush()
        sys.stderr.write("".join(_trimmed(traceback.TracebackException.from_exception(e)).format()))
        return USER_ERROR
    finally:
        run.close_all(finished)
    return 0


def _read(script):
    """What the file holds, if a script can be meant."""
    check_regular(script)
    try:
        with open(script, "rb") as f:
            source = f.read()
    except OSError as e:
        folder, name = os.path.split(script)
        near = did_you_mean(name, filter(str.isprintable, os.listdir(folder or "."))) if os.path.isdir(folder or ".") else ""
        raise Error(f"{script}: {e.strerror}{near if isinstance(e, FileNotFoundError) else ''}: name a script, a "
                    "subcommand or --restore FILE; memsim --help tells more") from None
    for begins, what in KINDS.items():
        if source.startswith(begins):
            raise Error(f"{script}: this is {what.format(script)}")
    try:
        if b"\0" in source or not script.endswith(".py"):
            ast.parse(source)
    except (SyntaxError, ValueError) as e:
        raise Error(f"{script}: this is no Python script ({e}): name one, such as configs/ohm_planar.py") from None
    return source


def _trimmed(error):
    """A traceback without our frames."""
    if error is not None:
        error.stack = traceback.StackSummary.from_list(
            [f for f in error.stack if not os.path.abspath(f.filename).startswith(PACKAGE) and
             not f.filename.startswith("<frozen")])
        _trimmed(error.__cause__)
        _trimmed(error.__context__)
    return error
