"""Times given by a script, and the result of simulate()."""
from typing import SupportsIndex

from .. import _memsim
from ..errors import Error, check_text, user_error
from ..model.units import Time


class Event:
    """Why and when simulate() returned."""

    cause: str
    tick: int  # femtoseconds

    def __init__(self, cause: str, tick: int) -> None:
        self.cause, self.tick = cause, tick

    def getCause(self) -> str:
        """Why simulate() returned, such as 'simulate() limit reached'."""
        return self.cause

    def __repr__(self) -> str:
        return f"<{self.cause} at {_memsim.show_ticks(self.tick)}>"


def ticks_of(duration: str | SupportsIndex | Time, what: str) -> int:
    """Femtoseconds of '200us', a Time or a whole number of femtoseconds. Raises Error, which names the call `what`."""
    if isinstance(duration, Time):
        return duration.value
    if isinstance(duration, str):
        check_text(duration, what)
        try:
            ticks: int = _memsim.ticks(duration)
            return ticks
        except Error as e:
            raise user_error(f"{what}: {e}") from None
    if isinstance(duration, bool) or not hasattr(duration, "__index__"):
        raise user_error(f"{what}: {duration!r} is no time: write '200us', a units.Time or whole femtoseconds")
    return int(duration)
