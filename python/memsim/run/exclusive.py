"""Calls that use a machine."""
import functools
import os
import threading
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ..errors import user_error
from .session import session


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


def of_open_run(method: Callable[Concatenate[M, P], T]) -> Callable[Concatenate[M, P], T]:
    """An exclusive call that adds to the results of a run. After the run's end it raises Error."""
    name = method.__name__.strip("_")

    @functools.wraps(method)
    def call(self: M, /, *arguments: P.args, **named: P.kwargs) -> T:
        open_runs: Sequence[object] = session.open
        if self not in open_runs:
            raise user_error(f"{name}: this run has ended: call it before close() or in the `with` block")
        return method(self, *arguments, **named)

    return exclusive(call)
