#pragma once

#include "ohm/two_level/dram_cache.hh"
#include "parts/deferred_writes.hh"
#include "parts/sector_store.hh"
#include "protocol/mem.hh"

namespace memsim::ohm {

struct CachedLinesState {
    DramCache tags;
    parts::SectorStore dram;        ///< contents
    parts::DeferredWrites deferred; ///< to lines that requests use, by their sets
};

/// The lines that the DRAM of two-level mode holds: which they are, and, where the machine carries
/// contents, their bytes. A view over State.
class CachedLines {
  public:
    /// All outlive it.
    CachedLines(CachedLinesState& state, const LineMap& map, Contents& contents)
        : state_(state), map_(map), contents_(contents) {}

    std::uint64_t address(std::uint64_t set) const { return set * map_.line_bytes; } ///< in DRAM
    const DramCache::Line* find(std::uint64_t set) const { return state_.tags.find(set); }
    std::size_t count() const { return state_.tags.size(); }
    /// The line with this tag is to be written, by a request that `writes` or by a fill. True if it
    /// takes the place of another one, of which nothing is left.
    bool put(std::uint64_t set, std::uint64_t tag, bool writes);

    // Contents. What a dirty line takes along to XPoint:
    Contents::Id victim(std::uint64_t set) const;
    /// What a read that hits gets.
    Contents::Id read(std::uint64_t set, protocol::MemRequest r) const;
    /// A read's part of a line that came from XPoint.
    Contents::Id part_of(Contents::Id line, const protocol::MemRequest& r) const;
    /// The line that came from XPoint goes to its place, if one came.
    void fill(std::uint64_t set, Contents::Id line) {
        state_.dram.replace(contents_, sector(set), line);
    }
    /// What a request writes goes into its line.
    void write(std::uint64_t set, std::uint64_t address, Contents::Id contents);

    /// A look at a line; what the DRAM does not know is to be looked up in XPoint. A line in DRAM
    /// is younger than XPoint's, or equal to it. What is copied into a line in use is kept until
    /// settled(): bytes from before may be on their way to the DRAM.
    void functional(std::uint64_t local, bool in_use, FunctionalAccess& access);
    /// No request uses the set any more: calls write(access) for what was copied in meanwhile.
    template <class F>
    void settled(std::uint64_t set, F&& write) {
        state_.deferred.arrive(set, write);
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
