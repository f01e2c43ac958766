#pragma once

#include "core/kernel/contents.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"

#include <array>
#include <string_view>

namespace memsim::mem {

/// A line of far memory that is in the buffer, or will be.
struct AheadLine {
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    /// fetching: its response has not come; arriving: reads that wait for it are being answered;
    /// storing: it waits to be written to the buffer; stored: in the buffer, or nothing is
    /// outstanding.
    enum class Phase : std::uint8_t { fetching, arriving, storing, stored };

    std::uint64_t address = 0;
    std::uint32_t group = 0;
    Phase phase = Phase::stored;
    std::uint8_t read = 0;  ///< a bit for each sector
    bool left = true;       ///< no longer to be found: it is free when nothing is outstanding
    std::uint32_t pins = 0; ///< reads of its place in the buffer that are outstanding
    std::uint32_t head = none, tail = none; ///< reads that wait for it
    Contents::Id data {};                   ///< fetched, not yet stored

    static constexpr std::uint32_t bytes = 128;
    static constexpr std::uint8_t whole = (1u << bytes / SectorBytes::size) - 1;
};

/// The lines of a buffer. A value for State.
struct AheadLines {
    static constexpr std::uint32_t none = AheadLine::none;
    std::vector<AheadLine> all; ///< by place in the buffer
    FreeList free;
    HashMap<std::uint32_t> held; ///< line by address / AheadLine::bytes

    void resize(std::uint32_t lines) {
        all.resize(lines);
        for (std::uint32_t i = lines; i-- > 0;) free.push_back(i);
    }
    AheadLine& operator[](std::uint32_t line) { return all[line]; }
    const AheadLine& operator[](std::uint32_t line) const { return all[line]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(all.size()); }

    /// The line with this address; none if it is not held.
    std::uint32_t find(std::uint64_t address) const {
        const std::uint32_t* const line = held.find(address / AheadLine::bytes);
        return line ? *line : none;
    }
    /// Holds a line that is being fetched. Requires: a line is free.
    std::uint32_t add(std::uint64_t address, std::uint32_t group) {
        const std::uint32_t line = free.back();
        free.pop_back();
        all[line] = {};
        all[line].address = address;
        all[line].group = group;
        all[line].phase = AheadLine::Phase::fetching;
        all[line].left = false;
        held[address / AheadLine::bytes] = line;
        return line;
    }
    void leave(std::uint32_t line, Contents& contents) {
        held.erase(all[line].address / AheadLine::bytes);
        all[line].left = true;
        release(line, contents);
    }
    /// Frees a line that has left, if nothing of it is outstanding.
    void release(std::uint32_t line, Contents& contents) {
        AheadLine& of = all[line];
        if (of.pins || of.phase != AheadLine::Phase::stored) return;
        contents.release(std::exchange(of.data, {}));
        free.push_back(line);
    }
    void check_loaded(Loader& l, std::size_t requests) const {
        for (const AheadLine& line : all)
            for (const std::uint32_t r : {line.head, line.tail})
                if (r != none) l.index("lines.all.head", r, requests);
        l.within("lines.held", [&] {
            l.check(held.all([&](std::uint64_t address, std::uint32_t line) {
                return line < all.size() && !all[line].left &&
                       all[line].address / AheadLine::bytes == address;
            }),
                    "names lines of other addresses");
        });
    }
};

} // namespace memsim::mem
