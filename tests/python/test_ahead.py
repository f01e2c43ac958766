"""memsim.systems.ahead: weights in far memory that are read before the program needs them."""

import dataclasses
from pathlib import Path

import numpy
import pytest

import memsim
from memsim import llm, systems, workload
from memsim.llm import placement
from memsim.systems import ahead, far, hbf, nvidia, placed, scale

FOUR_LAYERS = dataclasses.replace(llm.shape("tiny-moe"), layers=4)
CONFIGS = Path(__file__).parents[2] / "configs"
MODEL = dict(layers=2, hidden=256, heads=4, kv_heads=1, head_dim=64, ffn=512, context=16, tokens=2)


SLOW = far.Link("5us", 400)  # but with the rate of many reads at once


def run(program, memory: far.Link = SLOW, buffer: str | None = "4MiB", policies=("weights",), **parameters):
    """A run with contents, as (ns of all kernels, sums of the statistics of mem.ReadAhead, traffic)."""
    root = memsim.Root(seed=1, contents=True)
    root.model = program
    ranges = placement.far(root.model, *policies)
    made = placed.beside(far.linked(memory), ranges, counted=root.model)
    if buffer:
        groups = placement.order(root.model, ranges)
        made = ahead.before(made, groups, buffer, scale.footprint(root.model), ahead=len(groups) - 1, **parameters)
    root.gpu = systems.h100(form="pcie", sms=4, channels=4, slices=4, l2="320KiB", memory=made)
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        simulation.stats.dump("end")
        assert simulation.check_contents()["bytes"] > 10_000
        launches = memsim.results().launches(simulation.id)
        names = ("hits", "late", "misses", "fetches", "useless")
        sums = {name: sum(float(getattr(one.stats, name)) for one in root.gpu.memory) for name in names if buffer}
        return float(launches.time_ns.sum()), sums, placed.traffic(root.gpu)


def test_weights_that_are_read_ahead_cost_less_time(in_tmp) -> None:
    without, _, plain = run(workload.LanguageModel(**MODEL), buffer=None)
    time, sums, traffic = run(workload.LanguageModel(**MODEL))
    assert time < 0.8 * without
    assert sums["hits"] + sums["late"] > 2 * sums["misses"]
    # Nothing is read twice: what is fetched takes the place of what was read.
    weights = plain["far"]["weights.1.gate"]
    assert traffic["far"]["weights.1.gate"] <= 1.6 * weights
    assert traffic["local"]["other"] > 0  # the buffer


def test_a_small_buffer_helps_less(in_tmp) -> None:
    small, of_small, _ = run(workload.LanguageModel(**MODEL), buffer="16KiB")
    larger, of_larger, _ = run(workload.LanguageModel(**MODEL), buffer="256KiB")
    assert larger < small and of_small["hits"] < of_larger["hits"] / 2


def test_experts_of_the_last_step_are_predicted(in_tmp) -> None:
    def program():
        return llm.engine("tiny-moe", requests=1, prompt=3, tokens=8)

    _, of_all, traffic_of_all = run(program(), policies=("experts(local=0)",))
    _, of_last, traffic = run(program(), policies=("experts(local=0)",), predict="last")
    assert of_last["useless"] < 0.8 * of_all["useless"]
    assert of_last["fetches"] < of_all["fetches"]
    assert sum(traffic["far"].values()) < sum(traffic_of_all["far"].values())
    assert of_last["hits"] + of_last["late"] > 0


def experts_ahead(predict: str, memory: far.Link, buffer: str, contents: bool = False, **parameters):
    """Four layers of experts in far memory, behind an L2 that holds less than an expert: the machine after eight
    tokens, and the time."""
    root = memsim.Root(seed=1, contents=contents)
    channels = 4
    if predict == "router":
        parameters["signal_channels"] = channels
    root.model = llm.engine(FOUR_LAYERS, requests=1, prompt=3, tokens=8, **parameters)
    ranges = placement.far(root.model, "experts(local=0)")
    groups = placement.order(root.model, ranges)
    made = placed.beside(far.linked(memory), ranges, counted=root.model)
    if predict != "none":
        by = dict(predict=predict) if predict != "router" else dict(signals=placement.signals(root.model, groups))
        made = ahead.before(made, groups, buffer, scale.footprint(root.model), ahead=len(groups) - 1, **by)
    small = dict(form="pcie", sms=4, channels=channels, slices=channels, l2="40KiB", hash_rounds=1)
    root.gpu = systems.h100(**small, memory=made)
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        assert not contents or simulation.check_contents()["bytes"] > 900_000
        return root, simulation.curTick()


def predicted(predict: str):
    """The machine, the sums of mem.ReadAhead, and the lines of an expert."""
    root, _ = experts_ahead(predict, SLOW, "4MiB", contents=True)
    data = placement.Data(root.model)
    lines = sum(one.bytes for one in data.arrays("weights.1.experts.0.")) // 128
    return root, ahead.reads(root.gpu), lines


