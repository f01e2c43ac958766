"""The stages of a request (--stamps), as figures show them."""

WAY = ("sm", "translation", "l1", "network", "l2", "deduplication", "lookup", "reserve_lookup", "page", "queue",
       "cxl_conversion", "cxl_queue", "host_bridge", "endpoint", "flash_network", "plane_queue", "sensing",
       "register", "channel", "dram", "xpoint")
LAST = ("response",)


def along_the_way(names):
    """Stages in the order in which a request comes to them; those that WAY does not know are the memory's."""
    return sorted(names, key=lambda name: (len(WAY) + 1 if name in LAST else
                                           WAY.index(name) if name in WAY else len(WAY), name))
