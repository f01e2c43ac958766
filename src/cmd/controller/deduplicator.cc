#include "cmd/controller/deduplicator.hh"

#include "core/base/bits.hh"
#include "core/kernel/registry.hh"

#include <sys/mman.h>

namespace memsim::cmd {

static const Stage deduplication {"deduplication"};

using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Deduplicator> deduplicator {
    "Removes duplicate writes and reads in front of a memory controller (CMD)."};

static constexpr std::uint32_t most_homeward = 4, most_out = 256;

void Deduplicator::check_params() const {
    if (!passes() && !sim().contents().enabled())
        refuse("detection", "detecting equal data requires contents: build the machine "
                            "with memsim.Root(contents=True)");
    if (scheme_.deduplicates() && state.compressor->deduplicates())
        refuse("compression", params.compression.text() +
                                  " performs its own deduplication: it requires detection=none and "
                                  "intra=nowhere");
    if (params.channel >= params.channels)
        refuse("channel",
               params.channel.text() + " is not below channels = " + params.channels.text());
    if (params.reading.assisted_read && scheme_.deduplicates() && params.slices == 0)
        refuse("assisted_read", "it requires an L2: bind `caches`, or set it to False");
    if (params.hash_ways && params.hash_entries % params.hash_ways)
        refuse("hash_entries", params.hash_entries.text() + " is not a whole number of sets of " +
                                   params.hash_ways.text() + " ways");
    const MetadataParams& p = params.metadata;
    for (const auto& [name, cache] : {std::pair {"map_cache", &p.map_cache},
                                      {"type_cache", &p.type_cache},
                                      {"mask_cache", &p.mask_cache}})
        if ((*cache)->raw % (block_bytes * std::max(1u, p.metadata_ways())))
            refuse(name, cache->text() + " is not a whole number of sets of " +
                             std::to_string(std::max(1u, p.metadata_ways())) + " lines of 128B");
}

/// Throws ConfigError before allocation if host memory cannot hold the tables.
void Deduplicator::check_memory(std::uint32_t blocks) const {
    const std::size_t bytes = blocks * (BlockTable::bytes_of_block + sizeof state.read_counts[0]);
    void* const all =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        refuse("capacity", "the tables of " + params.capacity.text() + " need " +
                               bytes_text(bytes) +
                               " of host memory, which exceeds the available memory: reduce it");
    munmap(all, bytes);
}

void Deduplicator::init() {
    state.detector.make(params.detection(), *this, "detection");
    state.compressor.make(params.compression(), *this, "compression");
    scheme_ = {&*state.detector, params.intra(), params.whole_tables(), params.sectors_alone()};
    packing_.emplace(*state.compressor, stat.packing);
    check_params();
    protocol::check_block(port.cpu_side, block_bytes, "cpu_side");
    protocol::agreed_share(port.cpu_side,
                           {params.channels(), static_cast<std::uint64_t>(params.interleave->raw),
                            params.channel(), "channels", "interleave", "channel"});
    caches_.emplace(static_cast<std::uint64_t>(params.interleave->raw), params.channels());
    for (unsigned i = 0; i < port.caches.size(); ++i)
        if (!caches_->add(port.caches[i]))
            refuse(port.caches[i].name(), "it must be bound to port control[0] of a cache");
    const auto blocks = static_cast<std::uint32_t>(params.capacity->raw / block_bytes);
    map_ = {{static_cast<std::uint64_t>(params.interleave->raw), params.channels},
            params.channel,
            blocks};
    clock_.emplace(params.clock());
    check_memory(blocks);
    layout_ = tables_behind(blocks);
    const Jobs::Most most {params.reads, params.writes, most_homeward};
    Jobs::resize(most, state.jobs);
    jobs_.emplace(most, state.jobs);
    Placement::resize(state.placement, blocks, state.detector->verifies(),
                      params.exact() ? 0 : params.hash_entries(),
                      params.hash_ways ? params.hash_ways() : params.hash_entries());
    placement_.emplace(state.detector->verifies(), state.placement, stat.placement);
    state.compressor->resize(blocks);
    memory_.emplace(map_, *packing_, state.out, port.mem_side, sim().contents());
    state.read_counts.assign(blocks, 0);
    read_classes_.emplace(state.read_counts, stat.read_classes);
    const Shared shared {scheme_, *placement_, *packing_, *memory_, *jobs_};
    reading_.emplace(
        params.reading, map_, shared, *read_classes_,
        [this](std::uint64_t at) { return caches_->read(at, params.reading.look_takes_bank); },
        stat.reading);
    writing_.emplace(shared, params.donor_tries(), state.compressor->pack_cycles(), stat.writing);
    order_.emplace(state.stores);
    contents_.emplace(map_, *jobs_, *order_, sim().contents());
    host_.emplace(*placement_, *packing_, *memory_, *jobs_, *order_);
    Metadata::resize(params.metadata, state.metadata, 3 * jobs_->size());
    metadata_.emplace(
        layout_, state.metadata, stat.metadata,
        [this](std::uint64_t sector, std::uint32_t sectors, bool write, std::uint32_t tag) {
            MemRequest r = map_.over(sector / block_sectors,
                                     write ? sectors : sectors << sector_in_block(sector));
            r.command = write ? Command::write : Command::read;
            r.posted = write;
            r.tag = tag;
            state.out.push(r);
        });
}

void Deduplicator::start() {
    if (const auto fault = caches_->fault(map_)) refuse("interleave", *fault);
}

std::vector<MemoryUse> Deduplicator::memory_uses() const {
    if (params.channel != 0 || passes()) return {};
    const auto chunk = static_cast<std::uint64_t>(params.interleave->raw);
    const auto of_all = [&](std::uint64_t bytes) { // bytes of all controllers, in whole chunks
        return (bytes + chunk - 1) / chunk * chunk * params.channels;
    };
    const auto blocks = placement_->table().size();
    const std::uint64_t begin = of_all(layout_.front().base);
    return {{"the tables of deduplication", begin, of_all(layout_.back().end(blocks)) - begin}};
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

// ---- requests and answers ----------------------------------------------------------------------

bool Deduplicator::accept(const MemRequest& r) {
    if (r.command != Command::read && r.command != Command::write && r.command != Command::atomic)
        refuse("queue", "only reads, writes and atomics go to memory");
    if (!BlockMap::within_block(r))
        refuse("queue",
               "a request spans two blocks: caches above it must have lines of at most 128B");
    if (!map_.has(r.address))
        refuse("capacity",
               "address " + std::to_string(r.address) +
                   " is not one of its blocks: increase capacity or correct interleave");
    const auto block = static_cast<std::uint32_t>(map_.block_of(r.address));
    const JobKind kind = r.command == Command::read ? JobKind::read : JobKind::write;
    if (jobs_->full(kind) || state.out.size() >= most_out) return false;
    ++(kind == JobKind::write ? stat.writes : stat.reads);
    if (kind == JobKind::write && passes()) {
        pass_write(block);
        if (r.posted) {
            state.out.push(r);
            return true;
        }
    }
    const std::uint32_t id = jobs_->add(kind, block);
    Job& j = (*jobs_)[id];
    j.request = r;
    j.sectors = sectors_of_block(r);
    if (kind == JobKind::write && !passes()) contents_->take_write(id);
    if (j.before == 0) begin(id);
    return true;
}

/// Forwards a write. The tables record only that the block was written back.
void Deduplicator::pass_write(std::uint32_t block) {
    ++stat.writing.write_requests;
    if (placement_->table().type(block) == BlockType::read_only)
        placement_->put(block, all_sectors, block, nullptr);
}

void Deduplicator::begin(std::uint32_t id) {
    Job& j = (*jobs_)[id];
    if (passes()) {
        j.step = Step::passed;
        MemRequest r = j.request;
        r.tag = id;
        r.source = 0;
        if (!j.writes())
            read_classes_->count(j.block, placement_->table().type(j.block), bits_set(j.sectors));
        ++j.waits;
        return state.out.push(r);
    }
    if (j.kind == JobKind::write) contents_->merge(id);
    j.step = Step::type;
    if (params.whole_tables) {
        look(id, Table::map, j.block);
        look(id, Table::mask, j.block);
    }
    look(id, Table::type, j.block);
}

void Deduplicator::finish(std::uint32_t id) {
    const Job& j = (*jobs_)[id];
    if (j.kind == JobKind::read && j.step != Step::passed) answer_read(id);
    jobs_->finish(id, [this](std::uint32_t next) { begin(next); });
    if (j.kind == JobKind::homeward)
        return wait(j.request.tag, 0); // resumes the write that needs a place
    if (!j.writes() || !j.request.needs_response() || j.step == Step::passed) return;
    sim().stamps().mark(j.request.stamps, deduplication, now());
    port.cpu_side.send(protocol::answer(j.request));
}

void Deduplicator::come_back(const MemResponse& r) {
    if (r.tag & Metadata::tag_bit) {
        sim().contents().release(r.contents);
        const Tick looked =
            clock_->cycles(params.table_cycles); // the look-up that preceded the fetch
        metadata_->come_back(r.tag, now(), [&](std::uint32_t job) { later(job, looked); });
        return;
    }
    Job& j = jobs_->named(r.tag);
    if (j.step == Step::passed) {
        MemResponse answer = protocol::answer(j.request);
        answer.packed = r.packed;
        answer.stamps = r.stamps;
        answer.contents = r.contents;
        port.cpu_side.send(answer);
        return finish(r.tag);
    }
    contents_->receive(r.tag, r);
    if (r.packed.words)
        later(r.tag, clock_->cycles(state.compressor->unpack_cycles()));
    else
        waited({r.tag});
}

void Deduplicator::waited(const JobId& id) {
    Job& j = jobs_->named(id.job);
    if (--j.waits == 0) {
        if (j.coded) { // BCD: decode the block
            JobData& data = jobs_->data(id.job);
            const BlockBytes block = packing_->decode(j.block, joined(data.other));
            for (std::uint32_t s = 0; s < block_sectors; ++s) data.own[s].fill(sector_of(block, s));
            j.coded = false;
        }
        perform(id.job, j.writes() ? writing_->step(id.job) : reading_->step(id.job));
    }
    drain();
}

/// Delays the completion of one of the job's actions by `time`.
void Deduplicator::later(std::uint32_t id, Tick time) {
    after<&Deduplicator::waited>(Time {std::max<Tick>(1, time)}, {id});
}

void Deduplicator::wait(std::uint32_t id, unsigned cycles) {
    ++jobs_->named(id).waits;
    later(id, clock_->cycles(cycles));
}

void Deduplicator::perform(std::uint32_t id, const Actions& actions) {
    for (const Action& one : actions) std::visit([&](const auto& a) { perform(id, a); }, one);
}

void Deduplicator::perform(std::uint32_t id, const action::Hash& a) {
    const Tick start = std::max(now(), state.hash_free);
    state.hash_free = start + clock_->cycles(state.detector->interval());
    ++(*jobs_)[id].waits;
    later(id, start - now() + clock_->cycles(state.detector->cycles(a.sectors)));
}

void Deduplicator::look(std::uint32_t id, Table table, std::uint32_t block) {
    if (metadata_->look_up(table, block, id, now()))
        wait(id, params.table_cycles);
    else
        ++(*jobs_)[id].waits;
}

void Deduplicator::perform(std::uint32_t id, const action::Fetch& a) {
    Job& j = (*jobs_)[id];
    MemRequest r;
    j.coded = packing_->coded(a.place);
    if (j.coded) jobs_->data(id).other = {};
    const unsigned moved = memory_->read(a.place, a.sectors, r);
    if (moved == 0) return wait(id, state.compressor->unpack_cycles());
    r.tag = id;
    r.pc = j.request.pc;
    r.warp = j.request.warp;
    if (!j.writes()) { // memory stages are attributed to the request
        sim().stamps().mark(j.request.stamps, deduplication, now());
        r.stamps = j.request.stamps;
    }
    ++j.waits, *a.counter += moved;
    state.out.push(r);
}

void Deduplicator::perform(std::uint32_t id, const action::Change& a) {
    if (a.freed != Placement::nowhere) metadata_->change_entry(Table::mask, a.freed, now());
    for (const Table t : {Table::type, Table::mask, Table::map})
        metadata_->change_entry(t, (*jobs_)[id].block, now());
}

void Deduplicator::perform(std::uint32_t id, const action::Store& a) {
    const Job& j = (*jobs_)[id];
    if (a.freed != Placement::nowhere) metadata_->change_entry(Table::mask, a.freed, now());
    stat.writing.write_requests += memory_->write(a.place, jobs_->data(id).own, a.sectors,
                                                  scheme_.deduplicates(), j.request.application);
    metadata_->change_entry(Table::type, j.block, now());
    if (scheme_.deduplicates()) metadata_->change_entry(Table::mask, j.block, now());
    if (packing_->compressed(a.place)) metadata_->change_entry(Table::map, a.place, now());
    if (a.place != j.block) {
        metadata_->change_entry(Table::map, j.block, now());
        metadata_->change_entry(Table::mask, a.place, now()); // it is lent
    }
}

void Deduplicator::answer_read(std::uint32_t id) {
    const Job& j = (*jobs_)[id];
    MemResponse answer = protocol::answer(j.request);
    sim().stamps().mark(answer.stamps, deduplication, now());
    contents_->fill_answer(id, answer);
    port.cpu_side.send(answer);
}

// ---- reports -----------------------------------------------------------------------------------

void Deduplicator::functional(const PortBase&, FunctionalAccess& access) {
    if (passes()) return look_through(port.mem_side, access);
    if (!map_.has(access.address))
        refuse("capacity",
               "address " + std::to_string(access.address) + " is not one of its blocks");
    const auto block = static_cast<std::uint32_t>(map_.block_of(access.address));
    const std::uint64_t sector = access.address / SectorBytes::size;
    if (access.write)
        host_->write(block, sector, access.data);
    else
        host_->read(block, sector, access.data);
}

bool Deduplicator::pending() const {
    return jobs_->active() || !state.out.empty() || !metadata_->idle();
}

void Deduplicator::waits_on(WaitReport& report) const {
    if (const std::uint32_t n = jobs_->active())
        report.add(path() + " has " + std::to_string(n) + " outstanding requests");
}

void Deduplicator::check_loaded(Loader& l) const {
    const auto blocks = placement_->table().size();
    jobs_->check_loaded(l, blocks);
    for (std::uint32_t id = 0; id < jobs_->size(); ++id) {
        const Job& j = (*jobs_)[id];
        if (jobs_->busy(id) &&
            (j.step == Step::donor || j.step == Step::lender)) // reads flags or masks there
            l.index("jobs.group", j.group, placement_->groups());
        if (jobs_->busy(id) && j.step == Step::duplicate) l.index("jobs.place", j.place, blocks);
        if (!jobs_->busy(id) || j.kind == JobKind::homeward) continue;
        l.within("jobs.request", [&] {
            l.check(j.sectors && BlockMap::within_block(j.request) && map_.has(j.request.address) &&
                        map_.block_of(j.request.address) == j.block &&
                        sectors_of_block(j.request) == j.sectors,
                    "is of another block");
        });
    }
    l.within("out", [&] {
        for (std::uint32_t i = 0; i < state.out.size(); ++i)
            l.check(BlockMap::within_block(state.out[i]), "has a message that exceeds one block");
    });
    placement_->check_loaded(l);
    metadata_->check_loaded(l, jobs_->size());
}

std::optional<std::string> Deduplicator::imbalance() const { return placement_->imbalance(); }

} // namespace memsim::cmd
