#include "workload/traces/trace_player.hh"

#include "core/kernel/registry.hh"
#include "device_parts/address_map.hh"

#include <algorithm>
#include <limits>

namespace memsim::workload {

static const Registration<TracePlayer> trace_player {"Plays a trace of addresses into a memory."};

using protocol::Command;

std::unique_ptr<TraceReader> TracePlayer::open() const {
    if (params.trace->empty()) refuse("trace", "no trace is given: set it to a file name");
    TraceOptions options;
    options.format = params.format();
    options.unit = params.unit();
    options.bytes = params.bytes();
    options.map = params.map();
    options.from_first = params.from_first();
    options.gem5 = params.gem5();
    try {
        options.geometry = parse_geometry(params.geometry());
    } catch (const ConfigError& e) {
        refuse("geometry", e.what());
    }
    auto reader = open_trace(params.trace(), options);
    if (params.timed() && !reader->timed())
        refuse("timed", "'" + params.trace() + "' has no times: set timed to false");
    if (params.timed() && !reader->in_time_units())
        refuse("unit", "'" + params.trace() +
                           "' does not state its time unit: set unit (such as "
                           "the period of its clock), or timed to false");
    return reader;
}

/// For a trace of DRAM locations: checks that the memory maps the constructed addresses to the same
/// locations.
void TracePlayer::check_map() const {
    const auto* memory = port.mem_side.find_interface<const device_parts::HasAddressMap>();
    const std::vector<std::uint64_t> n = parse_geometry(params.geometry());
    if (!memory || n.size() != 6) return;
    const auto count = [&](std::size_t i) { return static_cast<std::uint32_t>(n[i]); };
    bool found = true;
    try {
        const device_parts::AddressMap own(params.map, {count(0), count(1), count(2), count(3),
                                                        count(4), count(5), params.bytes(), 1});
        found = own.within(memory->address_map());
    } catch (const ConfigError&) { // the reader or the memory reports its own errors
    }
    if (found) return;
    refuse("map", "'" + params.map() + "' with the geometry " + params.geometry() +
                      " and columns of " + params.bytes.text() +
                      "B differs from the address mapping of " + port.mem_side.neighbour_path() +
                      ": give both the same map, ranks, groups, banks, columns and bytes");
}

void TracePlayer::init() {
    reader_ = open(); // reports errors before time 0
    check_map();
    mem::SentRequests::init(state.requests, params.outstanding());
}

void TracePlayer::start() {
    read_record();
    if (!state.ended) arm(state.next, state.record.due);
}

void TracePlayer::wake() {
    auto& mem = port.mem_side;
    while (!mem.empty()) requests().answered(mem.pop());
    while (!state.ended && state.record.due <= now() && mem.can_send()) send_one();
    if (!state.ended && state.record.due > now()) arm(state.next, state.record.due);
}

void TracePlayer::read_record() {
    if (reader_->place().records != state.place.records) { // the State comes from a checkpoint
        reader_ = open();
        reader_->go_to(state.place);
    }
    TraceRecord r;
    if ((params.records() && state.place.records == params.records()) || !reader_->next(r)) {
        state.ended = true;
        return;
    }
    state.place = reader_->place();
    const auto base = static_cast<std::uint64_t>(params.base->raw);
    if (r.address < base)
        throw ConfigError(params.trace() + ": record " + std::to_string(state.place.records) +
                          " lies below the base of " + params.base.text());
    std::uint64_t address = r.address - base;
    if (!protocol::fits(r.sectors, address, r.bytes))
        throw ConfigError(params.trace() + ": record " + std::to_string(state.place.records) +
                          " names 32-byte sectors outside of its " + std::to_string(r.bytes) +
                          " bytes at " + std::to_string(r.address) +
                          ": record it again, or set base to a multiple of 32 bytes");
    if (!reader_->sized()) address -= address % r.bytes;
    state.record = {address,
                    r.bytes,
                    r.warp,
                    static_cast<std::uint32_t>(r.pc),
                    r.application,
                    r.sectors,
                    r.command == TraceCommandKind::read    ? Command::read
                    : r.command == TraceCommandKind::write ? Command::write
                                                           : Command::atomic,
                    1};
    if (params.timed()) {
        const Int128 due = Int128 {r.time} * Fraction {100_pct}.raw / params.speed->raw;
        state.record.due = static_cast<Tick>(
            std::clamp<Int128>(due, 1, Int128 {std::numeric_limits<Tick>::max()}));
    }
}

void TracePlayer::send_one() {
    Record& next = state.record;
    protocol::Piece piece;
    while (piece.bytes == 0) {
        const auto to_boundary =
            static_cast<std::uint32_t>(params.largest() - next.address % params.largest());
        const std::uint32_t bytes = std::min(next.bytes, to_boundary);
        piece = protocol::first_piece(next, bytes);
        next.sectors = static_cast<std::uint16_t>(next.sectors >>
                                                  ((next.address + bytes) / protocol::sector_bytes -
                                                   next.address / protocol::sector_bytes));
        next.address += bytes;
        next.bytes -= bytes;
    }
    protocol::MemRequest r;
    r.address = piece.address;
    r.bytes = piece.bytes;
    r.sectors = piece.sectors;
    r.command = next.command;
    r.pc = next.pc;
    r.warp = static_cast<std::uint8_t>(next.warp); // predictors distinguish 256 warps
    r.application = next.application;
    requests().send(r);
    if (params.timed() && next.due < now()) ++stat.late;
    port.mem_side.send(r);
    if (next.bytes > 0) return;
    ++stat.records;
    read_record();
}

bool TracePlayer::pending() const {
    return !state.ended || mem::SentRequests::under_way(state.requests);
}

void TracePlayer::waits_on(WaitReport& report) const {
    if (const std::size_t answers = mem::SentRequests::under_way(state.requests))
        report.add(path() + " waits for " + std::to_string(answers) + " answers");
}

} // namespace memsim::workload
