#pragma once

#include "core/base/bits.hh"
#include "core/kernel/component.hh"
#include "core/state/hash_map.hh"
#include "device_parts/sector_store.hh"
#include "xpoint/line_sectors.hh"

#include <bit>
#include <optional>
#include <vector>

namespace memsim::xpoint {

/// The persistent write buffer of a module: lines to be written to the media. Writes to a line
/// coalesce until the media starts to write it; then a younger entry of the line may exist. A value
/// for State.
class WriteBuffer {
  public:
    struct Entry {
        std::uint64_t line = 0;
        std::uint64_t order = 0;  ///< the oldest drains first
        std::uint8_t sectors = 0; ///< mask of completely written sectors
        bool draining = false;    ///< the media is writing it
    };

    static constexpr std::string_view archived_as = "WriteBuffer";
    using Element = Entry;
    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(free_), a(youngest_), a(contents_);
    }
    void check_loaded(Loader& l, std::uint64_t lines) const;

    void resize(unsigned entries) {
        entries_.resize(entries);
        free_ = low_bits(entries);
    }
    std::size_t size() const { return entries_.size(); }
    bool full() const { return free_ == 0; }
    unsigned used() const {
        return static_cast<unsigned>(entries_.size()) - static_cast<unsigned>(std::popcount(free_));
    }
    bool used(std::size_t entry) const { return !(free_ >> entry & 1); }
    Entry& operator[](std::size_t i) { return entries_[i]; }
    const Entry& operator[](std::size_t i) const { return entries_[i]; }

    /// The youngest entry of a line.
    std::optional<std::uint8_t> find(std::uint64_t line) const {
        const std::uint8_t* const entry = youngest_.find(line);
        return entry ? std::optional(*entry) : std::nullopt;
    }
    /// The entry of the line that may still be written to.
    std::optional<std::uint8_t> open(std::uint64_t line) const {
        const auto entry = find(line);
        return entry && !entries_[*entry].draining ? entry : std::nullopt;
    }
    /// A new entry. Requires: not full.
    std::uint8_t take(std::uint64_t line, std::uint64_t order);
    /// The media has written the entry.
    void release(std::size_t entry);

    /// Stores a sector of a write; `whole`: replaces all earlier bytes.
    void put(std::size_t entry, std::uint64_t sector, const SectorBytes& data, bool whole);
    /// Overlays the written bytes of an entry on those below. A sector that was written completely
    /// replaces them, because they may belong to another page.
    void cover(std::size_t entry, std::uint64_t sector, SectorBytes& below) const;
    /// The same with all entries of a line, the oldest first.
    void cover_by_all(std::uint64_t line, std::uint64_t sector, SectorBytes& below) const;
    /// A write by the host.
    void copy_in(std::uint64_t line, std::uint64_t sector, const SectorBytes& data);
    /// Clears the contents of a new entry.
    void forget(std::size_t entry) { contents_.forget(entry * line_sectors, line_sectors); }
    const device_parts::SectorStore& contents() const { return contents_; }

  private:
    std::vector<Entry> entries_;
    std::uint64_t free_ = 0; ///< bit per free entry
    HashMap<std::uint8_t> youngest_;
    device_parts::SectorStore contents_; ///< eight sectors per entry: only written bytes
};

} // namespace memsim::xpoint
