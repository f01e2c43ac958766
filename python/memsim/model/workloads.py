"""The catalogue of workloads, and the memory operations of each, counted without timing."""

import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .. import _memsim
from ..errors import Error, did_you_mean

TYPE = "workload.Program"
Job = tuple[Any, ...]  # name, size, check of profile(), and further parameters as (name, value)


def profile(name: str, size: int = 0, check: bool = False, **params: Any) -> dict[str, Any]:
    """Counts of a workload's operations over its whole instruction stream, without timing. A dict of counts,
    `read_ratio` (requests after the coalescer, with atomics as reads), `apki` (requests per thousand warp instructions)
    and, if checked, `difference`."""
    given = [("name", name), ("size", str(size))] + [(k, str(v)) for k, v in params.items()]
    prepared = _memsim.Prepared(TYPE, given)
    try:
        counts: dict[str, Any] = prepared.profile()
    except Error as e:
        raise Error(f"{TYPE}{e}" if str(e).startswith(".") else str(e)) from None  # it has no place in a tree
    requests = sum(counts[kind] for kind in REQUESTS)
    reads = requests - counts["store_requests"]
    counts["name"], counts["requests"] = name, requests
    counts["read_ratio"] = reads / requests if requests else 0
    counts["apki"] = 1000 * requests / counts["warp_instructions"]
    counts["difference"] = prepared.difference() if check else ""
    return counts


REQUESTS = "load_requests", "store_requests", "atomic_requests"


def names(of: str = "") -> list[str]:
    """All names, or those of the workloads whose unit of size contains a text ('vertices': graphs)."""
    return [name for w in _memsim.workloads() if of in w["size_is"] for name in w["names"]]


def reads_graphs(w: dict[str, Any]) -> bool:
    """Whether this entry of the catalogue reads a graph."""
    return bool(w["reads"] == "a graph")


def chosen(names: list[str], of_graphs: bool = False) -> list[dict[str, Any]]:
    """The catalogue's entries with these names, or all if there are none; optionally only those that read graphs."""
    every = _memsim.workloads()
    if not names:
        return [w for w in every if reads_graphs(w) or not of_graphs]
    by_name = {name: w for w in every for name in w["names"]}
    for name in names:
        if name not in by_name:
            raise Error(
                f"there is no workload '{name}'{did_you_mean(name, list(by_name))}; `memsim workloads` lists them"
            )
        if of_graphs and not reads_graphs(by_name[name]):
            raise Error(f"{name} reads no graph: leave it out, or --graph")
    return [by_name[name] for name in names]


def profiles(jobs: list[Job], processes: int, first: list[int] | None = None) -> Iterator[dict[str, Any]]:
    """The results of profile(*job) for each job, in order, computed in parallel processes. `first`: indices of all jobs
    in the order in which they start."""
    from concurrent.futures import ProcessPoolExecutor  # here, because a run that needs no processes starts sooner

    before = signal.signal(signal.SIGTERM, _end_with_children)
    try:
        with ProcessPoolExecutor(processes, initializer=_die_at_once) as pool:
            futures = {i: pool.submit(_profile, jobs[i]) for i in first or range(len(jobs))}
            for i in range(len(jobs)):
                yield futures[i].result()
    finally:
        signal.signal(signal.SIGTERM, before)


def _end_with_children(number: int, frame: FrameType | None) -> None:
    import multiprocessing

    for child in multiprocessing.active_children():
        child.terminate()
    raise SystemExit(128 + number)


def _die_at_once() -> None:
    """Ends a worker at SIGTERM at once: it runs C++ code for minutes, in which Python handles no signal."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def longest_first(every: list[dict[str, Any]], processes: int) -> list[int]:
    """The indices of these workloads, longest at their small sizes first, so that no long one runs last alone."""
    jobs: list[Job] = [(w["names"][0], w["check_size"], False) for w in every]
    work: list[int] = [p["thread_instructions"] for p in profiles(jobs, processes)]
    return sorted(range(len(every)), key=lambda i: -work[i])


def _profile(job: Job) -> dict[str, Any]:
    return profile(*job[:3], **dict(job[3:]))
