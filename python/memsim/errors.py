"""The kinds of error, and the place in the user's script that caused one."""
import functools
import os
import re
import sys
import types
from collections.abc import Callable, Collection, Iterable

from ._memsim import Error, InUse, Panic, nearest

__all__ = [
    "Error",
    "InUse",
    "OutOfRange",
    "Panic",
    "UnknownName",
    "check_known",
    "did_you_mean",
    "here",
    "legible",
    "nearest_option",
    "user_error",
    "utf8",
]

# The module makes these; what they mean to a script:
Error.__doc__ = "A mistake that the user can correct. The message is a sentence: where, what, and what to do."
InUse.__doc__ = "Another process uses the run or the database: try again later."
Panic.__doc__ = "A fault of memsim itself."

IN_USE = 75  # the exit code after InUse: sysexits' EX_TEMPFAIL
FEW_LETTERS = 3  # with which many names begin
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class UnknownName(Error, AttributeError):
    """An attribute that is no parameter, port, child or statistic."""


class OutOfRange(Error, IndexError):
    """An index past the end."""


def here() -> str:
    """'file:line' of the innermost frame outside this package."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame and (_is_own(frame.f_code.co_filename) or _is_generated(frame)):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith("<frozen"):
        return "the command line"
    name = frame.f_code.co_filename
    return f"{_short(name, os.getcwd()) if os.path.isabs(name) else name}:{frame.f_lineno}"


# Each parameter that a script sets has a place, so a machine asks for tens of thousands of places in a few files.
@functools.cache
def _is_own(file: str) -> bool:
    return os.path.abspath(file).startswith(PACKAGE)


def _is_generated(frame: types.FrameType) -> bool:
    """Whether the frame is an __init__ that dataclasses wrote for a class of this package."""
    return frame.f_code.co_filename == "<string>" and str(frame.f_globals.get("__name__")).startswith("memsim.")


@functools.cache
def _short(file: str, folder: str) -> str:
    """The path of a file relative to this folder, if it is below it."""
    short = os.path.relpath(file, folder)
    return file if short.startswith("..") else short


def user_error(what: object, where: str | None = None, kind: type[Error] = Error) -> Error:
    """An Error, or another `kind` of it, whose message begins with the place in the user's script."""
    return kind(f"{where or here()}: {what}")


def check_known(what: str, given: object, known: Collection[str]) -> None:
    """Raises Error, with the nearest known name, if `given` is not one of `known`."""
    if not isinstance(given, str) or given not in known:
        near = did_you_mean(str(given), known)
        raise user_error(f"there is no {what} '{given}'{near}: it is one of {', '.join(known)}")


def legible(text: str, keep: str = "\n") -> str:
    """The text with each byte of a control character, except those in `keep`, as \\xff.

    core/base/legible.hh is the same for errors from C++.
    """
    return re.sub(
        r"[\0-\x1f\x7f-\x9f\ud800-\udfff]",
        lambda found: found[0] if found[0] in keep else "".join(f"\\x{byte:02x}" for byte in _bytes(found[0])),
        text,
    )


def _bytes(character: str) -> bytes:
    """The bytes of a character. Half a pair of UTF-16 is a byte of a file's name, or three bytes that are no UTF-8."""
    return character.encode(errors="surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")


def utf8(text: str, what: str) -> str:
    """The text. Raises Error if it is a file name that is not UTF-8 (from os.fsdecode()): checkpoints and
    databases hold UTF-8 only."""
    try:
        text.encode()
    except UnicodeEncodeError:
        if re.search("[\ud800-\udc7f\udd00-\udfff]", text):
            check_text(text, what.removesuffix(":"), Error)
        name = os.fsencode(text).decode(errors="backslashreplace")
        raise Error(f"{what} '{name}' is not UTF-8: give the file a name, or a link to it, that is") from None
    return text


def check_text(text: str, what: str, error: Callable[[str], Error] = user_error) -> None:
    """Raises `error` if a database, a file name or C++ cannot hold the text: half a pair of UTF-16, or NUL."""
    if found := re.search("[\0\ud800-\udfff]", text):
        raise error(f"{what}: '{legible(text, keep='')}' holds the character U+{ord(found[0]):04X}: leave it out")


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """' (did you mean ...?)' with the nearest of the known names: one that differs by case, one that begins so, or one
    with few other letters; '' if none is near."""
    names, folded = list(known), wrong.casefold()
    alike = [name for name in names if name.casefold() == folded]
    if not alike and len(wrong) >= FEW_LETTERS:
        alike = [name for name in names if name.casefold().startswith(folded)]
    return f" (did you mean '{min(alike, key=len)}'?)" if alike else nearest(legible(wrong, keep=""), names)


def nearest_option(wrong: str, known: Iterable[str]) -> str:
    """did_you_mean() of options. The dashes that all options have in common do not count."""
    words = {name.lstrip("-"): name for name in known}
    return re.sub(r"'(.*)'", lambda near: f"'{words[near[1]]}'", did_you_mean(wrong.lstrip("-"), words))
