#pragma once

#include "device_parts/hashed_interleave/hashed_interleave.hh"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsim::mem {

/// An array that a program reads, and its group.
struct AheadArray {
    std::uint64_t base = 0, bytes = 0;
    std::uint32_t group = 0;
    std::uint32_t signal = no_signal; ///< by which the program announces that it will read it

    static constexpr std::uint32_t no_signal = ~std::uint32_t {0};
    std::uint64_t end() const { return base + bytes; }
};

/// The arrays of a program in the order in which it reads them, by group. After the last group the
/// program begins again with the first.
class AheadArrays {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    AheadArrays() = default;
    /// `text`: first address and size of each array, such as '0B 4KiB, 4KiB 1KiB; 8KiB 4KiB', with
    /// a semicolon between groups; '8KiB 4KiB 3' is an array with signal 3. Throws ConfigError.
    AheadArrays(const std::string& text, std::uint64_t line);

    std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }
    std::uint32_t groups() const { return groups_; }
    const AheadArray& operator[](std::uint32_t i) const { return all_[i]; }
    /// The array that contains this address, or `none`.
    std::uint32_t find(std::uint64_t address) const;
    /// An array that contains an address from `begin` to before `end`, or `none`.
    std::uint32_t overlapping(std::uint64_t begin, std::uint64_t end) const;
    /// The first array of a group.
    std::uint32_t first(std::uint32_t group) const;
    /// Groups from `from` to `to`, in the order in which they are read.
    std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
        return to >= from ? to - from : to + groups_ - from;
    }

    /// Calls f(array) for each array with this signal.
    template <class F>
    void each_with(std::uint32_t signal, F&& f) const {
        for (std::uint32_t a = 0; a < size(); ++a)
            if (all_[a].signal == signal) f(a);
    }

  private:
    void sort_by_address();

    std::vector<AheadArray> all_;
    std::vector<std::uint32_t> by_address_;
    std::uint32_t groups_ = 0;
};

/// The addresses of one way of an interleave.
struct AheadShare {
    device_parts::HashedInterleave interleave;
    std::uint32_t way = 0;

    std::uint64_t address(std::uint64_t within) const { return interleave.address(way, within); }
    /// The first position within the way whose address is at or after `address`.
    std::uint64_t from(std::uint64_t address, std::uint64_t chunk) const {
        std::uint64_t at = interleave.within(address) / chunk * chunk; // near it in another way
        while (at && this->address(at) > address) at -= chunk;
        while (this->address(at) + chunk <= address) at += chunk;
        const std::uint64_t here = this->address(at);
        return here < address ? at + (address - here) : at;
    }
};

} // namespace memsim::mem
