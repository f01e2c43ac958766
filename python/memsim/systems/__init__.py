"""Functions that build machines: `gpu()` any GPU, each other module a paper's or one of its parts."""
from ..lazy import modules_when_asked as _modules_when_asked
from .nvidia import a100, h100, v100
from .processor import GpuParameters, gpu

__all__ = ["GpuParameters", "a100", "gpu", "h100", "v100"]
__getattr__ = _modules_when_asked(__name__)
