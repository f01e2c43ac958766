"""Which data of a language model lie in far memory: policies, each of which names ranges of addresses.

    ranges = placement.far(root.model, "experts(local=2)", "old_kv")
    root.gpu = systems.h100(memory=placed.beside(far.memory("cxl").channel, ranges, counted=root.model))

A policy is a function of the Data of a program that yields ranges. `@placement.policy` gives it a name for scripts.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy

from .. import SimObject, _memsim
from ..errors import Error, check_known, did_you_mean, user_error
from ..systems.ahead import Signals
from ..systems.interleave import in_bytes
from ..systems.placed import ALIGNED, Range
from ..systems.scale import footprint, up_to

TOKENS = 16  # of a block of the cache


class Data:
    """The data of a workload.LanguageModel or workload.ServingEngine, as policies see them."""

    def __init__(self, program: SimObject) -> None:
        self.program = program
        footprint(program)  # reads its parameters
        self._arrays = {name: Range(base, up_to(size, ALIGNED)) for name, base, size, _ in _allocations(program)}

    def arrays(self, *names: str, optional: bool = False) -> list[Range]:
        """The arrays of these names, such as 'kv.0'; of a name that ends with a dot, such as 'weights.0.', all that
        begin with it.

        optional  names without an array are left out

        Raises memsim.Error for a name without an array.
        """
        for name in names if not optional else ():
            if name not in self._arrays and not (name.endswith(".") and any(a.startswith(name) for a in self._arrays)):
                raise user_error(
                    f"arrays(): {self.program.path} has no array '{name}'{did_you_mean(name, self._names)}"
                )
        return [
            of
            for name, of in self._arrays.items()
            if name in names or name.startswith(tuple(n for n in names if n.endswith(".")))
        ]

    @property
    def _names(self) -> list[str]:
        """The names of arrays, and those that end with a dot."""
        dots = {name[: at.end()]: None for name in self._arrays for at in re.finditer(r"\.", name)}
        return [*self._arrays, *dots]

    @property
    def layers(self) -> int:
        """Simulated layers."""
        return self._numbers(r"weights\.(\d+)\.")

    @property
    def experts(self) -> int:
        """Experts of a layer; 0 in a dense model."""
        return self._numbers(r"weights\.0\.experts\.(\d+)\.")

    def _numbers(self, pattern: str) -> int:
        return len({found[1] for name in self._arrays if (found := re.match(pattern, name))})

    def values(self, array: str) -> Any:
        """The contents of an array of whole numbers at the start of the run."""
        return numpy.frombuffer(self.program._prepared.contents(array), "uint32")

    @cached_property
    def routed(self) -> list[list[int]]:
        """Tokens that each expert processes, by layer. The program runs without timing to count them."""
        functional = _memsim.Prepared(self.program._type, list(self.program._values.items()))
        functional.profile()
        chosen = numpy.frombuffer(functional.contents("activations.routing.chosen"), "uint32")
        by_layer = chosen.reshape(-1, self.layers, int(self.program.experts_per_token))
        return [numpy.bincount(by_layer[:, i].ravel(), minlength=self.experts).tolist() for i in range(self.layers)]

    @property
    def tables(self) -> list[list[int]]:
        """The blocks of the cache that each request uses, in the order of their tokens."""
        table = self.values("kv.block_table").tolist()
        if not self.arrays("inputs.position", optional=True):  # of a ServingEngine
            return [table]
        requests, positions = self.values("inputs.request"), self.values("inputs.position")
        number = int(self.program.requests)
        each = len(table) // number
        return [table[r * each :][: int(positions[requests == r].max()) // TOKENS + 1] for r in range(number)]

    def blocks(self, numbers: Collection[int]) -> Iterator[Range]:
        """The ranges of these blocks in the caches of all layers."""
        of = self.program
        size = 2 * TOKENS * int(of.kv_heads) * int(of.head_dim) * int(of.kv_bits) // 8
        for layer in range(self.layers):
            base = self.arrays(f"kv.{layer}")[0].base
            yield from (Range(base + number * size, size) for number in sorted(numbers))


def _allocations(program: SimObject) -> Iterator[tuple[str, int, int, bool]]:
    return (one for one in program._prepared.allocations if one[2])


Policy = Callable[..., Iterable[Range]]
POLICIES: dict[str, Policy] = {}


def policy(function: Policy) -> Policy:
    """Registers a policy by the name of the function."""
    POLICIES[function.__name__] = function
    return function


@policy
def weights(data: Data) -> Iterable[Range]:
    """All weights, with embedding and head."""
    return data.arrays("weights.")


@policy
def layers(data: Data, last: int = 1) -> Iterable[Range]:
    """The weights of the last `last` layers."""
    return data.arrays(*(f"weights.{i}." for i in range(max(0, data.layers - last), data.layers)))


@policy
def experts(data: Data, local: int = 1, popularity: Sequence[Sequence[float]] | None = None) -> Iterable[Range]:
    """All experts but the busiest `local` of each layer. Of equally busy ones, those with lower numbers are local.

    popularity  of each expert, by layer; None: the tokens that it processes in this run
    """
    if not data.experts:
        raise Error("experts: the model has none: choose another policy")
    for layer, of in enumerate(popularity or data.routed):
        for expert in sorted(range(data.experts), key=lambda e: (-of[e], e))[local:]:
            yield from data.arrays(f"weights.{layer}.experts.{expert}.")


@policy
def kv(data: Data) -> Iterable[Range]:
    """The caches of keys and values."""
    return data.arrays(*(f"kv.{layer}" for layer in range(data.layers)))


@policy
def old_kv(data: Data, recent: int = 4) -> Iterable[Range]:
    """The blocks of the caches that no request has among its last `recent` blocks of 16 tokens."""
    if str(getattr(data.program, "evict", "none")) != "none":
        raise Error("old_kv: blocks of evicted requests change: use kv or swapped")
    kept = {block for table in data.tables for block in table[max(0, len(table) - recent) :]}
    return data.blocks({block for table in data.tables for block in table} - kept)


@policy
def swapped(data: Data) -> Iterable[Range]:
    """The places of evicted requests' blocks (`evict` = swap)."""
    return data.arrays(*(f"kv.{layer}.swapped" for layer in range(data.layers)), optional=True)


