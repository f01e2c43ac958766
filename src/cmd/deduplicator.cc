#include "cmd/deduplicator.hh"

#include "cmd/ecc.hh"
#include "cmd/intra.hh"
#include "cmd/md5.hh"
#include "core/registry.hh"
#include "parts/bits.hh"
#include "parts/named.hh"

namespace memsim::cmd {

using parts::for_each_bit;
using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Deduplicator> registered {
    "Removes duplicate writes and reads in front of a memory controller (CMD)."};

namespace {
constexpr std::uint32_t group_blocks = 8 * sector_bytes / 2; ///< type flags in 32 bytes
constexpr std::uint32_t most_homeward = 4, most_out = 256;
constexpr std::uint8_t bit(std::uint32_t sector) { return static_cast<std::uint8_t>(1u << sector); }

std::uint32_t sector_in_block(std::uint64_t sector) {
    return static_cast<std::uint32_t>(sector % block_sectors);
}
/// The sectors of its block that a message names.
template <class M>
std::uint8_t sectors_of_block(const M& m) {
    std::uint32_t mask = 0;
    for_each_sector(
        m, [&](std::uint64_t sector, std::uint32_t) { mask |= 1u << sector_in_block(sector); });
    return static_cast<std::uint8_t>(mask);
}
bool within_block(const MemRequest& r) {
    return r.bytes && r.bytes <= block_bytes &&
           r.address / block_bytes == (r.address + r.bytes - 1) / block_bytes;
}
} // namespace

void Deduplicator::init() {
    packing_.emplace(params.packing, state.packing, stat.packing);
    if (!passes() && !sim().contents().enabled())
        refuse("detection", "equal data can only be found where there are data: build the machine "
                            "from memsim.Root(contents=True)");
    if (deduplicates() && packing_->compresses() && params.packing.compression == Compression::bcd)
        refuse("compression", "bcd deduplicates for itself: it goes with detection=none and "
                              "intra=nowhere");
    for (const auto* lines : {&params.packing.bases, &params.packing.differences})
        if (*lines % params.packing.bcd_ways)
            refuse("bcd_ways", lines->text() + " lines are no whole number of sets of " +
                                   params.packing.bcd_ways.text() + " ways");
    if (params.channel >= params.channels)
        refuse("channel",
               params.channel.text() + " is not below channels = " + params.channels.text());
    if (params.assisted_read && deduplicates() && params.slices == 0)
        refuse("assisted_read", "there is no L2 to look into: bind `caches`, or switch it off");
    if (params.hash_entries % params.hash_ways)
        refuse("hash_entries", params.hash_entries.text() + " are no whole number of sets of " +
                                   params.hash_ways.text() + " ways");
    const auto set = std::int64_t {block_bytes} * params.metadata.metadata_ways;
    for (const auto* cache :
         {&params.metadata.map_cache, &params.metadata.type_cache, &params.metadata.mask_cache})
        if ((*cache)->raw % set)
            refuse("metadata", "a cache of " + cache->text() + " is no whole number of sets of " +
                                   Text<Bytes>::show({set}));
    map_ = {static_cast<std::uint64_t>(params.interleave->raw), params.channels};
    clock_.emplace(params.clock());
    const auto blocks = static_cast<std::uint32_t>(params.capacity->raw / block_bytes);
    auto base = static_cast<std::uint64_t>(params.capacity->raw);
    const std::array<std::uint32_t, tables> bits {32, 2, 4};
    for (std::uint32_t t = 0; t < tables; ++t) {
        layout_[t] = {base, bits[t]};
        base +=
            (std::uint64_t {blocks} * bits[t] / 8 + block_bytes - 1) / block_bytes * block_bytes;
    }
    const std::uint32_t jobs = params.reads + params.writes + most_homeward;
    state.table.resize(blocks);
    store([&](auto& s) { s.resize(params.hash_entries, params.hash_ways); });
    Packing::resize(params.packing, state.packing, blocks);
    Metadata::resize(params.metadata, state.metadata, 3 * jobs);
    state.jobs.assign(jobs, {});
    state.data.assign(jobs, {});
    const auto fill = [](FreeList& list, std::uint32_t n) {
        while (n-- > 0) list.push_back(n);
    };
    fill(state.free_reads, params.reads), fill(state.free_writes, params.writes);
    fill(state.free_homeward, most_homeward);
    state.read_counts.assign(blocks, 0);
    metadata_.emplace(
        layout_, state.metadata, stat.metadata,
        [this](std::uint64_t sector, std::uint32_t sectors, bool write, std::uint32_t tag) {
            MemRequest r =
                over(sector / block_sectors, write ? sectors : sectors << sector_in_block(sector));
            r.command = write ? Command::write : Command::read;
            r.posted = write;
            r.tag = tag;
            send(r);
        });
}

std::vector<MemoryUse> Deduplicator::memory_uses() const {
    if (params.channel != 0 || passes()) return {};
    const auto begin = static_cast<std::uint64_t>(params.capacity->raw);
    const TableLayout& last = layout_[tables - 1];
    const std::uint64_t end = last.base + begin / block_bytes * last.bits / 8;
    const std::uint64_t chunk = static_cast<std::uint64_t>(params.interleave->raw);
    const auto all = [&](std::uint64_t n) {
        return (n + chunk - 1) / chunk * chunk * params.channels;
    };
    return {{"the tables of deduplication", all(begin), all(end) - all(begin)}};
}

void Deduplicator::wake() {
    while (!port.mem_side.empty()) come_back(port.mem_side.pop());
    drain();
    while (!port.cpu_side.empty() && accept(port.cpu_side.front())) port.cpu_side.pop();
    drain();
}

void Deduplicator::drain() {
    while (!state.out.empty() && port.mem_side.can_send()) {
        port.mem_side.send(state.out.front());
        state.out.drop();
    }
}

bool Deduplicator::is_ours(const MemRequest& r) const {
    return within_block(r) && map_.way(r.address) == params.channel &&
           block_of(r) < state.table.size();
}

/// A message over sectors of a block.
MemRequest Deduplicator::over(std::uint64_t block, std::uint32_t sectors) const {
    MEMSIM_ASSERT(sectors, "a message is of no sector");
    MemRequest r;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(sectors));
    const auto n = static_cast<std::uint32_t>(std::bit_width(sectors)) - first;
    r.address = address(block) + std::uint64_t {first} * sector_bytes;
    r.bytes = n * sector_bytes;
    if (sectors >> first != (1u << n) - 1) r.sectors = static_cast<std::uint16_t>(sectors >> first);
    return r;
}

