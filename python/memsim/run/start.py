"""Runs a user's script as __main__. Its runs end with it."""
import ast
import os
import signal
import sys
import traceback
import types

from . import children, signals, streams
from .ending import is_success
from .session import session
from ..model import schema
from ..errors import PACKAGE, Error, Panic, did_you_mean, legible
from ..files import check_regular, kind_of

USER_ERROR = 1  # the exit code
SAID_OF = {  # files of these kinds, where a script is expected
    "a checkpoint": "a checkpoint: memsim --restore {} continues it",
    "a database": "a database of results: memsim sql {0} QUERY queries it, memsim report {0} makes a page of it",
}


def run_script(script: str, arguments: list[str], interactive: bool = False) -> int:
    """Runs a script file with arguments, and with `interactive` a prompt after it; returns the exit code.

    Raises the exception that ends the script if it is an error of memsim, an exit, an interrupt or of a stream.
    """
    source = _read_script(script)
    session.script, session.cwd, session.argv = os.path.abspath(script), os.getcwd(), [script, *arguments]
    main_module = types.ModuleType("__main__")
    main_module.__file__ = session.script
    vars(main_module)["__builtins__"] = __builtins__
    sys.modules["__main__"] = main_module
    sys.argv = list(session.argv)
    sys.path.insert(0, os.path.dirname(session.script))
    error: BaseException | None = None
    try:
        with signals.handled():
            # PYTHONOPTIMIZE=2 would remove the docstring, which scripts show as their --help.
            optimize = min(sys.flags.optimize, 1)
            exec(compile(source, script, "exec", optimize=optimize), main_module.__dict__)
            if interactive:
                import code  # at its first use

                code.interact(local=main_module.__dict__, exitmsg="")
            signals.obey()
    except BaseException as e:
        error = signals.raised_by_handler(e)
        if isinstance(error, SystemExit) and error.code == 128 + signal.SIGTERM:
            children.terminate()
    try:
        session.close_all(error)
    except Error as e:
        if is_success(error):
            raise
        print(f"memsim: {legible(str(e))}", file=sys.stderr)
    if error is None:
        return 0
    if isinstance(error, SystemExit | Error | Panic | KeyboardInterrupt | MemoryError) or streams.is_of_a_stream(error):
        raise error
    if isinstance(error, ImportError) and (explained := schema.explain_import(error)):
        raise explained from None
    sys.stdout.flush()
    sys.stderr.write("".join(_trimmed(traceback.TracebackException.from_exception(error)).format()))
    return USER_ERROR


def prompt() -> None:
    """A Python prompt without a script. Its runs end with it, whatever failed before."""
    import code  # at its first use

    main_module = types.ModuleType("__main__")
    vars(main_module)["memsim"] = sys.modules[__name__.partition(".")[0]]
    sys.modules["__main__"] = main_module
    sys.argv = [""]
    error = None
    try:
        code.interact(local=vars(main_module), exitmsg="")
    except SystemExit as e:
        error = e
        raise
    finally:
        session.close_all(error)


def _read_script(script: str) -> bytes:
    """The source of the script. Raises Error, with a remedy, if the file is no Python script."""
    check_regular(script)
    try:
        with open(script, "rb") as f:
            source = f.read()
    except OSError as e:
        near = _similar(script) if isinstance(e, FileNotFoundError) else ""
        raise Error(
            f"{script}: {e.strerror}{near}: name a script, a subcommand or --restore FILE; memsim --help lists them"
        ) from None
    if kind := SAID_OF.get(kind_of(script) or ""):
        raise Error(f"{script}: this is {kind.format(script)}")
    try:
        if b"\0" in source or not script.endswith(".py"):
            ast.parse(source)
    except (SyntaxError, ValueError) as e:
        raise Error(f"{script}: this is not a Python script ({e}): name one, such as configs/ohm_planar.py") from None
    return source


def _similar(script: str) -> str:
    """' (did you mean 'NAME'?)' with a file of the same folder whose name is similar, or ''."""
    folder, name = os.path.split(script)
    try:
        return did_you_mean(name, filter(str.isprintable, os.listdir(folder or ".")))
    except OSError:
        return ""


def _trimmed(error: traceback.TracebackException) -> traceback.TracebackException:
    """A traceback without frames of this package."""
    error.stack = traceback.StackSummary.from_list(
        [
            f
            for f in error.stack
            if not os.path.abspath(f.filename).startswith(PACKAGE) and not f.filename.startswith("<frozen")
        ]
    )
    for other in error.__cause__, error.__context__:
        if other:
            _trimmed(other)
    return error
