"""The stages of a request (--stamps), as figures show them."""
from collections.abc import Iterable

WAY = (
    "sm",
    "translation",
    "fault_driver",
    "page_read",
    "page_copy",
    "l1",
    "network",
    "l2",
    "ahead",
    "router",
    "pcie",
    "deduplication",
    "host_bridge",
    "reserve_lookup",
    "cxl_queue",
    "cxl_conversion",
    "cxl_transaction",
    "cxl_link",
    "cxl_physical",
    "cxl_wires",
    "endpoint",
    "page",
    "block_adapter",
    "drive_queue",
    "drive",
    "firmware",
    "map",
    "flash_controller",
    "flash_network",
    "plane_queue",
    "collection",
    "sensing",
    "flash_channel",
    "register",
    "queue",
    "dram",
    "xpoint",
    "sense",
    "channel",
)
LAST = ("response",)


def along_the_way(names: Iterable[str]) -> list[str]:
    """Stages in the order in which a request passes them. Those that WAY does not contain belong to the memory."""
    return sorted(
        names, key=lambda name: (len(WAY) + 1 if name in LAST else WAY.index(name) if name in WAY else len(WAY), name)
    )
