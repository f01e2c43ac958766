"""Calls that use a machine."""
import functools
import os

from ..errors import user_error


def exclusive(method):
    """A call that uses the machine: one at a time, in the process that built it."""
    name = method.__name__.strip("_")

    @functools.wraps(method)
    def call(self, *arguments, **named):
        if self._process != os.getpid():
            raise user_error(
                f"{name}: this machine was built in process {self._process}, and this "
                "process is a fork of that one: build machines after the fork"
            )
        if not self._in_use.acquire(blocking=False):
            raise user_error(
                f"{name}: another call uses this machine, such as a simulate() in "
                "another thread: wait until it has come back"
            )
        try:
            return method(self, *arguments, **named)
        finally:
            self._in_use.release()

    return call
