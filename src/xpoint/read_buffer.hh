#pragma once

#include "core/kernel/component.hh"
#include "core/state/hash_map.hh"
#include "device_parts/sector_store.hh"
#include "xpoint/line_sectors.hh"

#include <optional>
#include <vector>

namespace memsim::xpoint {

/// The lines read from the media. A line stays until its place is needed; unused places are
/// replaced in turn. Reads of the same line share its place (mask `users`). A line that is written
/// is no longer found, but its current users keep it. A value for State.
class ReadBuffer {
  public:
    enum class Fill : std::uint8_t { none, waiting, reading, valid };
    struct Entry {
        std::uint64_t line = 0;
        std::uint64_t order = 0; ///< the oldest waiting entry is read first
        std::uint64_t users = 0;
        Fill fill = Fill::none;
        bool listed = false; ///< later reads may use it
    };

    static constexpr std::string_view archived_as = "ReadBuffer";
    using Element = Entry;
    template <class Archive>
    void archive(Archive& a) {
        a(entries_), a(next_), a(places_), a(contents_);
    }
    void check_loaded(Loader& l, std::size_t users, std::uint64_t lines) const;

    void resize(std::size_t entries) { entries_.resize(entries); }
    std::size_t size() const { return entries_.size(); }
    Entry& operator[](std::size_t i) { return entries_[i]; }
    const Entry& operator[](std::size_t i) const { return entries_[i]; }

    /// The place where the line is, or will be.
    std::optional<std::uint8_t> find(std::uint64_t line) const {
        const std::uint8_t* const place = places_.find(line);
        return place ? std::optional(*place) : std::nullopt;
    }
    /// Allocates a place for a line to read; none if all are in use.
    std::optional<std::uint8_t> take(std::uint64_t line, std::uint64_t order);
    /// The line is being written. Returns false if a read of it waits for the media and must not
    /// see the write.
    bool give_up(std::uint64_t line);
    /// A user has received its data.
    void release(std::size_t entry, std::uint32_t user);

    device_parts::SectorStore& contents() { return contents_; } ///< eight sectors per place
    const device_parts::SectorStore& contents() const { return contents_; }

  private:
    std::vector<Entry> entries_;
    std::uint32_t next_ = 0; ///< start of the search for a place
    HashMap<std::uint8_t> places_;
    device_parts::SectorStore contents_;
};

} // namespace memsim::xpoint
