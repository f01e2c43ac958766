"""Calls that use a machine."""
import functools
import os
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ..errors import user_error


class _InProcess(Protocol):
    _process: int  # that built the machine
    _in_use: threading.Lock


P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M", bound=_InProcess)


def exclusive(method: Callable[Concatenate[M, P], T]) -> Callable[Concatenate[M, P], T]:
    """A call that uses the machine: one at a time, in the process that built it; otherwise it raises Error."""
    name = method.__name__.strip("_")

    @functools.wraps(method)
    def call(self: M, /, *arguments: P.args, **named: P.kwargs) -> T:
        if self._process != os.getpid():
            raise user_error(
                f"{name}: this machine was built in process {self._process}, and this "
                "process is a fork of that one: build machines after the fork"
            )
        if not self._in_use.acquire(blocking=False):
            raise user_error(
                f"{name}: another call uses this machine, such as a simulate() in "
                "another thread: wait until it has returned"
            )
        try:
            return method(self, *arguments, **named)
        finally:
            self._in_use.release()

    return call
