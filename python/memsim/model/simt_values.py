"""Values of a recorded program: numpy arrays that remember the steps whose results they depend on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import user_error

Plain = npt.NDArray[Any]  # a plain numpy array


class Values(np.ndarray[Any, Any]):
    """An array over all threads that knows the steps whose results it depends on."""

    needs: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self.view(np.ndarray))
        raise user_error("`if` needs one answer for all threads, but they differ: write `with k.where(condition):`")

    def __array_finalize__(self, source: object) -> None:
        self.needs = getattr(source, "needs", frozenset())

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] | None = None, **options: Any
    ) -> Any:
        given = [plain(i) for i in inputs]
        if out is not None:
            options["out"] = tuple(plain(o) for o in out)
        return with_needs(getattr(ufunc, method)(*given, **options), needs_of((inputs, options)))

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        needs = needs_of((args, options))
        return with_needs(function(*_allplain(args), **_allplain(options)), needs)


def plain(value: Any) -> Any:
    """The value as a plain numpy array."""
    return value.view(np.ndarray) if isinstance(value, Values) else value


def _allplain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_allplain(v) for v in value] if isinstance(value, list) else tuple(_allplain(v) for v in value)
    if isinstance(value, dict):
        return {k: _allplain(v) for k, v in value.items()}
    return plain(value)


def needs_of(value: Any) -> frozenset[int]:
    """The steps whose results a value depends on; also for a list, a tuple or a dict of values."""
    if isinstance(value, Values):
        return value.needs
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return frozenset()
    return frozenset().union(*map(needs_of, value))


def with_needs(result: Any, needs: frozenset[int]) -> Any:
    """A result as Values that depend on these steps; a single number is returned unchanged."""
    if isinstance(result, tuple):
        return tuple(with_needs(r, needs) for r in result)
    if not isinstance(result, np.ndarray) or result.ndim == 0:
        return result
    values = result.view(Values)
    values.needs = needs
    return values
