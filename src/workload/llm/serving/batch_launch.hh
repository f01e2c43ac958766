#pragma once

#include "workload/llm/serving/batch_plan.hh"

namespace memsim::workload {

/// The current launch and the data that its kernel processes.
class BatchLaunch {
  public:
    BatchLaunch(const BatchMemory& arrays, const PlannedLaunch& launch)
        : arrays_(arrays), launch_(launch) {}

  protected:
    const DecoderShape& model() const { return arrays_.shape.model; }
    const BatchLayer& layer() const { return arrays_.layers[launch_.layer]; }
    const Step& step() const { return arrays_.schedule.steps[launch_.step]; }
    u32 hidden_words() const { return model().hidden / values_in_word; }
    /// The first entry of a request in the block table.
    u32 table_of(const Span& span) const {
        return span.table * arrays_.shape.requests.blocks_each();
    }

    const BatchMemory& arrays_;
    const PlannedLaunch& launch_;
};

/// The word of four values of each lane.
inline Lanes<u64> packed_word(Warp& w, const std::array<Lanes<float>, 4>& value) {
    constexpr u32 instructions = 2; // each packs two values
    return w.apply<u64>(
        instructions, [&](u32 i) { return pack_values<u64>([&](u32 j) { return value[j][i]; }); },
        value[0], value[1], value[2], value[3]);
}
/// The four values of the word of each lane.
inline std::array<Lanes<float>, 4> unpacked_word(Warp& w, const Lanes<u64>& word) {
    std::array<Lanes<float>, 4> value;
    for (u32 j = 0; j < 4; ++j)
        value[j] = w.apply<float>(
            1, [&](u32 i) { return packed_bf16(word[i], j); }, word);
    return value;
}

} // namespace memsim::workload