// ---- requests come and go ----------------------------------------------------------------------

bool Deduplicator::accept(const MemRequest& r) {
    if (r.is_hint()) return true; // dropped: it would read what may lie elsewhere
    if (r.command != Command::read && r.command != Command::write && r.command != Command::atomic)
        refuse("queue", "only reads, writes and atomics go to memory");
    if (!within_block(r))
        refuse("queue", "a request spans two blocks: a cache above it has lines of 128B at most");
    const std::uint64_t block = block_of(r);
    if (!is_ours(r))
        refuse("capacity", "address " + std::to_string(r.address) +
                               " is not one of its blocks: make it larger, or mend the interleave");
    const bool write = r.command != Command::read;
    FreeList& free = write ? state.free_writes : state.free_reads;
    if (free.empty() || state.out.size() >= most_out) return false;
    ++(write ? stat.writes : stat.reads);
    if (passes() && write) {
        if (state.table.type(static_cast<std::uint32_t>(block)) == BlockType::read_only) {
            state.table.leave(static_cast<std::uint32_t>(block));
            state.table.map(static_cast<std::uint32_t>(block), all_sectors,
                            static_cast<std::uint32_t>(block));
        }
        ++stat.write_requests;
        if (r.posted) {
            send(r);
            return true;
        }
    }
    const std::uint32_t id = free.back() + (write ? params.reads() : 0);
    free.pop_back();
    Job& j = state.jobs[id];
    j = {};
    j.request = r;
    j.number = ++state.arrived;
    j.block = static_cast<std::uint32_t>(block);
    j.active = true;
    j.write = write;
    j.sectors = sectors_of_block(r);
    for (const Job& other : state.jobs)
        j.before += other.active && other.block == j.block && other.number < j.number &&
                    (other.write || write);
    state.data[id] = {};
    if (write && !passes()) take_data(id);
    if (j.before == 0) begin(id);
    return true;
}

/// The bytes of a write.
void Deduplicator::take_data(std::uint32_t id) {
    MemRequest& r = state.jobs[id].request;
    MEMSIM_ASSERT(r.contents, "a write carries contents");
    for (const Contents::Piece& p : sim().contents()[r.contents].pieces)
        state.data[id].own[sector_in_block(r.address / SectorBytes::size + p.sector)] = p.data;
    state.jobs[id].moves = sim().contents()[r.contents].moves;
    sim().contents().release(r.contents);
    r.contents = {};
}

/// Where it comes too late, a younger store's bytes are in memory already, and stay.
void Deduplicator::merge_data(std::uint32_t id) {
    const Job& j = state.jobs[id];
    const std::uint64_t first = address(j.block) / SectorBytes::size;
    for_each_bit(j.sectors, [&](std::uint32_t s) {
        SectorBytes& data = state.data[id].own[s];
        if (state.stores.merge(first + s, data, j.moves)) sim().contents().count_overtaken();
        const std::uint32_t known = data.known;
        SectorBytes last;
        state.stores.read(first + s, last);
        data = {};
        data.take(last, known);
    });
}

void Deduplicator::begin(std::uint32_t id) {
    Job& j = state.jobs[id];
    if (passes()) {
        j.step = Step::passed;
        MemRequest r = j.request;
        r.tag = id;
        r.source = 0;
        if (!j.write) ++read_class(j.block);
        ++j.waits;
        return send(r);
    }
    if (j.write && !j.homeward) merge_data(id);
    j.step = Step::type;
    if (params.whole_tables) {
        look(id, Table::map, j.block);
        look(id, Table::mask, j.block);
    }
    look(id, Table::type, j.block);
}

