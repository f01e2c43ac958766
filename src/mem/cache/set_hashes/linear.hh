#pragma once

#include "device_parts/interleave.hh"
#include "mem/cache/lines/set_hash.hh"

namespace memsim::mem {

/// The number of the line modulo the number of sets. Lines at a stride of a multiple of the number
/// of sets share a set.
class LinearSets final : public PolicyModel<LinearSets, SetHash> {
  public:
    struct Params {};
    struct State {};
    explicit LinearSets(const Params& p) : params(p) {}
    void resize(std::uint64_t sets) override { sets_ = device_parts::Divider(sets); }
    std::uint64_t set(std::uint64_t line) const override { return sets_.remainder(line); }
    const Params params;
    State state;

  private:
    device_parts::Divider sets_;
};

} // namespace memsim::mem
