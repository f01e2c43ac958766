#pragma once

#include "core/state/hash_map.hh"

#include <cstdint>

namespace memsim::ohm {

/// The directory of two-level mode's DRAM: a direct-mapped cache whose tag, valid and dirty bits
/// lie in the ECC region of each line (Ohm-GPU III-B), so that one access returns data and tag. The
/// table represents these bits; the controller uses them only after the line has been read. Only
/// lines that were filled use memory.
class DramCache {
  public:
    static constexpr std::string_view archived_as = "DramCache";
    struct Line {
        std::uint64_t tag = 0;
        bool dirty = false;
    };
    using Element = Line;
    template <class Archive>
    void archive(Archive& a) {
        a(lines_);
    }

    /// The valid line of a set, or nullptr.
    const Line* find(std::uint64_t set) const { return lines_.find(set); }
    bool hit(std::uint64_t set, std::uint64_t tag) const {
        const Line* const line = lines_.find(set);
        return line && line->tag == tag;
    }
    void fill(std::uint64_t set, std::uint64_t tag, bool dirty) { lines_[set] = {tag, dirty}; }
    void mark_dirty(std::uint64_t set) { lines_[set].dirty = true; }
    std::size_t size() const { return lines_.size(); }

  private:
    HashMap<Line> lines_;
};

/// The place of a logical address in two-level mode, in mixed radix. Chunks of `chunk` bytes are
/// interleaved over the controllers. Within a controller, line l has set l mod sets and tag l /
/// sets, and lies at its own address in XPoint, whose 256-byte lines are interleaved over the
/// modules.
struct LineMap {
    std::uint64_t chunk = 2048;
    std::uint64_t controllers = 1, controller = 0;
    std::uint64_t line_bytes = 128;
    std::uint64_t sets = 1;
    std::uint64_t modules = 1;

    static constexpr std::uint64_t stripe = 256;

    std::uint64_t controller_of(std::uint64_t address) const {
        return address / chunk % controllers;
    }
    /// The address within this controller's range.
    std::uint64_t local(std::uint64_t address) const {
        return address / chunk / controllers * chunk + address % chunk;
    }
    std::uint64_t set_of(std::uint64_t local) const { return local / line_bytes % sets; }
    std::uint64_t tag_of(std::uint64_t local) const { return local / line_bytes / sets; }
    std::uint64_t line_at(std::uint64_t set, std::uint64_t tag) const {
        return (tag * sets + set) * line_bytes;
    }
    std::uint32_t module_of(std::uint64_t local) const {
        return static_cast<std::uint32_t>(local / stripe % modules);
    }
    std::uint64_t module_address(std::uint64_t local) const {
        return local / stripe / modules * stripe + local % stripe;
    }
};

} // namespace memsim::ohm