void Deduplicator::finish(std::uint32_t id) {
    Job& j = state.jobs[id];
    j.active = false;
    for (std::uint32_t i = 0; i < state.jobs.size(); ++i) {
        Job& other = state.jobs[i];
        if (other.active && other.block == j.block && other.number > j.number &&
            (other.write || j.write) && --other.before == 0)
            begin(i);
    }
    if (j.homeward)
        state.free_homeward.push_back(id - params.reads - params.writes);
    else if (j.write)
        state.free_writes.push_back(id - params.reads);
    else
        state.free_reads.push_back(id);
    if (j.homeward) return wait(j.request.tag, 0); // the write that wants room
    if (j.write && j.request.needs_response() && j.step != Step::passed)
        port.cpu_side.send(protocol::answer(j.request));
}

void Deduplicator::come_back(const MemResponse& r) {
    if (r.tag & Metadata::tag_bit) {
        sim().contents().release(r.contents);
        metadata_->come_back(r.tag, now(), [this](std::uint32_t job) { arrived(job); });
        return;
    }
    Job& j = parts::named(state.jobs, r.tag);
    if (j.step == Step::passed) {
        MemResponse answer = protocol::answer(j.request);
        answer.packed = r.packed;
        answer.stamps = r.stamps;
        answer.contents = r.contents;
        port.cpu_side.send(answer);
        return finish(r.tag);
    }
    JobData& data = state.data[r.tag];
    const std::uint64_t first = r.address / SectorBytes::size;
    for (const Contents::Piece& p : sim().contents()[r.contents].pieces)
        (j.step == Step::verified || j.coded ? data.other
                                             : data.own)[sector_in_block(first + p.sector)]
            .fill(p.data);
    sim().contents().release(r.contents);
    if (r.packed.words)
        after<&Deduplicator::waited>(
            Time {std::max<Tick>(1, clock_->cycles(params.packing.unpack_cycles))}, {r.tag});
    else
        waited({r.tag});
}

void Deduplicator::waited(const JobId& id) {
    Job& j = parts::named(state.jobs, id.job);
    if (--j.waits == 0 && j.coded) expand(id.job, j);
    if (j.waits == 0) j.write ? step_write(id.job, j) : step_read(id.job, j);
    drain();
}

void Deduplicator::wait(std::uint32_t id, unsigned cycles) {
    ++state.jobs[id].waits;
    after<&Deduplicator::waited>(Time {std::max<Tick>(1, clock_->cycles(cycles))}, {id});
}

void Deduplicator::look(std::uint32_t id, Table table, std::uint32_t block) {
    if (metadata_->look(table, block, id, now()))
        wait(id, params.table_cycles);
    else
        ++state.jobs[id].waits;
}

void Deduplicator::fetch(std::uint32_t id, std::uint32_t place, std::uint32_t sectors,
                         Counter& counter) {
    const bool packed = packing_->compressed(place);
    const std::uint32_t n = packed ? packing_->sectors(place) : 0;
    state.jobs[id].coded = packing_->coded(place);
    if (packed && n == 0) return wait(id, params.packing.unpack_cycles); // it is on chip
    // BPC's codes stand for all of the block, BCD's difference lies in its first sectors.
    MemRequest r = over(place, !packed                ? sectors
                               : state.jobs[id].coded ? (1u << n) - 1
                                                      : all_sectors);
    if (packed) r.packed.set(n * sector_bytes);
    r.tag = id;
    r.pc = state.jobs[id].request.pc;
    r.warp = state.jobs[id].request.warp;
    ++state.jobs[id].waits;
    ++counter;
    send(r);
}

/// BCD: the block that the code in memory stands for.
void Deduplicator::expand(std::uint32_t id, Job& j) {
    BlockBytes code {};
    JobData& data = state.data[id];
    for (std::uint32_t s = 0; s < block_sectors; ++s)
        std::memcpy(code.data() + s * sector_bytes, data.other[s].bytes.data(), sector_bytes);
    const BlockBytes block = packing_->decode(j.block, code);
    for (std::uint32_t s = 0; s < block_sectors; ++s) {
        SectorBytes sector;
        std::memcpy(sector.bytes.data(), block.data() + s * sector_bytes, sector_bytes);
        sector.known = SectorBytes::all;
        data.own[s].fill(sector);
    }
    j.coded = false;
}

Counter& Deduplicator::read_class(std::uint32_t block) {
    if (state.table.type(block) != BlockType::read_only) return stat.data_reads;
    std::uint8_t& n = state.read_counts[block];
    if (n < 21) switch (++n) {
        case 1:
            ++stat.reached_1;
            break;
        case 2:
            ++stat.reached_2;
            break;
        case 3:
            ++stat.reached_3;
            break;
        case 6:
            ++stat.reached_6;
            break;
        case 11:
            ++stat.reached_11;
            break;
        case 21:
            ++stat.reached_21;
            break;
        }
    return stat.read_only_reads;
}

