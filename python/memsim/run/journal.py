"""What a script asked of the simulated machine, so that a restored script gets the same answers.

A script is ordinary Python and cannot be saved in its middle. So every call whose answer depends on
simulated state is written down with its answer; a checkpoint holds the list and the call that it
interrupted. The restored script runs again from its first line and is answered from the list, until
it makes the interrupted call: there the machine's state is loaded and the run continues. A checkpoint that was
written between two calls interrupts none: the state is loaded before the next call, or where the script ends.
"""
from ..errors import Error, check_text, here, user_error

_CAUGHT = {kind.__name__: kind for kind in (Error, KeyboardInterrupt)}  # a script may, and go on
BETWEEN = {"kind": "between"}  # what a checkpoint between two calls interrupts


class Journal:
    """`load` loads the state of the checkpoint that the record is of."""

    def __init__(self, record=None, load=None):
        self._load = load
        self.entries = list(record["entries"]) if record else []
        self.interrupted = record["interrupted"] if record else None
        self._next = 0
        self.current = None  # the call under way that a checkpoint would interrupt

    @property
    def replaying(self):
        return self.interrupted is not None

    def call(self, kind, arguments, act, resume=None):
        """The answer of act(), or the recorded one. At the interrupted call: that of resume()."""
        where = here()
        for argument in arguments:
            for text in argument if isinstance(argument, list | tuple) else [argument]:
                if isinstance(text, str):
                    check_text(text, f"{kind}()")
        self.pass_between()
        if not self.replaying:
            self.current = {"kind": kind, "arguments": arguments, "where": where}
            return self._note(act)
        expected = (
            self.entries[self._next]
            if self._next < len(self.entries)
            else [self.interrupted[key] for key in ("kind", "arguments", "where")]
        )
        if [kind, arguments] != expected[:2]:
            raise user_error(
                f"the script calls {_show(kind, arguments)} where the run of the checkpoint called "
                f"{_show(*expected[:2])} ({expected[2]}): a restored script must ask the same, in "
                "the same order",
                where,
            )
        if self._next < len(self.entries):
            self._next += 1
            for name, text in expected[4:]:
                raise _CAUGHT[name](text)
            return expected[3]
        self.current, self.interrupted = self.interrupted, None
        return self._note(resume)

    def pass_between(self):
        """Loads the state where a checkpoint was written between two calls, once all calls before it were answered."""
        if self.interrupted == BETWEEN and self._next == len(self.entries):
            self.interrupted = None
            self._load()

    @property
    def failed(self):
        """Whether the last call ended with an error: a script that is run again would be answered by the same."""
        return bool(self.entries) and len(self.entries[-1]) > 4

    def _note(self, act):
        """The answer of act(), or the error that it ends with, both written down."""
        entry = [*(self.current[key] for key in ("kind", "arguments", "where")), None]
        try:
            entry[3] = act()
        except tuple(_CAUGHT.values()) as e:
            name = next(name for name, kind in _CAUGHT.items() if isinstance(e, kind))
            entry.append([name, str(e)])
            raise
        finally:
            self.entries.append(entry)
            self.current = None
        return entry[3]

    def record(self):
        """What a checkpoint keeps, as plain values."""
        return {"entries": self.entries, "interrupted": self.current or BETWEEN}


def _show(kind, arguments):
    if kind == "statistic":
        return f"the statistic {''.join(arguments[:2])}"
    return f"{kind}({', '.join(map(repr, arguments))})"
