"""Functions that build machines: `gpu()` any GPU, each other module a paper's or one of its parts."""

from typing import TYPE_CHECKING

from ..lazy import when_asked as _when_asked

if TYPE_CHECKING:
    from .nvidia import a100, h100, h200, v100
    from .processor import GpuParameters, gpu

__all__ = ["GpuParameters", "a100", "gpu", "h100", "h200", "v100"]
_MODULES = dict(a100="nvidia", h100="nvidia", h200="nvidia", v100="nvidia", GpuParameters="processor", gpu="processor")
__getattr__ = _when_asked(__name__, _MODULES)