// ---- reads -------------------------------------------------------------------------------------

void Deduplicator::step_read(std::uint32_t id, Job& j) {
    const BlockTable& t = state.table;
    switch (j.step) {
    case Step::type:
        if (packing_->coded(j.block) && !params.whole_tables) {
            j.step = Step::map; // base and difference are named there
            return look(id, Table::map, j.block);
        }
        if (t.type(j.block) == BlockType::read_only || t.type(j.block) == BlockType::own) {
            j.step = Step::data;
            return fetch(id, j.block, j.sectors, read_class(j.block));
        }
        j.step = Step::map;
        if (params.whole_tables) return find_sectors(id, j);
        look(id, Table::mask, j.block);
        return look(id, Table::map, j.block);
    case Step::map:
        return find_sectors(id, j);
    case Step::reference:
        j.step = Step::copy;
        return wait(id, params.copy_cycles);
    case Step::copy:
        return copy_from_caches(id, j);
    default:
        return answer_read(id, j);
    }
}

/// Sectors outside of the mask are in the block's own place.
void Deduplicator::find_sectors(std::uint32_t id, Job& j) {
    const BlockTable& t = state.table;
    const std::uint32_t inside = j.sectors & t.mask(j.block), outside = j.sectors & ~inside;
    j.step = Step::data;
    if (outside) fetch(id, j.block, outside, read_class(j.block));
    if (inside && t.type(j.block) == BlockType::intra) {
        for_each_bit(inside, [&](std::uint32_t s) {
            SectorBytes& to = state.data[id].own[s];
            const std::uint32_t word = t.word(j.block);
            for (std::uint32_t i = 0; i < SectorBytes::size; i += sizeof word)
                std::memcpy(to.bytes.data() + i, &word, sizeof word);
            to.known = SectorBytes::all;
            ++stat.intra_sectors;
        });
    } else if (inside) {
        const std::uint32_t place = t.place(j.block);
        if (params.assisted_read && place != j.block) {
            j.step = Step::reference;
            j.missing = static_cast<std::uint8_t>(inside);
            j.place = place;
            return look(id, Table::type, place);
        }
        fetch(id, place, inside, read_class(j.block));
    }
    if (j.waits == 0) answer_read(id, j);
}

/// The L2's line is tagged by the program's address. It holds what its own block holds, which are
/// the reference's data only while that block is still mapped to itself.
void Deduplicator::copy_from_caches(std::uint32_t id, Job& j) {
    const std::uint32_t place = state.table.place(j.block);
    std::uint32_t missing = j.missing;
    j.step = Step::data;
    if (state.table.type(place) == BlockType::own) {
        const std::uint64_t line = address(place);
        const auto slice = line / static_cast<std::uint64_t>(params.interleave->raw) /
                           params.channels % params.slices;
        for_each_bit(j.missing, [&](std::uint32_t s) {
            protocol::SectorProbe probe {line + std::uint64_t {s} * sector_bytes, false, false, {}};
            protocol::ask(port.caches[slice], probe);
            ++stat.looked_sectors;
            if (!probe.clean() || probe.data.known != SectorBytes::all) return;
            state.data[id].own[s].fill(probe.data);
            missing &= ~(1u << s);
            ++stat.copied_sectors;
        });
    }
    if (missing) return fetch(id, place, missing, read_class(j.block));
    answer_read(id, j);
}

void Deduplicator::answer_read(std::uint32_t id, Job& j) {
    Contents& contents = sim().contents();
    MemResponse answer = protocol::answer(j.request);
    answer.contents = contents.create();
    for_each_sector(j.request, [&](std::uint64_t sector, std::uint32_t offset) {
        SectorBytes held = state.data[id].own[sector_in_block(sector)], last;
        state.stores.read(sector, last);
        for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
            held.order[i] = last.known >> i & 1 ? last.order[i] : 0;
        contents[answer.contents].pieces.push_back({offset, held});
    });
    port.cpu_side.send(answer);
    finish(id);
}

// ---- writes ------------------------------------------------------------------------------------

void Deduplicator::step_write(std::uint32_t id, Job& j) {
    switch (j.step) {
    case Step::type: {
        j.step = Step::map;
        const BlockType type = state.table.type(j.block);
        if (params.whole_tables || type == BlockType::read_only) return complete(id, j);
        if (!deduplicates())
            return packing_->coded(j.block) ? look(id, Table::map, j.block) : complete(id, j);
        look(id, Table::mask, j.block);
        if (type != BlockType::own) look(id, Table::map, j.block);
        return;
    }
    case Step::map:
        return complete(id, j);
    case Step::old:
        return detect(id, j);
    case Step::hash:
        return commit(id, j);
    case Step::verified: {
        const Reference* const r = find(j);
        if (!r || r->place != j.place || must_be_whole(j)) return commit(id, j);
        bool equal = true;
        for_each_bit(j.mask, [&](std::uint32_t s) {
            equal = equal && state.data[id].own[s].bytes == state.data[id].other[s].bytes;
        });
        if (equal) return join(id, j, j.place);
        ++stat.collisions;
        return pack(id, j);
    }
    default:
        return settle(id, j);
    }
}

