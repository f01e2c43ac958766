"""Series of CXL-GPU's runs (Fig. 9e): the sampled statistics, and the values of a series by interval."""

from collections.abc import Iterable
from typing import Any

from .drives import FLASH

# Where latencies are counted: at the store of a platform that has deterministic ones, else at the queues.
LATENCIES = {
    True: ("store.load_latency", "store.store_latency"),
    False: ("queues.read_latency", "queues.write_latency"),
}
Table = Any  # of pandas


def sampled(platform: str, media: str) -> list[str]:
    """The statistics that Fig. 9e shows over time."""
    return [
        "port[*].device.ingress",
        "port[*].queues.memory_queue",
        *(f"port[*].{latency}" for latency in LATENCIES[platform == "cxl-ds"]),
        *["port[*].medium.ssd.drive.collections"] * (media in FLASH),
    ]


def by_interval(samples: Iterable[tuple[Any, ...]]) -> Table:
    """A table by the end of each interval: loads and stores answered and the sums of their latencies, messages at the
    endpoints on average, collections so far.

    samples     (tick, statistic, value), values being totals since time 0
    """
    import pandas

    totals = (
        pandas.DataFrame(samples, columns=["tick", "name", "value"])
        .pivot_table(index="tick", columns="name", values="value", aggfunc="sum")
        .fillna(0)
    )

    def total(*names: str) -> Any:
        return sum((totals[n] for n in names if n in totals), start=pandas.Series(0.0, totals.index))

    grown = pandas.DataFrame(
        {
            "loads": total("read_latency.count", "load_latency.count"),
            "load_time": total("read_latency.sum", "load_latency.sum"),
            "stores": total("write_latency.count", "store_latency.count"),
            "store_time": total("write_latency.sum", "store_latency.sum"),
            "ingress": total("ingress.area"),
        }
    )
    steps = grown.diff().fillna(grown)
    steps["ingress"] /= (
        pandas.Series(totals.index, totals.index).diff().fillna(totals.index[0]) / 1e6
    )  # areas are in ns
    steps["collections"] = total("collections")
    return steps


def collecting(steps: Table) -> Table:
    """Those of by_interval() from the first collection to the last load or store; all until there if none began."""
    begun = steps[steps.collections > 0]
    steps = begun if len(begun) else steps
    answered = steps[steps.loads + steps.stores > 0]
    return steps.loc[: answered.index[-1]] if len(answered) else answered
