#pragma once

#include "device_parts/mshr.hh"
#include "mem/cache/lines/line_contents.hh"
#include "mem/cache/lines/map.hh"
#include "mem/cache/params.hh"
#include "protocol/probe.hh"

#include <optional>

namespace memsim::mem::cache {

/// A request that waits in an MSHR, with all that its response needs.
struct Target {
    protocol::MemResponse answer;
    SectorMask sectors = 0;
    bool posted = false;  ///< no response expected
    bool fetched = false; ///< its stamps travel with the fetch
};
using Mshrs = device_parts::MshrTable<Target>;

/// A request and the state of its line.
struct Access {
    const protocol::MemRequest& request;
    Map::Place place;
    std::uint32_t line; ///< in the tags, or none
    SectorMask touched, whole;
    SectorMask valid, written, pending; ///< sectors of its line
    bool found() const { return line != device_parts::TagArray::none; }
    bool is_read() const { return request.command == protocol::Command::read; }
    bool is_write() const { return request.command == protocol::Command::write; }
    SectorMask missing() const {
        return without(touched, is_write() ? SectorMask(valid | written) : valid);
    }
};

/// The lines of a cache: tags, the MSHRs that fill them and, if the machine carries contents, their
/// bytes. The state outlives it.
class Lines {
  public:
    /// `below`: the port through which initially valid bytes are read.
    Lines(const Config& config, const Map& map, device_parts::TagArray& tags, Mshrs& mshrs,
          const PortBase& below)
        : tags(tags), mshrs(mshrs), config_(config), map_(map), below_(below) {}
    void carry(Contents& store, LineContents::State& state, std::uint64_t sector_bytes) {
        store_ = &store;
        bytes.emplace(store, tags, state, map_.line_bytes(), sector_bytes);
    }

    /// Looks up a request without side effects. Requires: the request lies within a line.
    Access look_up(const protocol::MemRequest& r, const Map::Place& place) const {
        const Map::Sectors s = map_.sectors(r);
        Access a {r, place, tags.find(place.set, place.line), s.touched, s.whole, 0, 0, 0};
        if (!a.found()) return a;
        a.valid = tags.valid(a.line);
        a.written = tags.dirty(a.line);
        if (tags.locked(a.line)) a.pending = mshrs[tags.lock(a.line)].pending;
        return a;
    }
    /// Whether the dirty sectors must be written back before the line is evicted. A write-through
    /// cache marks partly written sectors as dirty.
    bool must_write_back(std::uint32_t line) const {
        return tags.dirty(line) && (config_.write_back() || tags.kept(line));
    }
    /// Marks a written line that stays in the cache although the policy is not write-back. Returns
    /// whether the policy requires the mark.
    bool keep(std::uint32_t line) {
        if (config_.write_back()) return false;
        tags.set_kept(line, true);
        return true;
    }
    /// The sectors whose bytes the next level has, too.
    SectorMask clean(std::uint32_t line) const {
        const SectorMask valid = tags.valid(line);
        return must_write_back(line) ? without(valid, tags.dirty(line)) : valid;
    }
    /// Sectors written by requests that wait for the fill of the line.
    SectorMask claimed(std::uint32_t line) const;
    /// Stores the bytes of a write or atomic that ends in this cache.
    void take_contents(std::uint32_t line, const protocol::MemRequest& r, SectorMask sectors) {
        if (!bytes) return;
        bytes->write(line, r, sectors, claimed(line));
        store_->release(r.contents);
    }
    /// The bytes in the range of a message; none if the machine carries no contents.
    template <class M>
    Contents::Id contents_of(std::uint32_t line, const M& m) {
        if (!bytes) return {};
        if (config_.warm)
            for_each_sector(m,
                            [&](std::uint64_t sector, std::uint32_t) { complete(line, sector); });
        return bytes->read(line, m);
    }
    /// Serves a functional access to one sector.
    void functional(FunctionalAccess& access);
    /// Whether a sector was written here, wholly or in part, and never fetched.
    bool unfilled(std::uint64_t address) const;
    void probe(protocol::SectorProbe& probe) const;
    void check_loaded(Loader& l) const;

    device_parts::TagArray& tags;
    Mshrs& mshrs;
    std::optional<LineContents> bytes; ///< set if the machine carries contents

  private:
    std::uint32_t find(std::uint64_t address) const {
        const Map::Place p = map_.place(address);
        return tags.find(p.set, p.line);
    }
    /// Reads the bytes of an initially valid sector from below.
    void complete(std::uint32_t line, std::uint64_t sector);

    const Config& config_;
    const Map& map_;
    const PortBase& below_;
    Contents* store_ = nullptr;
};

} // namespace memsim::mem::cache
