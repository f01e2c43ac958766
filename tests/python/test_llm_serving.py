"""memsim.llm.engine: a load of requests, its kernels, statistics, regions and contents."""

import dataclasses
from pathlib import Path

import pytest

import memsim
from memsim import llm, systems
from memsim.systems import far, placed

CONFIGS = Path(__file__).parents[2] / "configs"
LOAD = dict(requests=3, prompt=21, prompt_spread=9, tokens=4, arrival_gap=1)
MOE = "router top_k align place gate_up down combine".split()


def machine(model: str = "tiny-moe", contents: bool = False, **parameters):
    root = memsim.Root(seed=1, contents=contents)
    root.model = llm.engine(model, **LOAD | parameters)
    root.gpu = systems.h100(form="pcie", sms=2, channels=4, slices=4, l2="640KiB")
    root.model.dispatcher = root.gpu.dispatcher.host
    return root


def run(model: str = "tiny-moe", **parameters):
    """A run that has ended, as (statistics of the engine, kernels as a table)."""
    root = machine(model, **parameters)
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        simulation.stats.dump("end")
        launches = memsim.results().launches(simulation.id)
        yield root.model.stats, launches


@pytest.fixture
def ran(request, in_tmp):
    yield from run(**getattr(request, "param", {}))


def with_(**parameters):
    return pytest.mark.parametrize("ran", [parameters], indirect=True, ids=[" ".join(parameters)])


def test_shapes_with_experts_have_their_bytes() -> None:
    shape = llm.shape("mixtral-8x7b")
    assert shape.expert_bytes_of(16) == 3 * 2 * 4096 * 14336 == 352_321_536
    assert (shape.step_bytes + shape.head_bytes) / 2 == pytest.approx(46.7e9, rel=0.001)
    assert "tiny-moe" not in llm.dense_models() and "tiny" in llm.dense_models()
    with pytest.raises(memsim.Error, match="'mixtral-8x7b' has experts.*use llm.engine"):
        llm.decoder("mixtral-8x7b")


def gate_up_time(program, gpu) -> float:
    """Nanoseconds of the kernel."""
    root = memsim.Root(seed=1)
    root.model = program
    root.gpu = gpu
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        simulation.stats.dump("end")
        launches = memsim.results().launches(simulation.id)
    return float(launches.time_ns[launches.kernel == "gate_up"].iloc[0])


def test_a_shape_of_ones_own() -> None:
    own = dataclasses.replace(llm.shape("tiny-moe"), layers=3, experts=6, source="own")
    model = llm.engine(own)
    assert (int(model.layers), int(model.experts), int(model.hidden)) == (3, 6, 64)
    assert int(llm.decoder(dataclasses.replace(own, experts=0), layers=2, context=7).layers) == 2
    with pytest.raises(memsim.Error, match="there is no model '7'"):
        llm.engine(7)


@pytest.mark.parametrize("make", [llm.engine, llm.decoder])
def test_a_model_has_no_more_layers(make) -> None:
    assert int(make("llama-3-8b", layers=32).layers) == 32
    with pytest.raises(memsim.Error, match=r"test_llm_serving.py:\d+: layers=33: the model has 32 layers"):
        make("llama-3-8b", layers=33)
    with pytest.raises(memsim.Error, match="layers=99: the model has 2 layers: simulate as many or fewer"):
        make("tiny", layers=99)


def test_a_parameter_replaces_that_of_the_shape() -> None:
    assert int(llm.engine("tiny-moe").experts) == 4
    assert int(llm.engine("tiny-moe", experts=16).experts) == 16
    assert int(llm.engine("tiny", hidden=128, heads=2, layers=1).hidden) == 128
    assert int(llm.decoder("tiny", context=7, ffn=64).ffn) == 64


def test_a_batch_reads_weights_as_fast_as_one_request_if_slices_are_hashed(in_tmp) -> None:
    """A tenth of an H100 and 17 MB of weights in rows of 8 KiB, of which a block needs 128 bytes each in a step."""
    sizes = dict(layers=1, hidden=4096, heads=1, kv_heads=1, head_dim=16, ffn=1024, vocabulary=0, tokens=1)
    requests = dict(requests=1, prompt=64, batch=1)
    share = dict(form="pcie", sms=11, channels=8, slices=8, l2="5MiB")
    decode = gate_up_time(memsim.workload.LanguageModel(**sizes, context=16), systems.h100(**share))
    batch = gate_up_time(memsim.workload.ServingEngine(**sizes, **requests), systems.h100(**share))
    in_turn = gate_up_time(memsim.workload.ServingEngine(**sizes, **requests), systems.h100(**share, hash_rounds=0))
    assert batch < 1.25 * decode  # more of the batch's lines leave the L2 for copies in its other half
    assert in_turn > 1.35 * batch  # all rows of a step lie in one of the eight slices