def far(program: SimObject, *policies: str | Policy) -> list[Range]:
    """The addresses that these policies put into far memory, in order, for placed.beside().

    policies  names with arguments, such as 'experts(local=2)', or functions of Data
    """
    data = Data(program)
    ranges: list[Range] = []
    for base, size in sorted(one for given in policies for one in _called(given)(data)):
        if ranges and base <= (end := ranges[-1].base + ranges[-1].bytes):
            ranges[-1] = Range(ranges[-1].base, max(end, base + size) - ranges[-1].base)
        else:
            ranges.append(Range(base, size))
    return ranges


def _called(given: str | Policy) -> Callable[[Data], Iterable[Range]]:
    if not isinstance(given, str):
        return given
    name, arguments = parsed(given)
    return lambda data: POLICIES[name](data, **arguments)


def parsed(text: str) -> tuple[str, dict[str, int]]:
    """The name and the arguments of a policy such as 'layers(last=2)'.

    Raises memsim.Error if there is no such policy or argument.
    """
    whole = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text)
    if not whole:
        raise Error(f"'{text}' is no policy: write a name with arguments, such as 'layers(last=2)'")
    name = whole[1]
    check_known("placement", name, POLICIES)
    known = [of.name for of in inspect.signature(POLICIES[name]).parameters.values() if isinstance(of.default, int)]
    arguments = {}
    for one in filter(None, re.split(r"\s*,\s*", (whole[2] or "").strip())):
        key, _, value = one.partition("=")
        check_known(f"argument of {name}", key.strip(), known)
        if not value.strip().isdigit():
            raise Error(f"{name}: {key.strip()}={value.strip() or 'nothing'}: write a whole number")
        arguments[key.strip()] = int(value)
    return name, arguments


KERNELS = (
    ("attention_norm", "qkv"),
    ("output",),
    ("ffn_norm", "router"),
    ("gate", "up"),
    ("down",),
)  # of a layer: the matrices that a kernel, or a short one and the next, read


def order(program: SimObject, ranges: Iterable[Range]) -> list[list[Range]]:
    """The weights in these ranges in the order in which kernels read them, for ahead.before(): a group for each large
    kernel. The embedding is left out, because few of its rows are read."""
    data = Data(program)
    far_ranges = list(ranges)
    groups = []
    for layer in range(data.layers):
        experts = [f"experts.{expert}." for expert in range(data.experts)] or [""]
        for matrices in KERNELS:
            of_experts = experts if matrices[-1] in ("up", "down") else [""]
            names = [f"weights.{layer}.{expert}{matrix}" for expert in of_experts for matrix in matrices]
            groups.append(data.arrays(*names, *(f"{name}.scales" for name in names), optional=True))
    groups.append(data.arrays("weights.last_norm", "weights.head", "weights.head.scales", optional=True))
    shared = ([part for array in group for part in _common(array, far_ranges)] for group in groups)
    return [group for group in shared if group]


def signals(program: SimObject, groups: Iterable[Iterable[Range]]) -> Signals:
    """The signals by which a workload.ServingEngine announces the experts that it predicts, for ahead.before(); its
    `signal_channels` and `signal_chunk` describe the memory. `groups`: from order()."""
    data = Data(program)
    found = data.arrays("inputs.signals", optional=True)
    if not found:
        raise Error("signals: the program predicts no experts: set signal_channels of a workload.ServingEngine")
    size = int(program.signal_channels) * in_bytes(program.signal_chunk, "signal_chunk")
    end = found[0].base + found[0].bytes
    where = Range(up_to(found[0].base, size), end - up_to(found[0].base, size))
    ranges = [one for group in groups for one in group]
    numbers = {
        one: layer * data.experts + expert
        for layer in range(1, data.layers)  # no router precedes the first layer
        for expert in range(data.experts)
        for array in data.arrays(f"weights.{layer}.experts.{expert}.")
        for one in _common(array, ranges)
    }
    return Signals(where, size, data.layers * data.experts, numbers)


def _common(array: Range, ranges: Iterable[Range]) -> Iterator[Range]:
    """The parts of an array that lie in the ranges."""
    for one in ranges:
        first, end = max(one.base, array.base), min(one.base + one.bytes, array.base + array.bytes)
        if first < end:
            yield Range(first, end - first)


def kinds(arrays: Mapping[str, float]) -> dict[str, float]:
    """The sums of values by kind of array: weights, experts, kv, and the others."""
    found: dict[str, float] = {}
    for name, value in arrays.items():
        kind = "experts" if ".experts." in name else name.partition(".")[0]
        found[kind] = found.get(kind, 0.0) + value
    return {kind: value for kind, value in found.items() if value}
