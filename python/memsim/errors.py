"""The two kinds of error, and where in the user's script something was written."""
import os
import re
import sys
from collections.abc import Collection

from ._memsim import Error, InUse, Panic, nearest

__all__ = [
    "Error",
    "InUse",
    "Panic",
    "UnknownName",
    "check_known",
    "did_you_mean",
    "here",
    "legible",
    "user_error",
    "utf8",
]

# The module makes these; what they mean to a script:
Error.__doc__ = "Something that the user can mend: a sentence that says what, where, and what would be right."
InUse.__doc__ = "A run or a database that another process is at: try again later."
Panic.__doc__ = "A fault of memsim itself."

IN_USE = 75  # the exit code after InUse: sysexits' EX_TEMPFAIL
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class UnknownName(Error, AttributeError):
    """An attribute that is no parameter, port, child or statistic."""


def here():
    """'file:line' of the innermost frame outside this package."""
    frame = sys._getframe(1)
    while frame and os.path.abspath(frame.f_code.co_filename).startswith(PACKAGE):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename.startswith("<frozen"):
        return "the command line"
    name = frame.f_code.co_filename
    if os.path.isabs(name) and not (short := os.path.relpath(name)).startswith(".."):
        name = short
    return f"{name}:{frame.f_lineno}"


def user_error(what, where=None, kind=Error):
    """The user's mistake as an exception that begins with the place in the script."""
    return kind(f"{where or here()}: {what}")


def check_known(what: str, given: object, known: Collection[object]) -> None:
    """Refuses a name that is none of those known, and says which may be meant."""
    if given not in known:
        raise user_error(f"there is no {what} '{given}'{did_you_mean(given, known)}: it is one of {', '.join(known)}")


def legible(text, keep="\n"):
    """What a terminal may show: each byte of what would control it, but for `keep`, as \\xff; core/legible.hh
    does so for errors from C++."""
    return re.sub(
        r"[\0-\x1f\x7f-\x9f\ud800-\udfff]",
        lambda found: found[0] if found[0] in keep else "".join(f"\\x{byte:02x}" for byte in _bytes(found[0])),
        text,
    )


def _bytes(character):
    """Of a character, also of half a pair of UTF-16: a byte of a file's name, or three that are no UTF-8."""
    return character.encode(errors="surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")


def utf8(text, what):
    """The text, unless it is the name of a file that is not UTF-8 (as os.fsdecode() gives it): our
    files and database hold nothing else."""
    try:
        text.encode()
    except UnicodeEncodeError:
        if re.search("[\ud800-\udc7f\udd00-\udfff]", text):
            check_text(text, what.removesuffix(":"), Error)
        name = os.fsencode(text).decode(errors="backslashreplace")
        raise Error(f"{what} '{name}' is not UTF-8: give the file a name, or a link to it, that " "is") from None
    return text


def check_text(text, what, error=user_error):
    """Refuses what is no text for a database, a file name or C++: half a pair of UTF-16, or a NUL character."""
    if found := re.search("[\0\ud800-\udfff]", text):
        raise error(f"{what}: '{legible(text, keep='')}' holds the character U+{ord(found[0]):04X}: leave it out")


def did_you_mean(wrong, known):
    """' (did you mean ...?)', or nothing where no name is near."""
    return nearest(legible(wrong, keep=""), list(known))