/// Reads what the write leaves out of the sectors that are the block's from now on.
void Deduplicator::complete(std::uint32_t id, Job& j) {
    const BlockTable& t = state.table;
    const bool fresh = t.type(j.block) == BlockType::read_only;
    const std::uint32_t old = fresh ? 0 : t.mask(j.block);
    j.mask = static_cast<std::uint8_t>(j.sectors | old);
    if (must_be_whole(j) || packing_->compressed(j.block)) j.mask = all_sectors;
    j.step = Step::old;
    if (!deduplicates() && !packing_->compressed(j.block)) { // memory takes parts of raw blocks
        j.mask = j.sectors;
        return pack(id, j);
    }
    std::uint32_t need = 0;
    for_each_bit(j.mask, [&](std::uint32_t s) {
        if (state.data[id].own[s].known != SectorBytes::all) need |= 1u << s;
    });
    if (const std::uint32_t outside = need & ~old) fetch(id, j.block, outside, stat.dedup_reads);
    if (const std::uint32_t inside = need & old) {
        if (t.type(j.block) == BlockType::intra) {
            SectorBytes word;
            for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
                word.bytes[i] = static_cast<std::uint8_t>(t.word(j.block) >> i % 4 * 8);
            word.known = SectorBytes::all;
            for_each_bit(inside, [&](std::uint32_t s) { state.data[id].own[s].fill(word); });
        } else
            fetch(id, t.place(j.block), inside, stat.dedup_reads);
    }
    if (j.waits == 0) detect(id, j);
}

Block Deduplicator::bytes_of(const Job& j) {
    const Sectors& data = state.data[static_cast<std::size_t>(&j - state.jobs.data())].own;
    for (std::uint32_t s = 0; s < block_sectors; ++s)
        std::memcpy(block_.data() + s * sector_bytes, data[s].bytes.data(), sector_bytes);
    return Block {block_};
}

void Deduplicator::detect(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j); // it has become a reference in the meantime
    if (j.homeward) return put_down(id, j, j.block);
    if (params.intra != IntraData::nowhere)
        if (const auto word = intra_value(bytes_of(j), j.mask)) {
            ++stat.intra;
            if (params.intra == IntraData::block) { // found by its value, which is no digest's
                j.digest = {};
                std::memcpy(j.digest.data(), &*word, sizeof *word);
                return commit(id, j);
            }
            leave(j.block);
            state.table.set_intra(j.block, j.mask, *word);
            for (const Table t : {Table::type, Table::mask, Table::map})
                metadata_->change(t, j.block, now());
            return finish(id);
        }
    if (params.detection == Detection::none) return pack(id, j);
    if (params.detection == Detection::ecc) {
        j.digest = ecc_of(bytes_of(j), j.mask);
        return commit(id, j);
    }
    ++stat.hashed;
    j.digest = md5(bytes_of(j), j.mask);
    const Tick start = std::max(now(), state.hash_free);
    const unsigned rounds = md5_rounds(bits_set(j.mask));
    state.hash_free = start + clock_->cycles(params.hash_interval);
    j.step = Step::hash;
    ++j.waits;
    after<&Deduplicator::waited>(
        Time {std::max<Tick>(1, start - now() + clock_->cycles(rounds * params.round_cycles))},
        {id});
}

void Deduplicator::commit(std::uint32_t id, Job& j) {
    if (must_be_whole(j)) return complete(id, j);
    const Reference* const r = find(j);
    if (!r) return pack(id, j);
    if (params.detection != Detection::ecc) return join(id, j, r->place);
    j.place = r->place;
    j.step = Step::verified;
    state.data[id].other = {};
    fetch(id, j.place, j.mask, stat.verify_reads);
}

void Deduplicator::join(std::uint32_t id, Job& j, std::uint32_t place) {
    BlockTable& t = state.table;
    if (t.type(j.block) != BlockType::intra && t.place(j.block) == place) {
        ++stat.inter, ++stat.silent;
        return finish(id);
    }
    if (!store([&](auto& s) { return s.join(place); })) {
        ++stat.uncounted;
        return pack(id, j);
    }
    ++stat.inter;
    leave(j.block);
    t.map(j.block, j.mask, place);
    for (const Table changed : {Table::type, Table::mask, Table::map})
        metadata_->change(changed, j.block, now());
    finish(id);
}

/// No duplicate: it takes its time to be compressed.
void Deduplicator::pack(std::uint32_t id, Job& j) {
    if (!packing_->compresses() || j.mask != all_sectors) return settle(id, j);
    j.step = Step::packed;
    wait(id, params.packing.pack_cycles);
}