def test_a_large_batch_is_limited_by_the_tensor_cores_of_an_a100(in_tmp) -> None:
    sizes = dict(layers=1, hidden=1024, heads=1, kv_heads=1, head_dim=16, ffn=2048, vocabulary=0, tokens=1)
    program = memsim.workload.ServingEngine(**sizes, requests=1, prompt=512, batch=1)
    time = gate_up_time(program, systems.a100(sms=8, channels=8, slices=8, l2="4MiB"))
    products = 2 * 1024 * 2048 * 512 / (8 * 4 * 256 * 1.41)  # ns at the peak of 8 SMs
    assert 0.7 < products / time < 1


def test_operands_in_shared_memory_make_large_products_of_an_h100_faster(in_tmp) -> None:
    sizes = dict(layers=1, hidden=1024, heads=1, kv_heads=1, head_dim=16, ffn=2048, vocabulary=0, tokens=1)
    times = [
        gate_up_time(
            memsim.workload.ServingEngine(**sizes, requests=1, prompt=512, batch=1, shared_operands=shared),
            systems.h100(sms=8, channels=8, slices=8, l2="5MiB"),
        )
        for shared in (False, True)
    ]
    products = 2 * 1024 * 2048 * 512 / (8 * 4 * 512 * 1.98)  # ns at the peak of 8 SMs
    assert times[1] < 0.9 * times[0]
    assert 0.45 < products / times[1] < 1


def test_copies_to_a_second_buffer_make_large_products_of_an_h100_faster(in_tmp) -> None:
    """The operands, 9 MB, do not fit an L2 of 5 MiB, of which a half holds 2.5; then memory limits both."""
    sizes = dict(layers=1, hidden=1024, heads=1, kv_heads=1, head_dim=16, ffn=2048, vocabulary=0, tokens=1)
    requests = dict(requests=1, prompt=512, batch=1, shared_operands=True)
    times = [
        gate_up_time(
            memsim.workload.ServingEngine(**sizes, **requests, buffers=buffers),
            systems.h100(sms=8, channels=8, slices=8, l2="10MiB"),
        )
        for buffers in (1, 2)
    ]
    assert times[1] < 0.95 * times[0]


def test_statistics_count_requests_and_tokens(ran) -> None:
    stats, launches = ran
    assert stats.requests == 3 and stats.tokens == 12 and stats.steps >= 4
    assert stats.time_to_first_token.count == 3 and stats.time_between_tokens.count == 9
    assert stats.request_time.count == 3 and stats.step_tokens.count == stats.steps
    end = launches.ended.max() * 1e-6  # ns
    assert stats.token_rate == pytest.approx(12 / (end * 1e-9), rel=0.01)
    # A request takes as long as its first token and the times between the others.
    total = stats.time_to_first_token.mean * 3 + stats.time_between_tokens.mean * 9
    assert stats.request_time.mean * 3 == pytest.approx(total)
    assert stats.step_time.mean * float(stats.steps) == pytest.approx(end, rel=0.01)


@with_(requests=1, arrival_gap=0, prompt_spread=0)
def test_the_first_token_is_there_when_its_choice_has_ended(ran) -> None:
    stats, launches = ran
    chosen = launches[launches.kernel == "choose"].ended * 1e-6
    assert stats.time_to_first_token.mean == pytest.approx(chosen.iloc[0], abs=0.01)
    assert stats.time_between_tokens.mean == pytest.approx((chosen.iloc[3] - chosen.iloc[0]) / 3, abs=0.01)


@with_(layers=1, requests=2, arrival_gap=0, prompt_spread=0, tokens=2)
def test_kernels_of_a_prompt_and_of_a_token(ran) -> None:
    _, launches = ran
    begin = ["embed", "attention_norm", "qkv", "rotate"]
    end = ["output", "ffn_norm", *MOE, "last_norm", "head", "choose"]
    assert list(launches.kernel) == [*begin, "attend_prompt", *end, *begin, "attend", "merge", *end]


@with_(
    model="tiny", layers=1, requests=2, arrival_gap=0, batch=1, tokens=1, prompt=40, prompt_spread=0, shared_prefix=33
)
def test_a_shared_prefix_is_reused(ran) -> None:
    stats, launches = ran
    assert stats.reused_tokens == 32
    assert stats.step_tokens.max == 40 and stats.step_tokens.min == 8
    assert not set(MOE[:4]) & set(launches.kernel)


CROWDED = dict(requests=2, prompt=16, prompt_spread=0, arrival_gap=0, tokens=20, cache_blocks=4)


@with_(model="tiny", layers=1, evict="swap", **CROWDED)
def test_an_evicted_request_is_swapped_out_and_back(ran) -> None:
    stats, launches = ran
    assert stats.evictions == 1 and stats.steps == 23 and stats.tokens == 40
    assert stats.swapped_bytes == 2 * 2 * 2 * 16 * 32 * 2  # out and back, 2 blocks of keys and values
    swaps = launches[launches.kernel.isin(["swap_out", "swap_in"])]
    assert list(swaps.kernel) == ["swap_out", "swap_in"]