def experts(program, array: str) -> list[list[set[int]]]:
    """The experts in an array of the routing, of each layer of each step: the first has the prompt, others a token."""
    used, layers = int(program.experts_per_token), int(program.layers)
    rows = numpy.frombuffer(program._prepared.contents(array), "uint32").reshape(-1, layers, used)
    steps = [rows[:3], *(rows[i : i + 1] for i in range(3, len(rows)))]
    return [[set(step[:, layer].ravel().tolist()) for layer in range(layers)] for step in steps]


def test_the_router_predicts_the_experts_of_the_next_layer(in_tmp) -> None:
    root, of_router, lines = predicted("router")
    _, of_all, _ = predicted("all")
    _, of_last, _ = predicted("last")
    functional = llm.engine(FOUR_LAYERS, requests=1, prompt=3, tokens=8, signal_channels=4)
    scale.footprint(functional)
    functional._prepared.profile()  # runs without timing
    chosen = experts(functional, "activations.routing.chosen")
    guessed = experts(functional, "activations.routing.predicted")
    pairs = [(step, layer) for step in range(len(chosen)) for layer in range(1, 4)]
    used = [guessed[s][layer] & chosen[s][layer] for s, layer in pairs]
    unused = [guessed[s][layer] - chosen[s][layer] for s, layer in pairs]
    missed = [chosen[s][layer] - guessed[s][layer] for s, layer in pairs]
    counts = [sum(map(len, one)) for one in (used, unused, missed)]
    stats = root.model.stats
    assert [stats.predicted_used, stats.predicted_unused, stats.predicted_missed] == counts
    assert counts[0] > 3 * counts[1] > 0 and counts[2] > 0
    # Each channel has parts of gate, up and down; the group of the last `down` is never left.
    end = [len(one[-1]) for one in (used, unused, missed)]
    arrays = [of_router[name] for name in ("predicted_used", "predicted_unused", "predicted_missed")]
    assert arrays == [4 * (3 * n - last) for n, last in zip(counts, end)]
    # Useless are the lines of what was predicted in vain, and those that the first layer's last experts leave.
    first = [chosen[s - 1][0] - chosen[s][0] for s in range(1, len(chosen))]
    in_vain = lines * (counts[1] + sum(map(len, first)))
    assert 0.8 * in_vain <= of_router["useless"] <= in_vain
    assert of_router["useless"] < of_all["useless"] / 4 and of_router["useless"] < of_last["useless"]
    # It catches experts that the last step did not use.
    caught = sum(len(used[i] - chosen[s - 1][layer]) for i, (s, layer) in enumerate(pairs) if s)
    assert caught > 5
    # A matrix is read by several blocks, so a line of it may be several reads.
    assert of_last["misses"] - of_router["misses"] > caught * lines / 2


def test_the_router_saves_time_where_the_buffer_does_not_hold_all_experts_of_a_layer(in_tmp) -> None:
    memory, buffer = far.Link("10us", 20), 512 << 10
    ran = {
        predict: experts_ahead(predict, memory, f"{buffer}B", experts=16)
        for predict in ("none", "all", "last", "router")
    }
    data = placement.Data(ran["none"][0].model)
    assert buffer < sum(one.bytes for one in data.arrays("weights.1.experts."))
    times = {predict: time for predict, (_, time) in ran.items()}
    router = times.pop("router")
    assert router < 0.9 * min(times.values())
    # What is read in vain replaces what is still to be read: it is worse than nothing.
    assert times["all"] > 1.15 * times["none"]


def test_signals_reach_every_channel(in_tmp) -> None:
    model = llm.engine("tiny-moe", requests=1, prompt=3, tokens=2, signal_channels=3)
    ranges = placement.far(model, "experts")
    groups = placement.order(model, ranges)
    memory = ahead.before(
        placed.beside(far.linked(SLOW), ranges), groups, "1MiB", 1 << 20, placement.signals(model, groups)
    )
    small = dict(form="pcie", sms=4, channels=4, slices=4, l2="320KiB", memory=memory)
    with pytest.raises(memsim.Error, match="a signal has 768 bytes, but 4 channels of 256B need 1024"):
        systems.h100(**small, hash_rounds=1)
    with pytest.raises(memsim.Error, match="all channels if a hash deals several rounds: give the GPU hash_rounds=1"):
        systems.h100(**small)
    plain = llm.engine("tiny-moe")
    with pytest.raises(memsim.Error, match="predicts no experts: set signal_channels"):
        placement.signals(plain, placement.order(plain, placement.far(plain, "experts")))
    with pytest.raises(memsim.Error, match="a dense model has no experts to predict"):
        scale.footprint(llm.engine("tiny", signal_channels=4))


