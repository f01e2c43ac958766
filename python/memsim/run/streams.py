"""Standard streams that are closed, full, or read by nobody any more."""
import contextlib
import io
import os
import signal
import sys


class Named(io.TextIOWrapper):
    """A standard stream whose errors carry its name, so that they are told from a script's own."""

    def write(self, text):
        try:
            return super().write(text)
        except OSError as e:
            e.filename = self.name
            raise

    def flush(self):
        try:
            super().flush()
        except OSError as e:
            e.filename = self.name
            raise


stdout_was_closed = False


def prepare():
    """Opens /dev/null where a stream is closed, so that no database or checkpoint gets its number and
    what is printed. As in Python, what a script prints is dropped then."""
    global stdout_was_closed
    stdout_was_closed = sys.stdout is None
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))
    for name in ("stdout", "stderr"):
        old = getattr(sys, name)
        how = {key: getattr(old, key) for key in ("encoding", "errors", "line_buffering", "write_through")}
        new = Named(old.detach(), **how)
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def is_of_a_stream(error):
    return isinstance(error, OSError) and error.filename in (sys.stdout.name, sys.stderr.name)


def give_up(error):
    """After an error of a stream: says so if it can, drops what is left, and returns the exit code."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    reader_left = isinstance(error, BrokenPipeError)  # `memsim ... | head`
    if not reader_left:
        with contextlib.suppress(OSError):
            print(f"memsim: stdout: {error.strerror}: what was printed there is not whole", file=sys.stderr)
    os.dup2(null, sys.stderr.fileno())
    return 128 + signal.SIGPIPE if reader_left else 1  # 141 is what a shell says of other programs
