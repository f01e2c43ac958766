"""Standard streams that are closed, full, or not read any more."""
import contextlib
import io
import os
import signal
import sys
from typing import TypeGuard


class Named(io.TextIOWrapper):
    """A standard stream whose errors carry its name, which distinguishes them from the script's own."""

    def write(self, text: str) -> int:
        """Writes the text; an OSError carries the stream's name."""
        try:
            return super().write(text)
        except OSError as e:
            e.filename = self.name
            raise

    def flush(self) -> None:
        """Flushes; an OSError carries the stream's name."""
        try:
            super().flush()
        except OSError as e:
            e.filename = self.name
            raise


stdout_was_closed = False  # when the process began


def prepare() -> None:
    """Opens /dev/null for each closed stream. Otherwise a database or checkpoint could get the number of the stream,
    and the text that is printed."""
    global stdout_was_closed
    stdout_was_closed = sys.stdout is None
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # uses the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))
    for name in ("stdout", "stderr"):
        old = getattr(sys, name)
        how = {key: getattr(old, key) for key in ("encoding", "errors", "line_buffering", "write_through")}
        new = Named(old.detach(), **how)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def is_of_a_stream(error: BaseException) -> TypeGuard[OSError]:
    """Whether an error is one of standard output or error output."""
    return isinstance(error, OSError) and error.filename in (sys.stdout.name, sys.stderr.name)


def give_up(error: OSError) -> int:
    """After an error of a stream: reports it if possible, drops the rest of the output, and returns the exit code."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    reader_left = isinstance(error, BrokenPipeError)  # `memsim ... | head`
    if not reader_left:
        with contextlib.suppress(OSError):
            print(f"memsim: stdout: {error.strerror}: what was printed there is not whole", file=sys.stderr)
    os.dup2(null, sys.stderr.fileno())
    return 128 + signal.SIGPIPE if reader_left else 1  # 141, as a shell reports for other programs
