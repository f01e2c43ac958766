"""Shapes of dense language models as data, with their sources."""

from dataclasses import dataclass

from ..errors import check_known

BF16 = 2  # bytes
COLUMNS_OF_SCALE = 128  # integers of a row that share a scale of bf16


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of a dense decoder.

    layers       as published; a run may simulate fewer
    hidden       elements of the hidden state
    heads        of queries; kv_heads of keys and values
    head_dim     elements of a head
    ffn          elements between the matrices of the feed-forward part
    vocabulary   tokens
    rotary_base  of the angles of the rotary embedding, an assumption
    source       of the other numbers
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocabulary: int
    rotary_base: int
    source: str

    @property
    def layer_bytes(self) -> int:
        """Bytes of the matrices of a layer in bf16, each of which a decode step reads once."""
        return self.layer_bytes_of(16)

    def layer_bytes_of(self, weight_bits: int) -> int:
        """The same for weights of 16, 8 or 4 bits; those of 8 and 4 with their scales."""
        queries, keys = self.heads * self.head_dim, self.kv_heads * self.head_dim
        columns = {self.hidden: queries + 2 * keys + 2 * self.ffn}  # to the rows that have so many
        for n in (queries, self.ffn):
            columns[n] = columns.get(n, 0) + self.hidden
        return sum(rows * row_bytes(n, weight_bits) for n, rows in columns.items())

    @property
    def head_bytes(self) -> int:
        """Bytes of the output head's matrix; the embedding has as many."""
        return BF16 * self.vocabulary * self.hidden

    def head_bytes_of(self, weight_bits: int) -> int:
        """The same for weights of 16, 8 or 4 bits."""
        return self.vocabulary * row_bytes(self.hidden, weight_bits)

    @property
    def step_bytes(self) -> int:
        """Bytes of weights that a decode step reads: all layers and the head."""
        return self.layers * self.layer_bytes + self.head_bytes

    @property
    def token_layer_bytes(self) -> int:
        """Bytes of keys and values of a token in a layer."""
        return 2 * BF16 * self.kv_heads * self.head_dim

    @property
    def token_bytes(self) -> int:
        """Bytes of keys and values of a token in all layers."""
        return self.layers * self.token_layer_bytes


def row_bytes(columns: int, weight_bits: int) -> int:
    """Bytes of a row of a matrix with its scales."""
    scales = -(-columns // COLUMNS_OF_SCALE) if weight_bits < 16 else 0
    return columns * weight_bits // 8 + BF16 * scales


LLAMA_3 = dict(vocabulary=128256, rotary_base=500000, head_dim=128)
LLAMA_2 = dict(vocabulary=32000, rotary_base=10000, head_dim=128)
VIDUR = "Vidur (microsoft/vidur), vidur/config/model_config.py"
LLM_SERVING_SIM = "LLMServingSim (casys-kaist/LLMServingSim), model_configs/meta-llama"
SHAPES = {
    "llama-3-8b": Shape(layers=32, hidden=4096, heads=32, kv_heads=8, ffn=14336, **LLAMA_3, source=LLM_SERVING_SIM),
    "llama-3-70b": Shape(layers=80, hidden=8192, heads=64, kv_heads=8, ffn=28672, **LLAMA_3, source=LLM_SERVING_SIM),
    "llama-2-7b": Shape(layers=32, hidden=4096, heads=32, kv_heads=32, ffn=11008, **LLAMA_2, source=VIDUR),
    "llama-2-70b": Shape(layers=80, hidden=8192, heads=64, kv_heads=8, ffn=28672, **LLAMA_2, source=VIDUR),
    "tiny": Shape(
        layers=2,
        hidden=64,
        heads=4,
        kv_heads=2,
        head_dim=16,
        ffn=128,
        vocabulary=100,
        rotary_base=10000,
        source="none: a model for tests",
    ),
}


def shape(name: str) -> Shape:
    """The shape of this name, such as 'llama-3-8b'."""
    check_known("model", name, SHAPES)
    return SHAPES[name]
