#include "gpu/dispatcher.hh"

#include "core/registry.hh"

#include <algorithm>

namespace memsim::gpu {

static const Registration<Dispatcher> registered {
    "Hands the blocks of kernel launches to SMs, in order."};
static const DebugFlag flag {"Dispatch", "Kernel launches and blocks handed to SMs"};

void Dispatcher::init() {
    auto* host = dynamic_cast<protocol::HasKernels*>(&port.host.peer()->owner());
    MEMSIM_ASSERT(host, "a Host responder must offer its kernels");
    kernels_ = &host->kernels();
    state.room.assign(params.sms(), 0);
}

/// Blocks of this launch that one SM can hold: the scarcest of slots, warps, registers and shared
/// memory decides.
std::uint32_t Dispatcher::occupancy(const protocol::LaunchReply& launch) const {
    const std::uint32_t warps = (launch.threads_per_block + 31) / 32;
    std::uint32_t n = std::min(params.block_slots(), params.warp_slots() / warps);
    if (launch.registers_per_thread)
        n = std::min(n, params.registers() / (launch.registers_per_thread * warps * 32));
    if (launch.shared_bytes)
        n = std::min(n, static_cast<std::uint32_t>(params.shared->raw / launch.shared_bytes));
    if (n == 0)
        throw ConfigError(path() + ": a block of " + std::to_string(launch.threads_per_block) +
                          " threads with " + std::to_string(launch.registers_per_thread) +
                          " registers each and " + std::to_string(launch.shared_bytes) +
                          " bytes of shared memory does not fit in an SM of " +
                          std::to_string(params.warp_slots()) + " warps and " +
                          std::to_string(params.registers()) + " registers");
    return n;
}

void Dispatcher::wake() {
    for (std::uint32_t sm = 0; sm < port.sm_side.size(); ++sm)
        while (!port.sm_side[sm].empty()) {
            port.sm_side[sm].pop();
            ++state.room[sm];
            --state.running;
        }
    const bool launch_done = state.next_block == state.blocks && state.running == 0;
    if (launch_done && state.blocks) {
        const Tick took = now() - state.launch_started;
        stat.kernel_time += Time {took};
        stat.cycles += static_cast<std::uint64_t>(Clock(params.clock()).at_or_after(took).cycle);
        state.blocks = state.next_block = 0;
    }
    while (!port.host.empty()) {
        state.asked = false;
        begin(port.host.pop());
    }
    if (state.blocks == 0 && !state.asked && !state.ended && port.host.can_send()) {
        port.host.send({});
        state.asked = true;
    }
    hand_out();
}

void Dispatcher::begin(const protocol::LaunchReply& launch) {
    const bool past = params.launches() && state.seen >= params.first_launch() + params.launches();
    if (launch.ended || past) {
        state.ended = true;
        return;
    }
    const bool before = state.seen++ < params.first_launch();
    if (before) {
        for (std::uint32_t b = 0; b < launch.blocks; ++b) kernels_->run_block(b, streams_);
        return;
    }
    state.launch = launch.launch;
    state.blocks = launch.blocks;
    state.next_block = 0;
    state.launch_started = now();
    state.resident = occupancy(launch);
    std::fill(state.room.begin(), state.room.end(), state.resident);
    ++stat.launches;
    debug(flag, "launch ", launch.launch, " of ", launch.blocks, " blocks, ", state.resident,
          " in an SM");
}

void Dispatcher::hand_out() {
    while (state.next_block < state.blocks) {
        const auto sm = static_cast<std::size_t>(
            std::max_element(state.room.begin(), state.room.end()) - state.room.begin());
        if (state.room[sm] == 0 || !port.sm_side[sm].can_send()) return;
        const std::uint32_t block = state.next_block++;
        kernels_->run_block(block, streams_);
        const protocol::StreamCounts& counts = streams_.counts;
        stat.warp_instructions += counts.warp_instructions;
        stat.thread_instructions += counts.thread_instructions;
        stat.lane_accesses += counts.lane_accesses;
        ++stat.blocks;
        state.instructions += counts.thread_instructions;
        port.sm_side[sm].send(
            {state.launch, block, static_cast<std::uint32_t>(streams_.warps.size())});
        state.held.push_back({block, std::move(streams_.warps)});
        streams_.warps.clear();
        if (!spare_.empty()) {
            streams_.warps.swap(spare_.back());
            spare_.pop_back();
        }
        debug(flag, "block ", block, " to SM ", sm);
        --state.room[sm];
        ++state.running;
        if (params.max_instructions() && state.instructions >= params.max_instructions()) {
            state.ended = true; // blocks under way go on to their end
            state.next_block = state.blocks;
        }
    }
}

void Dispatcher::take_block(std::uint32_t block, std::vector<std::vector<std::uint8_t>>& warps) {
    const auto it = std::find_if(state.held.begin(), state.held.end(),
                                 [&](const Held& h) { return h.block == block; });
    MEMSIM_ASSERT(it != state.held.end(), "a block is taken that was not handed out");
    warps.swap(it->warps);
    spare_.push_back(std::move(it->warps));
    state.held.erase(it);
}

void Dispatcher::waits_on(WaitReport& report) const {
    if (state.running)
        report.add(path() + " waits for the end of " + std::to_string(state.running) +
                   " blocks of launch " + std::to_string(state.launch));
    else if (!state.ended)
        report.add(path() + " waits for the application's next launch");
}

} // namespace memsim::gpu
