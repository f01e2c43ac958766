"""The calls of a script whose answers depend on simulated state, so that a restored script gets the same answers.

A script is ordinary Python and cannot be saved in its middle. The journal records each such call with its answer. A
checkpoint holds the journal and the call that it interrupted. The restored script runs again from its first line, and
the journal answers its calls until it makes the interrupted call: there the machine's state is loaded and the run
continues. A checkpoint that was written between two calls interrupts none: the state is loaded before the next call, or
where the script ends.
"""
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, cast

from ..errors import Error, Panic, check_text, here, user_error

T = TypeVar("T")
# A script may catch these and continue.
_CAUGHT: dict[str, type[BaseException]] = {kind.__name__: kind for kind in (Error, KeyboardInterrupt)}
BETWEEN = {"kind": "between"}  # the interrupted call of a checkpoint between two calls
CALL = "kind", "arguments", "where"  # of a call


class Journal:
    """The calls of one machine's script.

    record  the result of record() that a checkpoint keeps: its calls are answered without running them
    load    loads the state of that checkpoint
    """

    def __init__(self, record: dict[str, Any] | None = None, load: Callable[[], None] | None = None) -> None:
        self._load = load
        # Each is [kind, arguments, where, answer], and [name, text] of the error where one ended the call.
        self._entries: list[list[Any]] = list(record["entries"]) if record else []
        self._interrupted: dict[str, Any] | None = record["interrupted"] if record else None
        self._next = 0
        self.current: dict[str, Any] | None = None  # the current call, which a checkpoint would interrupt

    def call(self, kind: str, arguments: list[Any], act: Callable[[], T], resume: Callable[[], T] | None = None) -> T:
        """The answer of act(), or the recorded answer; at the interrupted call, the answer of resume().

        Raises Error if the script makes another call than the recorded one, and the recorded error of a call.
        """
        where = here()
        for argument in arguments:
            for text in argument if isinstance(argument, list | tuple) else [argument]:
                if isinstance(text, str):
                    check_text(text, f"{kind}()")
        self.pass_between()
        if self._interrupted is None:
            self.current = {"kind": kind, "arguments": arguments, "where": where}
            return self._record(act)
        recorded = self._next < len(self._entries)
        expected = self._entries[self._next] if recorded else list(map(self._interrupted.get, CALL))
        if [kind, arguments] != expected[:2]:
            raise user_error(
                f"the script calls {_call_text(kind, arguments)} where the run of the checkpoint called "
                f"{_call_text(*expected[:2])} ({expected[2]}): a restored script must ask the same, in "
                "the same order",
                where,
            )
        if recorded:
            self._next += 1
            for name, text in expected[4:]:
                raise _CAUGHT[name](text)
            return cast(T, expected[3])
        self.current, self._interrupted = self._interrupted, None
        return self._record(resume or _not_interrupted)

    def pass_between(self) -> None:
        """Loads the state of a checkpoint that was written between two calls, after all calls before it."""
        if self._interrupted == BETWEEN and self._next == len(self._entries):
            self._interrupted = None
            assert self._load
            self._load()

    def forget(self) -> None:
        """The recorded calls are not made again: the state is loaded without the script."""
        self._entries, self._interrupted = [], None

    @property
    def failed(self) -> bool:
        """Whether the last call ended with an error. A script that runs again would get the same error."""
        return bool(self._entries) and len(self._entries[-1]) > 4

    def _record(self, act: Callable[[], T]) -> T:
        """The answer of act(), or the error that ends it; both are recorded."""
        assert self.current
        entry = [*map(self.current.get, CALL), None]
        try:
            entry[3] = answer = act()
            return answer
        except tuple(_CAUGHT.values()) as e:
            name = next(name for name, kind in _CAUGHT.items() if isinstance(e, kind))
            entry.append([name, str(e)])
            raise
        finally:
            self._entries.append(entry)
            self.current = None

    def record(self) -> dict[str, Any]:
        """The calls as plain values, for a checkpoint."""
        return {"entries": self._entries, "interrupted": self.current or BETWEEN}


def _not_interrupted() -> NoReturn:
    raise Panic("the journal was interrupted at a call that runs nothing")


def _call_text(kind: str, arguments: list[Any]) -> str:
    if kind == "statistic":
        return f"the statistic {''.join(arguments[:2])}"
    return f"{kind}({', '.join(map(repr, arguments))})"


def placed(act: Callable[[], T]) -> Callable[[], T]:
    """act(), whose Error begins with the place in the user's script."""

    def act_there() -> T:
        try:
            return act()
        except Error as e:
            raise user_error(e) from None

    return act_there
