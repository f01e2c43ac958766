"""How the builders of machines take their arguments: as one typed dataclass, or as its fields."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from .. import SimObject, mem
from ..errors import user_error
from ..model.provenance import derived, source_of
from .interleave import Interleave

Parameters = dict[str, Any]  # of a component, by name
REGION = "the region that the run simulates"

D = TypeVar("D")
R = TypeVar("R")


def described_by(cls: type[D], rest: str = "dispatcher") -> Callable[[Callable[[D], R]], Callable[..., R]]:
    """Lets a builder that takes a dataclass `cls` also take the fields of one: machine("cmd", program, seed=2).

    Keywords replace fields of a given `cls`. A keyword that names no field is a parameter of a component: it joins the
    field that `rest` names, where `cls` has one.
    """
    names = {field.name for field in fields(cast(Any, cls))}

    def decorate(build: Callable[[D], R]) -> Callable[..., R]:
        @functools.wraps(build)
        def call(*given: Any, **named: Any) -> R:
            more = {name: value for name, value in named.items() if name not in names} if rest in names else {}
            own = {name: value for name, value in named.items() if name not in more}
            made: Any = replace(*given, **own) if given and isinstance(given[0], cls) else cls(*given, **own)
            return build(replace(made, **{rest: {**getattr(made, rest), **more}}) if more else made)

        return call

    return decorate


def of_region(dispatcher: Parameters) -> Parameters:
    """Parameters of gpu.Dispatcher that select the simulated part of a program. A value that has a source keeps it."""
    return {name: value if source_of(value) else derived(value, from_=REGION) for name, value in dispatcher.items()}


def check_makes_memory(what: str, function: Any) -> None:
    """Raises Error if `function` cannot be called as memory(i, interleave); `what` begins the sentence."""
    if isinstance(function, SimObject):
        wrong = f"={function!r} is a single component"
    elif not callable(function):
        wrong = f"={function!r} is no function"
    else:
        try:
            inspect.signature(function).bind(0, None)
            return
        except TypeError:
            wrong = " is a function of other arguments"
    raise user_error(
        f"{what}{wrong}: write a function memory(i, interleave) that returns a new component for channel i"
    )


def made_by(memory: Any, interleave: Interleave) -> list[SimObject]:
    """The memory of each channel, from the caller's function memory(i, interleave).

    Raises Error for anything else than such a function, and for results that are no memories.
    """
    check_makes_memory("gpu(): memory", memory)
    made = [memory(i, interleave) for i in range(interleave.ways)]
    for i, one in enumerate(made):
        if not isinstance(one, SimObject) or "cpu_side" not in one._ports:
            raise user_error(
                f"gpu(): memory gave {one!r} for channel {i}: return a component with a port "
                "'cpu_side', such as mem.DramController(**interleave.channel(i))"
            )
        if interleave.hash_rounds and isinstance(one, mem.DramController) and "hash_rounds" not in one._values:
            raise user_error(
                f"gpu(): memory gave a controller for channel {i} that does not know its hashed addresses: "
                "make it with mem.DramController(map='RoRaBaCoChCl', **interleave.channel(i))"
            )
    return made
