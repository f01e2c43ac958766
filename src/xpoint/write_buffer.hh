#pragma once

#include "core/kernel/component.hh"
#include "core/state/hash_map.hh"
#include "parts/sector_store.hh"
#include "xpoint/line_sectors.hh"

#include <bit>
#include <optional>
#include <vector>

namespace memsim::xpoint {

/// The persistent write buffer of a module: lines on their way to the media. Writes to a line
/// coalesce until it is being written to the media; then there may be a younger one of it. A value
/// for State.
class WriteBuffer {
  public:
    struct Entry {
        std::uint64_t line = 0;
        std::uint64_t order = 0;  ///< the oldest drains first
        std::uint8_t sectors = 0; ///< written whole, a bit each
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
        free_ = entries == 64 ? ~std::uint64_t {0} : (std::uint64_t {1} << entries) - 1;
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
    /// An entry of the line that may still be written to.
    std::optional<std::uint8_t> open(std::uint64_t line) const {
        const auto entry = find(line);
        return entry && !entries_[*entry].draining ? entry : std::nullopt;
    }
    /// A new entry. Precondition: it is not full.
    std::uint8_t take(std::uint64_t line, std::uint64_t order);
    /// The media has it.
    void release(std::size_t entry);

    /// Takes a sector of a write; `whole`: of what was there nothing is left.
    void put(std::size_t entry, std::uint64_t sector, const SectorBytes& data, bool whole);
    /// Puts what was written to an entry over what is below. A sector that was written whole leaves
    /// nothing of that: it may be another page's.
    void cover(std::size_t entry, std::uint64_t sector, SectorBytes& below) const;
    /// The same with all entries of a line, the oldest first.
    void cover_by_all(std::uint64_t line, std::uint64_t sector, SectorBytes& below) const;
    /// What the host copies in.
    void copy_in(std::uint64_t line, std::uint64_t sector, const SectorBytes& data);
    /// A new entry knows nothing yet.
    void forget(std::size_t entry) { contents_.forget(entry * line_sectors, line_sectors); }
    const parts::SectorStore& contents() const { return contents_; }

  private:
    std::vector<Entry> entries_;
    std::uint64_t free_ = 0; ///< a bit each
    HashMap<std::uint8_t> youngest_;
    parts::SectorStore contents_; ///< eight sectors of each entry: what was written, and no more
};

} // namespace memsim::xpoint
