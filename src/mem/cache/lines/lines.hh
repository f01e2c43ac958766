#pragma once

#include "mem/cache/lines/line_contents.hh"
#include "mem/cache/lines/map.hh"
#include "mem/cache/params.hh"
#include "parts/mshr.hh"
#include "protocol/probe.hh"

#include <optional>

namespace memsim::mem::cache {

/// A request that waits in an MSHR: all that its answer needs.
struct Target {
    protocol::MemResponse answer;
    SectorMask sectors = 0;
    bool posted = false;  ///< nobody waits
    bool fetched = false; ///< its stamps went below with the fetch
};
using Mshrs = parts::MshrTable<Target>;

/// A request, and what the cache has of its line.
struct Access {
    const protocol::MemRequest& request;
    Map::Place place;
    std::uint32_t line; ///< in the tags, or none
    SectorMask touched, whole;
    SectorMask valid, written, pending; ///< in its line
    bool found() const { return line != parts::TagArray::none; }
    bool is_read() const { return request.command == protocol::Command::read; }
    bool is_write() const { return request.command == protocol::Command::write; }
    SectorMask missing() const {
        return without(touched, is_write() ? SectorMask(valid | written) : valid);
    }
};

/// The lines of a cache, by which a request is looked up: their tags, the MSHRs that fill them and,
/// where the machine carries contents, their bytes. The state outlives it.
class Lines {
  public:
    /// `below`: the port that what is valid from the start is found through.
    Lines(const Config& config, const Map& map, parts::TagArray& tags, Mshrs& mshrs,
          const PortBase& below)
        : tags(tags), mshrs(mshrs), config_(config), map_(map), below_(below) {}
    void carry(Contents& store, LineContents::State& state, std::uint64_t sector_bytes) {
        store_ = &store;
        bytes.emplace(store, tags, state, map_.line_bytes(), sector_bytes);
    }

    /// Changes nothing. Precondition: the request lies within a line.
    Access look_up(const protocol::MemRequest& r, const Map::Place& place) const {
        const Map::Sectors s = map_.sectors(r);
        Access a {r, place, tags.find(place.set, place.line), s.touched, s.whole, 0, 0, 0};
        if (!a.found()) return a;
        a.valid = tags.valid(a.line);
        a.written = tags.dirty(a.line);
        if (tags.locked(a.line)) a.pending = mshrs[tags.lock(a.line)].pending;
        return a;
    }
    /// Whether its dirty sectors must go below before the line goes. A write-through cache calls
    /// those dirty that it knows in part.
    bool must_write_back(std::uint32_t line) const {
        return tags.dirty(line) && (config_.write_back() || tags.kept(line));
    }
    /// Its sectors of which the level below has the bytes, too.
    SectorMask clean(std::uint32_t line) const {
        const SectorMask valid = tags.valid(line);
        return must_write_back(line) ? without(valid, tags.dirty(line)) : valid;
    }
    /// Sectors of a line that writes which wait for its fill have given their bytes to.
    SectorMask claimed(std::uint32_t line) const;
    /// A write or atomic that ends here leaves its bytes in those sectors of the line.
    void take_contents(std::uint32_t line, const protocol::MemRequest& r, SectorMask sectors) {
        if (!bytes) return;
        bytes->write(line, r, sectors, claimed(line));
        store_->release(r.contents);
    }
    /// The bytes of a line that a message is about; none where the machine carries none.
    template <class M>
    Contents::Id contents_of(std::uint32_t line, const M& m) {
        if (!bytes) return {};
        if (config_.warm)
            for_each_sector(m,
                            [&](std::uint64_t sector, std::uint32_t) { complete(line, sector); });
        return bytes->read(line, m);
    }
    /// What the line says of one sector to an untimed look, or takes of it.
    void functional(FunctionalAccess& access);
    /// Whether a sector was written here in whole, or in part, and has never come from below.
    bool unfilled(std::uint64_t address) const;
    void probe(protocol::SectorProbe& probe) const;
    void check_loaded(Loader& l) const;

    parts::TagArray& tags;
    Mshrs& mshrs;
    std::optional<LineContents> bytes; ///< where the machine carries contents

  private:
    std::uint32_t find(std::uint64_t address) const {
        const Map::Place p = map_.place(address);
        return tags.find(p.set, p.line);
    }
    /// What is valid from the start has its bytes below.
    void complete(std::uint32_t line, std::uint64_t sector);

    const Config& config_;
    const Map& map_;
    const PortBase& below_;
    Contents* store_ = nullptr;
};

} // namespace memsim::mem::cache
