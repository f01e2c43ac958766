"""The programs of the papers on HBF, with a size for every scale."""

from typing import Any

from ...errors import check_known
from . import kernels, values

SCALES = ("tiny", "small", "default", "judge")
PAGES = {  # pages and threads that read them (HBF-Sim)
    "pages-1024": (1024, 1024),
    "pages-2048": (2048, 2048),
    "producers-256": (1024, 256),
    "producers-512": (1024, 512),
}
WEIGHTS = {"weights-1": 1, "weights-4": 4, "weights-8": 8, "weights-16": 16}  # MiB (HBF-Sim)
# Matrices in bf16 (TileLens): experts of Qwen3-30B-A3B for the blocks of a stack's SMs, and columns of the first matrix
# of the feed-forward part of Llama-3.1-70B for as many. `judge` has half of the latter's rows.
PRODUCTS = {
    "qwen": {"tiny": (1, 512, 1536), "small": (2, 1024, 1536), "default": (4, 2048, 1536), "judge": (7, 2048, 1536)},
    "llama": {"tiny": (1, 512, 1024), "small": (1, 1024, 2048), "default": (1, 2048, 4096), "judge": (1, 4096, 4096)},
}
TILES = {"qwen": (128, 256), "llama": (64, 128)}
STREAM = {"tiny": 1 << 24, "small": 1 << 25, "default": 1 << 26, "judge": 1 << 26}  # bytes
DECODE = {"tiny": "tiny", "small": "tiny", "default": "llama-3-8b", "judge": "llama-3-8b"}
GROUPS = {
    "pages": tuple(PAGES),
    "weights": tuple(WEIGHTS),
    "products": tuple(PRODUCTS),
    "stream": ("stream",),
    "decode": ("decode",),
}


def product(name: str, scale: str) -> kernels.Product:
    """The weights of a product."""
    check_known("workload", name, PRODUCTS)
    check_known("scale", scale, SCALES)
    return kernels.Product(*PRODUCTS[name][scale], TILES[name])


def program(name: str, scale: str, layout: str, depth: int) -> tuple[kernels.Program, int, str]:
    """A program of kernels.py, the bytes of its weights, and a name for its file."""
    check_known("scale", scale, SCALES)
    if name in PAGES:
        count, producers = PAGES[name]
        return kernels.pages(count, producers), count * values.PAGE, name
    if name in WEIGHTS:
        mib = max(1, WEIGHTS[name] // (4 if scale == "tiny" else 1))
        return kernels.stream(mib), mib << 20, f"{name}-{mib}"
    of = product(name, scale)
    return kernels.product(of, layout, depth), of.bytes, f"{name}-{scale}-{layout}-{depth}"


def names() -> list[str]:
    found: dict[str, Any] = {name: None for group in GROUPS.values() for name in group}
    return list(found)
