"""memsim.llm: shapes, a decoder of a shape, and the extrapolation from some layers to a whole model."""

from pathlib import Path

import pytest

import memsim
from memsim import llm, systems

CONFIGS = Path(__file__).parents[2] / "configs"


def test_bytes_are_those_of_the_published_models() -> None:
    small, large = llm.shape("llama-3-8b"), llm.shape("llama-3-70b")
    assert small.layer_bytes == 2 * 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336) == 436_207_616
    assert small.head_bytes == 128256 * 4096 * 2
    assert small.token_bytes == 131_072 and large.token_bytes == 327_680  # LLMServingSim
    # All parameters: 8.03 and 70.6 thousand million, with the embedding.
    assert (small.step_bytes + small.head_bytes) / 2 == pytest.approx(8.03e9, rel=0.001)
    assert (large.step_bytes + large.head_bytes) / 2 == pytest.approx(70.6e9, rel=0.001)
    seven = llm.shape("llama-2-7b")
    assert (seven.step_bytes + seven.head_bytes) / 2 == pytest.approx(6.74e9, rel=0.001)
    assert all(shape.source and shape.heads % shape.kv_heads == 0 for shape in llm.SHAPES.values())
    with pytest.raises(memsim.Error, match="there is no model 'llama-3-8'.*'llama-3-8b'"):
        llm.shape("llama-3-8")


def test_weights_of_fewer_bits_have_scales() -> None:
    shape = llm.shape("llama-3-8b")
    # A scale of 2 bytes for 128 weights.
    assert shape.layer_bytes_of(8) == shape.layer_bytes // 2 * (1 + 2 / 128)
    assert shape.layer_bytes_of(4) == shape.layer_bytes // 4 * (1 + 4 / 128)
    assert shape.head_bytes_of(4) == 128256 * (4096 // 2 + 2 * 32)


@pytest.mark.parametrize("parameters", [dict(weight_bits=8), dict(weight_bits=4), dict(kv_bits=8)])
def test_fewer_bits_read_fewer_bytes(parameters, in_tmp) -> None:
    def of(name, kernels):
        return sum(moved for kernel, moved in kernels if kernel == name)

    read, all_bits = run(context=400, **parameters), run(context=400)
    share = parameters.get("weight_bits", 16) / 16
    for kernel in ("gate_up", "down", "qkv"):
        assert share * of(kernel, all_bits) * 0.9 <= of(kernel, read) <= share * of(kernel, all_bits) * 1.2 + 2048
    share = parameters.get("kv_bits", 16) / 16
    assert of("attend", read) <= share * of("attend", all_bits) * 1.1 + 2048


def test_a_rate_is_extrapolated_to_all_layers() -> None:
    shape = llm.shape("llama-3-8b")
    assert llm.tokens_per_second(250e-6, 0, shape) == pytest.approx(1 / (32 * 250e-6))
    assert llm.tokens_per_second(250e-6, 2e-3, shape) == pytest.approx(100)
    # 32 layers of 9 kernels and the 4 of embedding and head.
    assert llm.tokens_per_second(250e-6, 2e-3, shape, launch_latency=1e-6) == pytest.approx(1 / (10e-3 + 292e-6))
    assert llm.tokens_per_second(250e-6, 2e-3, shape, 4, 1e-6) == pytest.approx(1 / (10e-3 + 132e-6))


def run(**parameters):
    """Kernels of a run of the tiny model, as (name, bytes of DRAM), and the machine's statistics."""
    root = memsim.Root(seed=1)
    root.model = llm.decoder("tiny", **parameters)
    root.gpu = systems.h100(form="pcie", sms=2, channels=4, slices=4, l2="640KiB")
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as machine:
        machine.simulate()
        machine.stats.dump("end")
        launches = memsim.results().launches(machine.id)
    return list(zip(launches.kernel, launches.dram_bytes))


def test_kernels_of_a_step_and_their_reads(in_tmp) -> None:
    kernels = run(context=40, head=True)
    names = [name for name, _ in kernels]
    layer = "attention_norm qkv rotate attend merge output ffn_norm gate_up down".split()
    assert names == ["embed", *layer, *layer, "last_norm", "head", "choose"]
    assert len(layer) == llm.LAUNCHES_OF_LAYER and len(names) - 2 * len(layer) == llm.LAUNCHES_OF_HEAD
    # Weights are read once; little else is read from memory.
    shape = llm.shape("tiny")
    read = dict(kernels[1:10])
    assert 2 * 3 * 64 * 128 <= read["gate_up"] + read["down"] <= 1.1 * 2 * 3 * 64 * 128 + 2048
    assert sum(moved for _, moved in kernels[1:19]) >= 2 * shape.layer_bytes
    assert [name for name, _ in run(layers=1, context=40)] == layer


@pytest.mark.parametrize(
    "parameters, why",
    [
        (dict(kv_heads=3), "3 does not divide 4 heads"),
        (dict(hidden=66), "66 is not a multiple of 4"),
        (dict(head_dim=24), "24 is not a power of 2"),
        (dict(weight_bits=5), "5 is not 16, 8 or 4"),
        (dict(kv_bits=12), "12 is not 16 or 8"),
        (dict(weight_bits=4, hidden=72), "72 is not a multiple of 16"),
        (dict(layers=200, hidden=65536, ffn=262144), "simulate fewer layers, and extrapolate"),
    ],
)
def test_invalid_models_are_rejected(parameters, why, in_tmp) -> None:
    root = memsim.Root(seed=1)
    root.model = memsim.workload.LanguageModel(**parameters)
    root.gpu = systems.gpu(sms=1, memory="hbm2", channels=1)
    root.model.dispatcher = root.gpu.dispatcher.host
    with pytest.raises(memsim.Error, match=why):
        memsim.Simulation(root)


def test_a_tiny_model_through_the_script(memsim_command) -> None:
    script = CONFIGS / "llm_decode.py"
    shown = memsim_command(script, "--model", "tiny", "--layers", "1", "--sms", "2", "--context", "20").stdout
    assert "us a layer" in shown and "tokens a second, extrapolated to 2 layers and a head as fast as they" in shown
    shown = memsim_command(script, "--model", "tiny", "--layers", "1", "--sms", "2", "--head").stdout
    assert shown.rstrip().endswith("extrapolated to 2 layers")
