"""Progress of a long run: simulated time, wall time, rate, the launch and its blocks, the time left."""
import dataclasses
import re
import sys
import time
from collections.abc import Iterable

from .. import _memsim
from ..errors import legible

EVERY = 1.0  # s between two lines
MOST_WAITS = 20  # maximum number of lines about waiting components


def duration(seconds: float) -> str:
    """A readable duration: '2h05m', '3m07s'."""
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}h{minutes % 60:02}m" if minutes >= 60 else f"{minutes}m{seconds:02}s"


def simulated(tick: int | float) -> str:
    """A readable time with four digits: '12.35us'."""
    for unit, scale in (("s", 10**15), ("ms", 10**12), ("us", 10**9), ("ns", 10**6), ("ps", 10**3)):
        if tick >= scale:
            return f"{tick / scale:.4g}{unit}"
    return f"{tick}fs"


def grouped(warnings: Iterable[str]) -> list[str]:
    """The warnings of a machine, in order. Those that are equal except for indices become one line with [*] and their
    number."""
    alike: dict[str, list[str]] = {}
    for warning in warnings:
        alike.setdefault(re.sub(r"\[\d+\]", "[*]", warning), []).append(warning)
    return [same[0] if len(same) == 1 else f"{pattern} ({len(same)} alike)" for pattern, same in alike.items()]


@dataclasses.dataclass
class Work:
    """A piece of work with a known end, as reported by a component."""

    what: str
    unit: str
    done: int
    all: int
    last: bool  # the run ends with this work
    left: float | None = None  # seconds, at the rate since the work was first seen

    @property
    def share(self) -> float:
        """The completed part, from 0 to 1."""
        return self.done / self.all if self.all else 1.0

    def __str__(self) -> str:
        return f"{self.what}, {self.done} of {self.all} {self.unit}"


class Progress:
    """Progress of a machine's simulate() calls, printed to stderr.

    verbosity  -1: nothing; 0: a line on a terminal; 1: lines also elsewhere
    """

    def __init__(self, machine: _memsim.Machine, verbosity: int) -> None:
        self._machine, self._verbosity = machine, verbosity
        self._seen: dict[str, tuple[float, int]] = {}  # work -> (time when first seen, amount done then)
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._on = verbosity > 0 or (verbosity == 0 and self._terminal)
        self._open = False

    def begin(self, limit: int) -> None:
        """Starts the display for a simulate() that ends at the tick `limit`; `never`: no limit."""
        self.start, self.limit = self._machine.now, limit
        self.began = self._shown = time.monotonic()

    def wall(self) -> float:
        """Seconds of this simulate()."""
        return max(time.monotonic() - self.began, 1e-9)

    def rate(self) -> float:
        """Simulated femtoseconds per second."""
        return (self._machine.now - self.start) / self.wall()

    def work(self) -> list[Work]:
        """The work in progress, each with an estimate of the remaining time."""
        found, now = [Work(**work) for work in self._machine.work], time.monotonic()
        self._seen = {w.what: self._seen.get(w.what, (now, w.done)) for w in found}
        for w in found:
            since, before = self._seen[w.what]
            if w.done > before and now > since:
                w.left = (w.all - w.done) * (now - since) / (w.done - before)
        return found

    def left(self, work: list[Work]) -> tuple[float, str] | None:
        """(seconds, of what) until the end of the run, or of the launch if no more is known; or None."""
        ends = [(self.limit - self._machine.now) / self.rate()] if self.limit != _memsim.never and self.rate() else []
        last = [w.left for w in work if w.last]
        if last and None not in last:
            ends.append(max(filter(None, last), default=0.0))
        if ends:
            return min(ends), "at most"
        launch = _least([w for w in work if not w.last])
        return (launch.left, "of this launch") if launch and launch.left is not None else None

    def line(self) -> str:
        """The line of progress."""
        text = (
            f"memsim: {simulated(self._machine.now)} simulated in {duration(self.wall())}, "
            f"{simulated(self.rate())} a second"
        )
        work = self.work()
        if under_way := _least([w for w in work if not w.last]) or _least(work):
            text += f"; {under_way}"
        if left := self.left(work):
            text += f"; {duration(left[0])} left {left[1]}"
        return text

    def status(self) -> str:
        """The line of progress, and the components that wait."""
        waits = self._machine.wait_report()
        more = [f"and {len(waits) - MOST_WAITS} more"] if len(waits) > MOST_WAITS else []
        return "\n  ".join([self.line(), *waits[:MOST_WAITS], *more])

    def show(self) -> None:
        """Prints the line if it is due."""
        if self._on and time.monotonic() - self._shown >= EVERY:
            self._shown = time.monotonic()
            self._open = self._terminal
            print(
                ("\r\033[K" if self._terminal else "") + self.line(),
                file=sys.stderr,
                end="" if self._terminal else "\n",
                flush=True,
            )

    def print_message(self, text: str) -> None:
        """Prints a line below the line of progress, unless output is quiet."""
        self.close()
        if self._verbosity >= 0:
            print(f"memsim: {legible(text)}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Ends the line of progress."""
        if self._open:
            print("\r\033[K", file=sys.stderr, end="", flush=True)
            self._open = False


def _least(work: Iterable[Work]) -> Work | None:
    """The work with the smallest share done, for which the others wait."""
    by_share = sorted(work, key=lambda w: w.share)
    return by_share[0] if by_share else None
