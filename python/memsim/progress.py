"""The progress line of a long run: simulated time, wall time, rate, and the time left."""
import sys
import time

from . import _memsim

EVERY = 1.0  # seconds


def duration(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}h{minutes % 60:02}m" if minutes >= 60 else f"{minutes}m{seconds:02}s"


def simulated(tick):
    """A time to about four digits, for people."""
    for unit, scale in (("s", 10**15), ("ms", 10**12), ("us", 10**9), ("ns", 10**6), ("ps", 10**3)):
        if tick >= scale:
            return f"{tick / scale:.4g}{unit}"
    return f"{tick}fs"


class Progress:
    """Of one simulate(): from `start` to the limit, which is `never` if there is none."""

    def __init__(self, start, limit, verbosity):
        self.start, self.limit = start, limit
        self.began = self._shown = time.monotonic()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._on = verbosity > 0 or (verbosity == 0 and self._terminal)
        self._open = False

    def line(self, now):
        wall = max(time.monotonic() - self.began, 1e-9)
        rate = (now - self.start) / wall
        text = f"memsim: {simulated(now)} simulated in {duration(wall)}, {simulated(rate)} a second"
        if self.limit != _memsim.never and rate > 0:
            text += f", {duration((self.limit - now) / rate)} left at most"
        return text

    def show(self, now):
        if self._on and time.monotonic() - self._shown >= EVERY:
            self._shown = time.monotonic()
            self._open = self._terminal
            print(("\r\033[K" if self._terminal else "") + self.line(now), file=sys.stderr,
                  end="" if self._terminal else "\n", flush=True)

    def close(self):
        """Ends the line, so that what follows stands on its own."""
        if self._open:
            print("\r\033[K", file=sys.stderr, end="", flush=True)
            self._open = False