/// Finds a place: its own, the one that it has alone, or a donor's.
void Deduplicator::settle(std::uint32_t id, Job& j) {
    const BlockTable& t = state.table;
    if (must_be_whole(j)) return complete(id, j);
    if (!t.shared(j.block)) return put_down(id, j, j.block);
    if (t.type(j.block) == BlockType::inter && t.users(t.place(j.block)) == 1)
        return put_down(id, j, t.place(j.block));
    const std::uint32_t groups = (t.size() + group_blocks - 1) / group_blocks;
    if (j.step != Step::donor) {
        j.step = Step::donor;
        j.group = j.block / group_blocks;
        j.groups_left = groups;
    } else {
        const std::uint32_t first = j.group * group_blocks;
        for (std::uint32_t d = first; d < std::min(first + group_blocks, t.size()); ++d)
            if (t.can_lend(d)) {
                ++stat.borrowed;
                return put_down(id, j, d);
            }
        j.group = (j.group + 1) % groups;
        if (--j.groups_left == 0) {
            j.groups_left = groups;
            if (bring_somebody_home(id, j)) return;
        }
    }
    ++stat.groups_searched;
    look(id, Table::type, j.group * group_blocks);
}

/// There is no donor while places hold data of blocks that are not whole, and whose own places are
/// therefore in use: the first of them from a block on. `except` is about to leave its place.
std::uint32_t Deduplicator::next_to_bring_home(std::uint32_t except, std::uint32_t from) const {
    const BlockTable& t = state.table;
    for (std::uint32_t b = from; b < t.size(); ++b) {
        if (t.type(b) != BlockType::inter || t.mask(b) == all_sectors || b == except) continue;
        const std::uint32_t place = t.place(b);
        if ((t.type(place) != BlockType::own || place == except) && !t.shared(b)) return b;
    }
    return BlockTable::nowhere;
}

/// One of them is written as it is to its own place: the other, or a donor, is free soon.
bool Deduplicator::bring_somebody_home(std::uint32_t id, const Job& j) {
    if (state.free_homeward.empty()) return false;
    std::uint32_t b = next_to_bring_home(j.block, 0);
    const auto busy = [&] {
        return std::any_of(state.jobs.begin(), state.jobs.end(),
                           [&](const Job& o) { return o.active && o.block == b; });
    };
    while (b != BlockTable::nowhere && busy()) b = next_to_bring_home(j.block, b + 1);
    if (b == BlockTable::nowhere) return false;
    const std::uint32_t home = state.free_homeward.back() + params.reads + params.writes;
    state.free_homeward.pop_back();
    Job& h = state.jobs[home];
    h = {};
    h.number = ++state.arrived;
    h.block = b;
    h.active = h.write = h.homeward = true;
    h.request.tag = id;
    h.request.posted = true;
    state.data[home] = {};
    ++stat.brought_home;
    begin(home);
    return true;
}

void Deduplicator::put_down(std::uint32_t id, Job& j, std::uint32_t place) {
    BlockTable& t = state.table;
    MEMSIM_ASSERT(place == j.block || j.mask == all_sectors, "a part of a block is lent a place");
    leave(j.block);
    t.map(j.block, deduplicates() ? j.mask : all_sectors, place);
    const bool findable = params.detection != Detection::none || params.intra == IntraData::block;
    if (!j.homeward && findable && !find(j)) {
        store([&](auto& s) {
            const auto insertion = s.insert(j.digest, j.mask, place);
            if (!insertion.inserted) ++stat.unlisted;
            if (insertion.evicted) ++stat.forgotten;
        });
    }
    for (Job& other : state.jobs) // what it compares itself with is another block's from now on
        if (other.active && other.step == Step::verified && other.place == place)
            other.place = BlockTable::nowhere;
    write_below(id, j, place);
    metadata_->change(Table::type, j.block, now());
    if (deduplicates()) metadata_->change(Table::mask, j.block, now());
    if (packing_->coded(place)) metadata_->change(Table::map, place, now());
    if (place != j.block) {
        metadata_->change(Table::map, j.block, now());
        metadata_->change(Table::mask, place, now()); // it is lent
    }
    finish(id);
}

/// Writes the sectors of the block's mask to a place, whatever lay there, or its code.
void Deduplicator::write_below(std::uint32_t id, const Job& j, std::uint32_t place) {
    BlockBytes bytes;
    bool whole = j.mask == all_sectors;
    for (const SectorBytes& s : state.data[id].own) whole = whole && s.known == SectorBytes::all;
    packing_->write(place, bytes_of(j), whole, bytes);
    const bool packed = packing_->compressed(place), coded = packing_->coded(place);
    const std::uint32_t n = packed ? packing_->sectors(place) : block_sectors;
    const std::uint32_t mask = coded ? (1u << n) - 1 : j.mask;
    if (mask == 0) return; // it is on chip
    Contents& contents = sim().contents();
    MemRequest r = over(place, mask);
    r.command = Command::write;
    r.posted = true;
    r.application = j.request.application;
    if (packed) r.packed.set(n * sector_bytes);
    r.contents = contents.create();
    contents[r.contents].moves = true; // what lay there was perhaps another block's
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    for_each_bit(mask, [&](std::uint32_t s) {
        SectorBytes held;
        std::memcpy(held.bytes.data(), bytes.data() + s * sector_bytes, sector_bytes);
        held.known = deduplicates() || packed ? SectorBytes::all : state.data[id].own[s].known;
        if (held.known != SectorBytes::all)
            r.partial = static_cast<std::uint16_t>(r.partial | 1u << (s - first));
        contents[r.contents].pieces.push_back({s - first, held});
    });
    ++stat.write_requests;
    send(r);
}

