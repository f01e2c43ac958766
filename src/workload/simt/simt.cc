#include "workload/simt/simt.hh"

#include "core/base/bits.hh"

#include <algorithm>

namespace memsim::workload {

Warp::Warp(BlockRun& run, u32 index, Mask threads)
    : CopyFlow(run.out.warps[index], run.out.counts, threads, run.by_rule), run_(run),
      index_(index),
      threads_(threads), block_ {run.block % run.launch.grid[0],
                                 run.block / run.launch.grid[0] % run.launch.grid[1],
                                 run.block / run.launch.grid[0] / run.launch.grid[1]} {
    use(rule::prologue, 0);
}

Lanes<u32> Warp::number(u32 dimension, bool in_grid) {
    const auto& block = run_.launch.block;
    Lanes<u32> numbers(detail::Unset {});
    const u32 first = index_ * warp_lanes;
    const u32 offset = in_grid ? block_[dimension] * block[dimension] : 0;
    const u32 below = dimension == 0 ? 1 : dimension == 1 ? block[0] : block[0] * block[1];
    if (dimension == 0 && block[1] * block[2] == 1)
        for (u32 i = 0; i < warp_lanes; ++i) numbers[i] = offset + first + i;
    else
        for (u32 i = 0; i < warp_lanes; ++i)
            numbers[i] = offset + (first + i) / below % block[dimension];
    numbers.flow = this;
    use(in_grid ? rule::thread_number : 1, 0);
    return numbers;
}

Lanes<u32> Warp::lane() {
    Lanes<u32> numbers(detail::Unset {});
    for (u32 i = 0; i < warp_lanes; ++i) numbers[i] = i;
    numbers.flow = this;
    use(1, 0);
    return numbers;
}

u32 bank_passes(Mask lanes, const std::array<u32, warp_lanes>& address, u32 width) {
    constexpr u32 banks = 32, word = 4;
    std::array<u8, banks> held {}; // different words per bank
    std::array<std::array<u32, 2 * warp_lanes>, banks> words;
    u32 most = 1;
    for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
        const u32 from = address[static_cast<u32>(std::countr_zero(rest))];
        for (u32 w = from / word; w <= (from + width - 1) / word; ++w) {
            auto& bank = words[w % banks];
            u8& n = held[w % banks];
            if (std::find(bank.begin(), bank.begin() + n, w) != bank.begin() + n) continue;
            bank[n++] = w;
            most = std::max<u32>(most, n);
        }
    }
    return most;
}

Block::Block(BlockRun run) : run_(run) {
    const u32 threads = run.launch.threads_per_block();
    const u32 warps = run.launch.warps_per_block();
    run_.out.warps.resize(warps);
    for (auto& bytes : run_.out.warps) bytes.clear();
    run_.out.counts = {};
    warps_.reserve(warps);
    for (u32 w = 0; w < warps; ++w) {
        const u32 in_warp = threads - w * warp_lanes;
        warps_.emplace_back(run_, w, low_bits<Mask>(std::min(in_warp, warp_lanes)));
    }
}

void Block::end() {
    for (Warp& w : warps_) w.exit();
}

void* Block::reserve(u64 bytes) {
    shared_.push_back(std::make_unique<u64[]>((bytes + 7) / 8));
    shared_bytes_ += static_cast<u32>((bytes + 7) / 8 * 8);
    MEMSIM_ASSERT(shared_bytes_ <= run_.launch.shared_bytes,
                  "a block uses more shared memory than its kernel states");
    return shared_.back().get();
}

void over_operation_limit(const BlockRun& run) {
    throw ConfigError(
        "block " + std::to_string(run.block) + " of kernel " + run.launch.kernel +
        " exceeded the limit of " + std::to_string(run.operation_limit) +
        " operations: blocks run one after the other, so a block that waits for another "
        "never ends; if the block is just long, raise operation_limit");
}

} // namespace memsim::workload
