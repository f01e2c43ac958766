#pragma once

#include "device_parts/deferred_writes.hh"
#include "device_parts/sector_store.hh"
#include "ohm/two_level/dram_cache.hh"
#include "protocol/mem.hh"

namespace memsim::ohm {

struct CachedLinesState {
    DramCache tags;
    device_parts::SectorStore dram;        ///< contents
    device_parts::DeferredWrites deferred; ///< to lines in use by requests, by set
};

/// The lines held by the DRAM of two-level mode: their tags and, if the machine carries contents,
/// their bytes. A view over State.
class CachedLines {
  public:
    /// All references must outlive the object.
    CachedLines(CachedLinesState& state, const LineMap& map, Contents& contents)
        : state_(state), map_(map), contents_(contents) {}

    std::uint64_t address(std::uint64_t set) const { return set * map_.line_bytes; } ///< in DRAM
    const DramCache::Line* find(std::uint64_t set) const { return state_.tags.find(set); }
    std::size_t count() const { return state_.tags.size(); }
    /// Enters the line with this tag, which a request writes (`writes`) or a fill brings. Returns
    /// whether it replaces another line, which is dropped.
    bool put(std::uint64_t set, std::uint64_t tag, bool writes);

    // Contents of a dirty line that is written to XPoint.
    Contents::Id victim(std::uint64_t set) const;
    /// Contents for a read that hits.
    Contents::Id read(std::uint64_t set, protocol::MemRequest r) const;
    /// The part of a line from XPoint that a read requests.
    Contents::Id part_of(Contents::Id line, const protocol::MemRequest& r) const;
    /// Stores a line from XPoint, if there is one.
    void fill(std::uint64_t set, Contents::Id line) {
        state_.dram.replace(contents_, sector(set), line);
    }
    /// Writes the contents of a request to its line.
    void write(std::uint64_t set, std::uint64_t address, Contents::Id contents);

    /// A functional access to a line. Bytes that the DRAM does not hold are found in XPoint. A line
    /// in DRAM is at least as young as XPoint's. Writes to a line in use are kept until settled(),
    /// because older bytes may be in transit to the DRAM.
    void functional(std::uint64_t local, bool in_use, FunctionalAccess& access);
    /// The set is no longer in use: calls write(access) for the functional writes kept meanwhile.
    template <class F>
    void settled(std::uint64_t set, F&& write) {
        state_.deferred.replay(set, write);
    }

  private:
    std::uint64_t sector(std::uint64_t set) const { return address(set) / SectorBytes::size; }
    std::uint32_t sectors() const {
        return static_cast<std::uint32_t>(map_.line_bytes) / SectorBytes::size;
    }

    CachedLinesState& state_;
    const LineMap& map_;
    Contents& contents_;
};

} // namespace memsim::ohm