def test_groups_are_the_matrices_of_kernels_in_order() -> None:
    model = llm.engine("tiny-moe", weight_bits=8)
    groups = placement.order(model, placement.far(model, "weights"))
    assert len(groups) == 2 * len(placement.KERNELS) + 1
    data = placement.Data(model)
    assert groups[0] == data.arrays("weights.0.attention_norm", "weights.0.qkv", "weights.0.qkv.scales", optional=True)
    assert len(groups[3]) == 4 * 2 * 2 and len(groups[4]) == 4 * 2  # experts; gate and up; scales
    assert groups[-1] == data.arrays("weights.last_norm", "weights.head", "weights.head.scales", optional=True)
    some = placement.order(model, placement.far(model, "layers(last=1)"))
    assert len(some) == len(placement.KERNELS) and some[1] == data.arrays(
        "weights.1.output", "weights.1.output.scales", optional=True
    )


def test_one_group_is_refused() -> None:
    with pytest.raises(memsim.Error, match="nothing to read ahead: give at least two groups"):
        ahead.before(hbf.channel(), [[placed.Range(0, 4096)]], "1MiB", 4096)


def test_the_script_reads_ahead(memsim_command) -> None:
    for buffer, memory in ("local", "local"), ("sram", "far 2"):
        words = f"--model tiny --layers 2 --sms 2 --far hbf --ahead 1MiB --buffer {buffer}".split()
        shown = memsim_command(CONFIGS / "llm_decode.py", *words).stdout
        assert "read ahead: " in shown and " late, " in shown
        assert "MB of other" in shown.partition(f"\n{memory}: ")[2].partition("\n")[0]
    words = "--sms 2 --requests 1 --prompt 3 --far cxl --place experts(local=1) --ahead 1MiB --predict last".split()
    assert "read ahead: " in memsim_command(CONFIGS / "llm_serve.py", *words).stdout
    words[-1] = "router"
    shown = memsim_command(CONFIGS / "llm_serve.py", *words, "--layers", "2", "--tokens", "2").stdout
    assert " predicted experts used" in shown and " predicted_used" in shown
    refused = memsim_command(
        CONFIGS / "llm_serve.py", *"--sms 2 --far cxl --place experts --predict router".split(), expect=1
    )
    assert "--predict router: nothing is read ahead: give the size of a buffer with --ahead" in refused.stderr
    refused = memsim_command(CONFIGS / "llm_serve.py", "--sms", "2", "--ahead", "1MiB", expect=1)
    assert "--ahead: there is no far memory: name one with --far" in refused.stderr


def layer(place: str, buffer: str = "") -> tuple[float, float]:
    """Microseconds of a layer of the second token, and bytes that HBM moves in both, on a twentieth of an H100 SXM.
    `place` has the weights; `buffer` is that of reading ahead."""
    root = memsim.Root(seed=1)
    sizes = dict(layers=1, hidden=512, heads=4, kv_heads=1, head_dim=128, ffn=1792, context=64, tokens=2)
    root.model = workload.LanguageModel(**sizes)
    chip = nvidia.chip("h100-sxm")
    ranges = placement.far(root.model, "weights")
    memory = chip.memory()
    if place == "hbf":
        data = scale.footprint(root.model)
        extra = [(ahead.sram, [ahead.place("16MiB", data)])] if buffer == "sram" else []
        memory = placed.spread([(hbf.channel("dash"), ranges), *extra], memory)
        if buffer:
            groups = placement.order(root.model, ranges)
            memory = ahead.before(memory, groups, "16MiB", data, ahead=len(groups) - 1)
    root.gpu = chip.gpu(sms=7, channels=4, slices=4, l2="2560KiB", memory=memory)
    root.model.dispatcher = root.gpu.dispatcher.host
    with memsim.Simulation(root) as simulation:
        simulation.simulate()
        simulation.stats.dump("end")
        time = memsim.results().launches(simulation.id).time_ns
        routers = [getattr(one, "router", one) for one in root.gpu.memory]
        hbm = [getattr(one, "local", one) for one in routers]
        return float(time[len(time) // 2 :].sum()) / 1000, sum(float(one.stats.bus_bytes) for one in hbm)


@pytest.mark.slow
def test_a_buffer_in_hbm_costs_as_much_as_it_saves_and_one_in_sram_beats_hbm(in_tmp) -> None:
    """The order of docs/models/llm.md, "Time of a layer"."""
    hbm, bytes_of_hbm = layer("hbm")
    flash, _ = layer("hbf")
    local, bytes_of_local = layer("hbf", "local")
    sram, _ = layer("hbf", "sram")
    assert flash > 1.5 * hbm
    assert 0.85 * flash < local < 1.15 * flash
    assert sram < 0.8 * hbm
    assert bytes_of_local > 1.8 * bytes_of_hbm