@with_(model="tiny", layers=1, evict="recompute", **CROWDED)
def test_an_evicted_request_is_recomputed(ran) -> None:
    stats, launches = ran
    assert stats.evictions == 1 and stats.steps == 23 and stats.tokens == 40
    assert stats.swapped_bytes == 0 and "swap_out" not in set(launches.kernel)
    assert stats.step_tokens.max == 33  # the evicted request's tokens again


@with_(model="tiny", layers=1, **CROWDED)
def test_without_eviction_the_second_request_waits(ran) -> None:
    stats, _ = ran
    assert stats.evictions == 0 and stats.steps == 40


def test_swapped_blocks_may_lie_in_far_memory(in_tmp) -> None:
    root = memsim.Root(seed=1, contents=True)
    root.model = llm.engine("tiny", evict="swap", **CROWDED)
    ranges = llm.placement.far(root.model, "swapped")
    memory = placed.beside(far.memory("c2c").channel, ranges, counted=root.model)
    root.gpu = systems.h100(form="pcie", sms=2, channels=4, slices=4, l2="40KiB", memory=memory)
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        assert simulation.check_contents()["bytes"] > 50_000
        of = placed.traffic(root.gpu)["far"]
        assert of["kv.0.swapped"] > 0 and of["kv.1.swapped"] > 0 and sum(of.values()) > 8192
    with pytest.raises(memsim.Error, match="old_kv: blocks of evicted requests change"):
        llm.placement.far(root.model, "old_kv")


@pytest.mark.parametrize(
    "parameters",
    [
        dict(evict="swap", **CROWDED),
        dict(evict="recompute", kv_bits=8, **CROWDED),
        dict(),
        dict(model="tiny", step_tokens=8, context=17, kv_bits=8),
        dict(weight_bits=4, shared_prefix=12, temperature="100%", prompt=90),
        dict(head=False, batch=2),
    ],
)
def test_contents_are_correct_end_to_end(parameters, in_tmp) -> None:
    root = machine(contents=True, **parameters)
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        assert simulation.check_contents()["bytes"] > 50_000


def test_results_do_not_depend_on_the_machine(in_tmp) -> None:
    """The same tokens are processed together on a slow machine and on a fast one."""
    steps = []
    for sms in 1, 4:
        root = memsim.Root(seed=1)
        root.model = llm.engine("tiny-moe", **LOAD)
        root.gpu = systems.h100(form="pcie", sms=sms, channels=4, slices=4, l2="640KiB")
        root.model.dispatcher = root.gpu.dispatcher.host
        with memsim.Simulation(root) as simulation:
            simulation.simulate()
            stats = root.model.stats
            steps.append((int(stats.steps), float(stats.step_tokens.mean), int(stats.launches)))
    assert steps[0] == steps[1]


def test_experts_and_cache_are_regions(in_tmp) -> None:
    root = machine()
    expert, cache = placed.arrays(root.model, "weights.1.experts.3."), placed.arrays(root.model, "kv.1")
    assert [array.bytes for array in expert] == [2 * 64 * 128] * 3  # gate, up, down
    assert len(cache) == 1 and cache[0].bytes % (2 * 2 * 16 * 32) == 0  # blocks of keys and values


@pytest.mark.parametrize(
    "parameters, why",
    [
        (dict(prompt_spread=21), "21 tokens fewer leave nothing of a prompt of 21"),
        (dict(shared_prefix=20), "20 tokens are more than the shortest request has: 12"),
        (dict(step_tokens=7), "7 is below `batch`, and a step has a token of each of 8 requests"),
        (dict(cache_blocks=1), "1 are fewer than the 2 blocks of a request"),
        (dict(evict="recompute", context=3), "a context is in the cache from the start"),
        (dict(evict="swap", cache_blocks=2, shared_prefix=17, prompt=30), "2 are fewer than the 4 blocks of a request"),
        (dict(experts_per_token=9), "9 is above the 4 experts"),
        (dict(heads=130, kv_heads=2, head_dim=8), "65 heads share keys and values, of at most 64"),
        (dict(hidden=66), "66 is not a multiple of 4"),
        (dict(layers=200, hidden=65536, ffn=262144), "simulate fewer layers, and extrapolate"),
    ],
)
def test_invalid_loads_are_rejected(parameters, why, in_tmp) -> None:
    root = machine()
    for name, value in parameters.items():
        setattr(root.model, name, value)
    with pytest.raises(memsim.Error, match=why):
        memsim.Simulation(root)


def test_a_tiny_load_through_the_script(memsim_command) -> None:
    script = CONFIGS / "llm_serve.py"
    load = "--model tiny-moe --layers 1 --sms 2 --requests 2 --prompt 9 --tokens 2".split()
    shown = memsim_command(script, *load).stdout
    assert "2 requests in 2 steps of 10.0 tokens" in shown and "us between tokens" in shown