/// The block's data are to lie elsewhere, or nowhere.
void Deduplicator::leave(std::uint32_t block) {
    const bool referenced = state.table.type(block) != BlockType::read_only;
    const std::uint32_t from = state.table.leave(block);
    if (from == BlockTable::nowhere || !referenced) return;
    store([&](auto& s) { s.leave(from); });
    if (state.table.users(from) == 0 && from != block)
        metadata_->change(Table::mask, from, now()); // it may be lent again
}

// ---- looks without time ------------------------------------------------------------------------

/// A sector of a place, in memory or on its way there.
void Deduplicator::look_below(std::uint32_t place, std::uint32_t sector, bool write,
                              SectorBytes& data) {
    const std::uint64_t at = address(place) + std::uint64_t {sector} * sector_bytes;
    FunctionalAccess below {at, 0, write, data};
    if (write) below.data.order = {};
    look_through(port.mem_side, below);
    if (!write) data = below.data;
    Contents& contents = sim().contents();
    for (std::uint32_t i = 0; i < state.out.size(); ++i) {
        const MemRequest& r = state.out[i];
        if (!r.contents) continue;
        for (Contents::Piece& p : contents[r.contents].pieces)
            if (r.address / SectorBytes::size + p.sector == at / SectorBytes::size)
                write ? p.data.take(below.data, data.known) : data.take(p.data, p.data.known);
    }
}

/// BCD: a block as memory has it now.
BlockBytes Deduplicator::block_below(std::uint32_t place) {
    BlockBytes code {};
    for (std::uint32_t s = 0; s < packing_->sectors(place); ++s) {
        SectorBytes sector;
        look_below(place, s, false, sector);
        std::memcpy(code.data() + s * sector_bytes, sector.bytes.data(), sector_bytes);
    }
    return packing_->decode(place, code);
}

/// What the host writes to a compressed block makes it a raw one.
void Deduplicator::unpack_functional(std::uint32_t place) {
    if (packing_->coded(place)) {
        const BlockBytes block = block_below(place);
        for (std::uint32_t s = 0; s < block_sectors; ++s) {
            SectorBytes sector;
            std::memcpy(sector.bytes.data(), block.data() + s * sector_bytes, sector_bytes);
            sector.known = SectorBytes::all;
            look_below(place, s, true, sector);
        }
    }
    packing_->set_raw(place);
}

void Deduplicator::read_functional(std::uint32_t block, std::uint32_t sector, SectorBytes& to) {
    const BlockTable& t = state.table;
    if (packing_->coded(block)) {
        const BlockBytes bytes = block_below(block);
        std::memcpy(to.bytes.data(), bytes.data() + sector * sector_bytes, sector_bytes);
        to.known = SectorBytes::all;
        return;
    }
    const bool inside = t.mask(block) >> sector & 1;
    if (inside && t.type(block) == BlockType::intra) {
        for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
            to.bytes[i] = static_cast<std::uint8_t>(t.word(block) >> i % 4 * 8);
        to.known = SectorBytes::all;
    } else
        look_below(inside ? t.place(block) : block, sector, false, to);
}

void Deduplicator::functional(const PortBase&, FunctionalAccess& access) {
    if (passes()) return look_through(port.mem_side, access);
    const auto block = static_cast<std::uint32_t>(map_.within(access.address) / block_bytes);
    const std::uint64_t number = access.address / SectorBytes::size;
    const std::uint32_t sector = sector_in_block(number);
    if (block >= state.table.size())
        refuse("capacity",
               "address " + std::to_string(access.address) + " is not one of its blocks");
    if (access.write) return write_functional(block, sector, access);
    SectorBytes held, last;
    read_functional(block, sector, held);
    state.stores.read(number, last);
    for (std::uint32_t i = 0; i < state.jobs.size(); ++i) { // writes that are not done
        const Job& j = state.jobs[i];
        if (j.active && j.write && !j.homeward && j.block == block && j.sectors & bit(sector))
            held.take(j.before ? state.data[i].own[sector] : last,
                      state.data[i].own[sector].known & (j.before ? SectorBytes::all : last.known));
    }
    for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
        held.order[i] = last.known >> i & 1 ? last.order[i] : 0;
    access.data.fill(held);
}

