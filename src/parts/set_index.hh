#pragma once

#include "parts/interleave.hh"

#include <array>
#include <string_view>

namespace memsim::parts {

/// How a line finds its set: by its number modulo the sets, or by that with all higher bits folded
/// over it by exclusive or, so that strides of a power of two spread over the sets (Gonzalez,
/// Valero, Topham and Parcerisa, ICS 1997).
enum class SetHash : std::uint8_t { none, xor_fold };
constexpr std::array<std::string_view, 2> names_of(SetHash) { return {"none", "xor_fold"}; }

/// Any number of sets; hashed, a power of two. Lines that are equal above the index bits stay one
/// to one with the sets.
class SetIndex {
  public:
    explicit SetIndex(std::uint64_t sets = 1, SetHash hash = SetHash::none)
        : sets_(sets), bits_(hash == SetHash::none ? 0 : std::countr_zero(sets)) {}
    std::uint64_t sets() const { return sets_.value(); }
    std::uint64_t operator()(std::uint64_t line) const {
        if (bits_)
            for (std::uint64_t rest = line >> bits_; rest; rest >>= bits_) line ^= rest;
        return sets_.remainder(line);
    }

  private:
    Divider sets_;
    int bits_;
};

} // namespace memsim::parts
