"""Functions that build machines: `gpu()` any GPU, each other module a paper's or one of its parts."""
from ..lazy import modules_when_asked as _modules_when_asked
from .processor import GpuParameters, gpu

__all__ = ["GpuParameters", "gpu"]
__getattr__ = _modules_when_asked(__name__)