/// The host's copies do not pass the deduplication. What has its own place for itself stays there;
/// else the block comes home with all its sectors, as one that was never written back, or, where
/// its own place is others', goes to a donor.
void Deduplicator::write_functional(std::uint32_t block, std::uint32_t sector,
                                    FunctionalAccess& access) {
    BlockTable& t = state.table;
    const std::uint64_t number = access.address / SectorBytes::size;
    state.stores.merge(number, access.data, false);
    SectorBytes now;
    state.stores.read(number, now);
    SectorBytes written;
    written.take(now, access.data.known);
    const BlockType type = t.type(block);
    const bool inside = t.mask(block) >> sector & 1;
    if (type == BlockType::read_only || !inside || (type == BlockType::own && !t.shared(block))) {
        if (inside) store([&](auto& s) { s.withdraw(block); });
        unpack_functional(block);
        return look_below(block, sector, true, written);
    }
    Sectors all;
    for (std::uint32_t s = 0; s < block_sectors; ++s) read_functional(block, s, all[s]);
    all[sector].take(written, written.known);
    const std::uint32_t left = t.leave(block); // first: the place may be the one that it gets
    store([&](auto& s) { s.leave(left); });
    const std::uint32_t place = t.shared(block) ? free_place_functional(block) : block;
    if (place == block)
        t.set_read_only(block);
    else
        t.map(block, all_sectors, place);
    packing_->set_raw(place);
    for (std::uint32_t s = 0; s < block_sectors; ++s) look_below(place, s, true, all[s]);
}

/// A place for a block whose own is others': a donor's, or its own when others have gone home.
std::uint32_t Deduplicator::free_place_functional(std::uint32_t block) {
    BlockTable& t = state.table;
    for (std::uint32_t from = 0; t.shared(block);) {
        for (std::uint32_t d = 0; d < t.size(); ++d)
            if (t.can_lend(d)) return d;
        from = next_to_bring_home(block, from);
        MEMSIM_ASSERT(from != BlockTable::nowhere, "whole blocks alone always leave a donor");
        Sectors data;
        for_each_bit(t.mask(from), [&](std::uint32_t s) { read_functional(from, s, data[s]); });
        const std::uint32_t mask = t.mask(from);
        const std::uint32_t left = t.leave(from);
        store([&](auto& s) { s.leave(left); });
        t.map(from, mask, from);
        for_each_bit(mask, [&](std::uint32_t s) { look_below(from, s, true, data[s]); });
    }
    return block;
}

// ---- reports -----------------------------------------------------------------------------------

bool Deduplicator::pending() const {
    return state.free_reads.size() + state.free_writes.size() + state.free_homeward.size() !=
               state.jobs.size() ||
           !state.out.empty() || !metadata_->idle();
}

void Deduplicator::waits_on(WaitReport& report) const {
    const std::size_t free = state.free_reads.size() + state.free_writes.size();
    if (const std::size_t n = params.reads + params.writes - free)
        report.add(path() + " has " + std::to_string(n) + " requests that are not done");
}

void Deduplicator::check_loaded(Loader& l) const {
    for (const Job& j : state.jobs) {
        l.index("jobs.block", j.block, state.table.size());
        l.within("jobs.mask", [&] {
            l.check(j.mask <= all_sectors && j.missing <= all_sectors,
                    "names sectors that a block does not have");
        });
        l.index("jobs.group", j.group, state.table.size() / group_blocks + 1);
        if (j.place != BlockTable::nowhere) l.index("jobs.place", j.place, state.table.size());
        if (j.homeward)
            l.index("jobs.request", j.request.tag, state.jobs.size());
        else if (j.active)
            l.within("jobs.request", [&] {
                l.check(is_ours(j.request) && block_of(j.request) == j.block &&
                            sectors_of_block(j.request) == j.sectors && j.sectors,
                        "is of another block");
            });
    }
    l.within("out", [&] {
        for (std::uint32_t i = 0; i < state.out.size(); ++i)
            l.check(within_block(state.out[i]), "has a message over more than a block");
    });
    l.within("store", [&] {
        l.check(store([&](const auto& s) {
                    return s.all([&](const Reference& r) {
                        return r.place < state.table.size() && r.mask <= all_sectors;
                    });
                }),
                "knows a block that is not there");
    });
    packing_->check_loaded(l);
    metadata_->check_loaded(l, static_cast<std::uint32_t>(state.jobs.size()));
}

std::optional<std::string> Deduplicator::imbalance() const {
    std::uint64_t users = 0, blocks = 0;
    for (std::uint32_t b = 0; b < state.table.size(); ++b) {
        users += state.table.users(b);
        blocks += state.table.type(b) != BlockType::intra;
        const Reference* const r = state.store.find_place(b); // of a strong hash: exact
        if (r && params.detection == Detection::md5 && r->count != state.table.users(b))
            return "the hash store counts " + std::to_string(r->count) + " blocks in place " +
                   std::to_string(b) + ", and the tables " + std::to_string(state.table.users(b));
    }
    if (users == blocks) return {};
    return std::to_string(blocks) + " blocks have their data in " + std::to_string(users) +
           " places' counts";
}

} // namespace memsim::cmd
