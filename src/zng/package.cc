#include "zng/package.hh"

#include "core/registry.hh"
#include "parts/named.hh"

namespace memsim::zng {

static const Registration<Package> registered {
    "A flash package of ZnG: registers that cache writes, log blocks, programmable row decoders."};

void Package::init() {
    try {
        timing_ = flash::with_changes(flash::timing_of(params.media()), params.timing_changes());
        flash::check(timing_);
    } catch (const ConfigError& e) {
        refuse("timing_changes", e.what());
    }
    const std::uint32_t planes = params.geometry.dies() * params.geometry.planes();
    if (planes > 256)
        refuse("planes", "there are " + std::to_string(planes) +
                             " planes in the package: dies x planes is at most 256");
    if (std::uint64_t {params.geometry.blocks()} * params.geometry.pages() > ~std::uint32_t {0})
        refuse("blocks", "a plane has more than 2^32 pages");
    if (params.log_reserve() >= params.geometry.pages())
        refuse("log_reserve", "it is " + std::to_string(params.log_reserve()) +
                                  " pages: less than a block, which has " +
                                  std::to_string(params.geometry.pages()));
    if (page_bytes % params.net_width->raw != 0)
        refuse("net_width", std::to_string(params.net_width->raw) + " B do not divide a page of " +
                                std::to_string(page_bytes) + " B");
    array_.emplace(flash::NandArray::Config {planes, params.geometry.blocks(),
                                             params.geometry.pages(), sim().contents().enabled()},
                   state.array);
    registers_.emplace(RegisterFile::Config {planes, params.registers() - 1,
                                             params.network() != RegisterNetwork::none},
                       state.registers);
    registers_->reset();
    contents_.emplace(sim().contents(), array_->contents(), state.held,
                      static_cast<std::uint32_t>(state.registers.registers.size()));
    spare_ = std::min(params.spare(), registers_->pool_size() / 4);
    first_log_ = params.geometry.data_blocks();
    last_log_ = first_log_ +
                (first_log_ + params.geometry.log_ratio() - 1) / params.geometry.log_ratio() - 1;
    filled_ = static_cast<std::uint32_t>(std::uint64_t {params.geometry.pages()} *
                                         static_cast<std::uint64_t>(params.log_filled->raw) /
                                         static_cast<std::uint64_t>((100_pct).raw));
    net_ = WireTime(Rate {params.net_width->raw * params.net_clock->raw});
    const std::uint32_t workers = params.independent_planes() ? planes : params.geometry.dies();
    state.workers.resize(workers);
    for (Worker& w : state.workers) w.reg = none;
    state.done.assign((workers + 63) / 64, 0);
    state.ready.assign((workers + 63) / 64, 0);
    state.stalled.resize(state.registers.pools.size());
    state.stalled_of_pool.assign(state.registers.pools.size(), 0);
    state.net_free.assign(planes, 0);
    state.net_remainder.assign(planes, 0);
    state.answers.resize(params.ports());
}

void Package::wake() {
    for (unsigned i = 0; i < port.input.size(); ++i)
        while (!port.input[i].empty()) accept(port.input[i].pop(), i);
    const auto each = [](const std::vector<std::uint64_t>& bits, auto&& f) {
        for (std::uint32_t w = 0; w < bits.size(); ++w)
            for (std::uint64_t rest = bits[w]; rest; rest &= rest - 1)
                f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    };
    each(state.done, [&](std::uint32_t w) { finish(w); });
    state.done.assign(state.done.size(), 0);
    do { // planes, registers and log blocks that became free may be of use to others
        again_ = false;
        if (!state.stalled_pages.empty())
            for (std::uint32_t p = 0; p < state.stalled.size(); ++p) serve_stalled(p);
        if (!state.moves.empty()) start_moves();
        each(state.ready, [&](std::uint32_t w) { begin(w); });
        send_answers();
    } while (again_);
}

void Package::accept(const FlashPacket& p, unsigned from_port) {
    if (p.kind == PacketKind::copy_back) {
        Worker& w = parts::named(state.workers, p.tag);
        MEMSIM_ASSERT(w.stage == Stage::copying, "a copy comes back that nobody waits for");
        contents_->come_back(p.tag, p.line, p.contents);
        if (--w.copies == 0) migrated(p.tag);
        return;
    }
    MEMSIM_ASSERT(p.at.die < params.geometry.dies() && p.at.plane < params.geometry.planes() &&
                      p.block < params.geometry.blocks() &&
                      p.log_block < params.geometry.blocks() && p.page < params.geometry.pages() &&
                      p.line < page_lines,
                  "a request names no place of its package");
    if (state.outstanding == params.queue())
        refuse("queue", "more than " + std::to_string(params.queue()) +
                            " requests have come without an answer: it must be at least the "
                            "controllers' windows together");
    ++state.outstanding;
    const Op op {p, now(), static_cast<std::uint8_t>(from_port)};
    const std::uint32_t worker = worker_of(address_of(p).plane);
    switch (p.kind) {
    case PacketKind::read:
        ++stat.reads;
        stat.read_bytes += p.bytes;
        read({p, now(), none, static_cast<std::uint8_t>(from_port)});
        break;
    case PacketKind::write: {
        ++stat.writes;
        ++stat.plane_writes[address_of(p).plane];
        stat.write_bytes += p.bytes;
        const std::uint32_t pool = pool_of(forwarded(address_of(p)).plane);
        if (!write(op, true)) {
            ++stat.stalled_writes;
            state.stalled[pool].push(op);
            if (state.stalled_pages[stalled_key(p, pool)]++ == 0) ++state.stalled_of_pool[pool];
        }
        evict(pool, state.stalled_of_pool[pool]);
        break;
    }
    case PacketKind::move:
        state.moves.push(op);
        break;
    case PacketKind::erase:
        state.workers[worker].erases.push(op);
        mark(state.ready, worker);
        break;
    default:
        MEMSIM_ASSERT(false, "an answer comes to a package");
    }
}

unsigned Package::newest(std::uint64_t key, unsigned line, unsigned sectors) {
    const std::uint32_t r = registers_->find(key);
    if (r != none) {
        const PageMask& mask = (*registers_)[r].mask;
        if (mask.touches(line)) sectors = mask.missing(line, sectors);
    }
    const std::uint32_t* const leaves = sectors ? state.leaving.find(key) : nullptr;
    if (leaves && state.workers[*leaves].mask.touches(line))
        sectors = state.workers[*leaves].mask.missing(line, sectors);
    return sectors;
}

/// Where a page is, which is forwarded already. One that is moved is still at its old place in the
/// array.
PagePlaces Package::places_of(const PageAddress& a) const {
    const std::uint64_t key = key_of(a);
    PagePlaces p {registers_->find(key)};
    const std::uint32_t* const leaves = state.leaving.find(key);
    if (leaves) p.worker = *leaves;
    const bool there = !leaves || state.workers[*leaves].stage == Stage::programming;
    p.array = array_page(there ? a : state.workers[*leaves].address);
    return p;
}

PageAddress Package::forwarded(const PageAddress& a) const {
    PageAddress at = a;
    for (;;) { // where it went may be on its way on, if its log block there is full by now
        const Forward* const f =
            state.forwards.empty() ? nullptr : state.forwards.find(block_key(at.plane, at.block));
        if (!f || at.page >= f->begun) return at;
        at = {f->plane, f->block, f->log_block, at.page};
    }
}

void Package::read(const Read& r) {
    const FlashPacket& p = r.packet;
    const PageAddress a = forwarded(address_of(p));
    const std::uint64_t key = key_of(a);
    if (newest(key, p.line, p.sectors) == 0) {
        ++stat.register_reads;
        PagePlaces here = contents_->carries() ? places_of(a) : PagePlaces {};
        here.array = PagePlaces::nowhere;
        return answer_read(r, contents_->read(here, p.line, p.sectors), none);
    }
    const std::uint32_t* const found = state.sense_of.find(key);
    stat.joined_reads += found != nullptr;
    if (found && state.senses[*found].output) {
        return answer_read(r,
                           contents_->carries() ? contents_->read(places_of(a), p.line, p.sectors)
                                                : Contents::Id {},
                           *found);
    }
    const auto put = [](auto& all, FreeList& free, const auto& value) {
        if (free.empty()) {
            all.push_back(value);
            return static_cast<std::uint32_t>(all.size() - 1);
        }
        const std::uint32_t i = free.back();
        free.pop_back();
        all[i] = value;
        return i;
    };
    const std::uint32_t i = put(state.reads, state.free_reads, r);
    if (found) {
        Sense& s = state.senses[*found];
        state.reads[s.last].next = i;
        s.last = i;
        return;
    }
    const std::uint32_t s = put(state.senses, state.free_senses, Sense {a, key, i, i, 0, false});
    if (params.reuse() == PageReuse::waiting) state.sense_of[key] = s;
    const std::uint32_t worker = worker_of(a.plane);
    state.workers[worker].senses.push(s);
    mark(state.ready, worker);
}

/// Puts a line into a register, if there is one for it. `first`: it has just come.
bool Package::write(const Op& w, bool first) {
    const FlashPacket& p = w.packet;
    const PageAddress a = forwarded(address_of(p));
    const std::uint64_t key = key_of(a);
    std::uint32_t r = registers_->find(key);
    const bool hit = r != none;
    if (!hit) {
        if (registers_->pool(a.plane).free == 0) return false;
        r = registers_->take(a, key);
        stat.registers_used.set(now(), ++state.used);
    }
    if (hit && first) ++stat.write_hits;
    registers_->write(r, p.line, p.sectors, p.partial);
    if (p.contents) contents_->write(places_of(a), p.line, p.sectors & ~p.partial, p.contents);
    Op done = w;
    done.packet.sectors = hit && first;
    answer(done, PacketKind::written, 0);
    return true;
}

/// In order; a page that gets a register takes all that waits for it.
void Package::serve_stalled(std::uint32_t pool) {
    Fifo<Op>& waiting = state.stalled[pool];
    while (!waiting.empty()) {
        const std::uint64_t key = stalled_key(waiting.front().packet, pool);
        if (!write(waiting.front(), false)) {
            const std::uint32_t now_of =
                pool_of(forwarded(address_of(waiting.front().packet)).plane);
            return evict(now_of, std::max(state.stalled_of_pool[now_of], 1u));
        }
        waiting.pop();
        std::uint32_t& left = state.stalled_pages[key];
        --left;
        for (std::uint32_t i = 0; left && i < waiting.size();)
            if (stalled_key(waiting[i].packet, pool) == key) {
                write(waiting[i], false);
                waiting.erase(i);
                --left;
            } else
                ++i;
        if (left == 0) {
            state.stalled_pages.erase(key);
            --state.stalled_of_pool[pool];
        }
    }
}

/// Has pages programmed, the one written longest ago first, until as many registers are free or
/// will be as are to be kept free and are waited for.
void Package::evict(std::uint32_t pool, std::uint32_t waiting) {
    RegisterPool& p = state.registers.pools[pool];
    const std::uint32_t want = spare_ + waiting;
    std::uint32_t i = p.written.oldest;
    while (p.free + p.leaving < want && i != parts::no_link) {
        const std::uint32_t next = state.registers.registers[i].newer;
        const Register& r = (*registers_)[i];
        // Versions of one page are programmed one after another.
        if (!state.leaving.find(r.key) && promise(r.address)) {
            const std::uint32_t worker = worker_of(r.address.plane);
            registers_->queue(i, now());
            state.workers[worker].programs.push(i);
            mark(state.ready, worker);
        }
        i = next;
    }
}

/// A log block of the start holds pages that newer ones, merged since, have replaced.
Package::Log& Package::log_at(std::uint32_t plane, std::uint32_t block) {
    const std::uint64_t key = block_key(plane, block);
    if (Log* const log = state.logs.find(key)) return *log;
    Log& log = state.logs[key];
    if (filled_ == 0 || block < first_log_ || block > last_log_ || array_->block(plane, block))
        return log;
    std::uint64_t draw = sim().seed() ^ (key << 16 | params.endpoint());
    log.assigned = static_cast<std::uint16_t>(split_mix(draw) % (filled_ + 1));
    array_->written_before(plane, block, log.assigned);
    return log;
}

/// A page of its log block, if one is left.
bool Package::promise(const PageAddress& a) {
    Log& log = log_at(a.plane, a.log_block);
    const bool promised =
        log.assigned < params.geometry.pages(); // it may have been full before the run
    log.assigned += promised;
    const std::uint32_t left = params.geometry.pages() - log.assigned;
    if (!log.told && left <= params.log_reserve()) {
        log.told = true;
        ++stat.log_lows;
        const std::uint32_t i = a.plane % params.ports();
        FlashPacket p;
        p.kind = PacketKind::log_low;
        p.at = {static_cast<std::uint8_t>(a.plane / params.geometry.planes()),
                static_cast<std::uint8_t>(a.plane % params.geometry.planes())};
        p.block = a.block, p.log_block = a.log_block;
        p.page = static_cast<std::uint16_t>(left);
        p.source = static_cast<std::uint16_t>(params.endpoint() + i);
        p.destination = static_cast<std::uint16_t>(params.controller());
        state.answers[i].push({p, none, 0, false});
    }
    return promised;
}

void Package::answer(const Op& request, PacketKind kind, std::uint32_t bytes) {
    FlashPacket p = request.packet;
    std::swap(p.source, p.destination);
    p.kind = kind;
    p.bytes = bytes;
    p.contents = {};
    state.answers[request.port].push({p, none, request.accepted, true});
}

void Package::answer_read(const Read& r, Contents::Id contents, std::uint32_t sense) {
    answer({r.packet, r.accepted, r.port}, PacketKind::data, r.packet.bytes);
    Answer& a = state.answers[r.port].back();
    a.packet.contents = contents;
    a.sense = sense;
    if (sense == none) return;
    ++state.senses[sense].unsent;
    stat.useful_bytes += r.packet.bytes;
}

void Package::send_answers() {
    for (unsigned i = 0; i < port.output.size(); ++i)
        while (!state.answers[i].empty() && port.output[i].can_send()) {
            const Answer a = state.answers[i].pop();
            port.output[i].send(a.packet);
            if (a.counts) --state.outstanding;
            if (a.packet.kind == PacketKind::data)
                stat.read_latency.sample(static_cast<std::uint64_t>(now() - a.accepted));
            if (a.sense == none) continue;
            const Sense& s = state.senses[a.sense];
            if (--state.senses[a.sense].unsent > 0) continue;
            const std::uint32_t worker = worker_of(s.address.plane); // its data register is empty
            if (params.reuse() == PageReuse::waiting) state.sense_of.erase(s.key);
            state.free_senses.push_back(a.sense);
            become_idle(worker);
        }
}

void Package::functional(const PortBase&, FunctionalAccess& access) {
    const FlashPacket& p = static_cast<protocol::FlashPacketAccess&>(access).packet;
    contents_->functional(places_of(forwarded(address_of(p))), access);
}

void Package::waits_on(WaitReport& report) const {
    if (state.outstanding)
        report.add(path() + ": " + std::to_string(state.outstanding) +
                   " requests have no answer yet");
    if (!state.stalled_pages.empty())
        report.add(
            path() + ": writes to " + std::to_string(state.stalled_pages.size()) +
            " pages wait for a register; those that hold a page of a full log block wait for "
            "a collector");
    if (!state.moves.empty())
        report.add(path() + ": " + std::to_string(state.moves.size()) +
                   " moves wait for their planes, or for the page before theirs");
}

std::optional<std::string> Package::imbalance() const {
    if (state.outstanding) return std::to_string(state.outstanding) + " requests got no answer";
    std::uint32_t held = 0;
    for (const RegisterPool& p : state.registers.pools) held += p.leaving;
    if (held) return std::to_string(held) + " registers wait for their planes";
    return {};
}

} // namespace memsim::zng
