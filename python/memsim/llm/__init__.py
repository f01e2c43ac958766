"""Language models: shapes, workloads of a shape, and what a run of some layers means for a whole model.

    root.model = llm.decoder("llama-3-8b", layers=1, context=1024)  # or
    root.model = llm.engine("mixtral-8x7b", layers=1, requests=8, prompt=256, tokens=4)
    root.gpu = systems.h100(form="pcie")
    root.model.dispatcher = root.gpu.dispatcher.host

The kernels and what is not modelled: docs/models/llm.md.
"""

from .decoding import GRAPH_LAUNCH, LAUNCHES_OF_HEAD, LAUNCHES_OF_LAYER, decoder, tokens_per_second
from . import placement
from .options import add_options, add_placement, gpu, predictions, report_traffic
from .serving import engine
from .shapes import SHAPES, Shape, dense_models, shape

__all__ = [
    "GRAPH_LAUNCH",
    "LAUNCHES_OF_HEAD",
    "LAUNCHES_OF_LAYER",
    "SHAPES",
    "Shape",
    "add_options",
    "add_placement",
    "decoder",
    "dense_models",
    "engine",
    "gpu",
    "placement",
    "predictions",
    "report_traffic",
    "shape",
    "tokens_per_second",
]
