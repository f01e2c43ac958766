"""Types of arguments of the command line: parsers of their texts."""

import argparse
import re
from collections.abc import Callable

from . import _memsim
from .errors import Error, did_you_mean

WALL_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}  # in seconds
MOST_HOURS = 8760  # of a wall period: a year


def whole(least: int, most: int = 2**64 - 1) -> Callable[[str], int]:
    """A type of argument: a whole number from `least` to `most`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text[:30]) <= most):
            open_end = most == 2**64 - 1 and len(text) < len(str(most))
            upward = f"of at least {least}" if open_end else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is not an integer {upward}")
        return int(text)

    return read


def ticks(text: str) -> int:
    """A type of argument: femtoseconds of '4us'."""
    try:
        femtoseconds: int = _memsim.ticks(text)
    except Error as e:
        raise argparse.ArgumentTypeError(str(e)) from None
    if femtoseconds < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is before the start of the run, at 0")
    return femtoseconds


def period(text: str) -> int:
    """A type of argument: a time that is longer than 0."""
    at = ticks(text)
    if at <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no period: it must be longer than 0")
    return at


def wall_period(text: str) -> float:
    """A type of argument: seconds of real time of '600s' or '2h'."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?) ?(\w+)", text, re.ASCII)
    if not found or found[2] not in WALL_UNITS:
        raise argparse.ArgumentTypeError(f"'{text}' is no real time: write a number and {', '.join(WALL_UNITS)}")
    seconds = float(found[1]) * WALL_UNITS[found[2]]
    if not 0 < seconds <= MOST_HOURS * WALL_UNITS["h"]:
        raise argparse.ArgumentTypeError(f"'{text}' is no period: it must be longer than 0 and at most {MOST_HOURS}h")
    return seconds


def file_size(text: str) -> int:
    """A type of argument: the bytes of '64MiB', the largest size of a timeline."""
    try:
        size = int(_memsim.bytes(text))
    except Error as e:
        raise argparse.ArgumentTypeError(str(e)) from None
    if size < 1024:
        raise argparse.ArgumentTypeError(f"'{text}' is less than a timeline's first lines need: give 1KiB or more")
    return size


def flags(text: str) -> list[str]:
    """A type of argument: the names of the flags that are enabled after 'A,-B' was read from left to right."""
    known, on = [name for name, _ in _memsim.debug_flags()], dict[str, bool]()
    for word in text.split(","):
        name = word.removeprefix("-")
        if name != "All" and name not in known:
            raise argparse.ArgumentTypeError(
                f"there is no debug flag '{name}'{did_you_mean(name, ['All', *known])}; --debug-help lists them"
            )
        on.update(dict.fromkeys(known if name == "All" else [name], not word.startswith("-")))
    return [name for name, is_on in on.items() if is_on]
