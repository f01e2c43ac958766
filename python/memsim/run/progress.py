"""How far a long run is: simulated time, wall time, rate, the launch and its blocks, the time left."""
import dataclasses
import sys
import time

from .. import _memsim

EVERY = 1.0  # seconds
MOST_WAITS = 20  # lines of who waits for whom


def duration(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}h{minutes % 60:02}m" if minutes >= 60 else f"{minutes}m{seconds:02}s"


def simulated(tick):
    """A time to about four digits, for people."""
    for unit, scale in (("s", 10**15), ("ms", 10**12), ("us", 10**9), ("ns", 10**6), ("ps", 10**3)):
        if tick >= scale:
            return f"{tick / scale:.4g}{unit}"
    return f"{tick}fs"


@dataclasses.dataclass
class Work:
    """A piece of work with a known end, as a component tells it; `last`: the run ends with it."""

    what: str
    unit: str
    done: int
    all: int
    last: bool
    left: float | None = None  # seconds, by what was done since it was first seen

    @property
    def share(self):
        return self.done / self.all if self.all else 1.0

    def __str__(self):
        return f"{self.what}, {self.done} of {self.all} {self.unit}"


class Progress:
    """Of a machine's simulate(), which begins each time from where the machine stands."""

    def __init__(self, machine, verbosity):
        self._machine = machine
        self._seen = {}  # what -> (when it was first seen, what was done then)
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._on = verbosity > 0 or (verbosity == 0 and self._terminal)
        self._open = False

    def begin(self, limit):
        """`never` is no limit."""
        self.start, self.limit = self._machine.now, limit
        self.began = self._shown = time.monotonic()

    def wall(self):
        return max(time.monotonic() - self.began, 1e-9)

    def rate(self):
        """Simulated femtoseconds a second."""
        return (self._machine.now - self.start) / self.wall()

    def work(self):
        """What is under way, each with the time that it will take."""
        found, now = [Work(**work) for work in self._machine.work], time.monotonic()
        self._seen = {w.what: self._seen.get(w.what, (now, w.done)) for w in found}
        for w in found:
            since, before = self._seen[w.what]
            if w.done > before and now > since:
                w.left = (w.all - w.done) * (now - since) / (w.done - before)
        return found

    def left(self, work):
        """(seconds, of what) until the end, or until that of the launch where no more is known; or None."""
        ends = [(self.limit - self._machine.now) / self.rate()] if self.limit != _memsim.never and self.rate() else []
        last = [w for w in work if w.last]
        if last and all(w.left is not None for w in last):
            ends.append(max(w.left for w in last))
        if ends:
            return min(ends), "at most"
        launch = _least([w for w in work if not w.last])
        return (launch.left, "of this launch") if launch and launch.left is not None else None

    def line(self):
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

    def status(self):
        """The line, and who waits for whom."""
        waits = self._machine.wait_report()
        more = [f"and {len(waits) - MOST_WAITS} more"] if len(waits) > MOST_WAITS else []
        return "\n  ".join([self.line(), *waits[:MOST_WAITS], *more])

    def show(self):
        if self._on and time.monotonic() - self._shown >= EVERY:
            self._shown = time.monotonic()
            self._open = self._terminal
            print(
                ("\r\033[K" if self._terminal else "") + self.line(),
                file=sys.stderr,
                end="" if self._terminal else "\n",
                flush=True,
            )

    def close(self):
        """Ends the line, so that what follows stands on its own."""
        if self._open:
            print("\r\033[K", file=sys.stderr, end="", flush=True)
            self._open = False


def _least(work):
    """The one that is least far: the others wait for it."""
    return min(work, key=lambda w: w.share, default=None)
