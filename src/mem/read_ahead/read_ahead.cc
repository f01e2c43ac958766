#include "mem/read_ahead/read_ahead.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"
#include "device_parts/record_part.hh"

namespace memsim::mem {

static const Registration<ReadAhead> read_ahead {
    "Reads arrays of far memory into a buffer before a program reads them."};
static const Stage ahead {"ahead"};

using protocol::Command;
using protocol::MemRequest;
using protocol::MemResponse;

namespace {

constexpr std::uint8_t whole_line = AheadLine::whole;

std::uint64_t line_of(std::uint64_t address) {
    return address / ReadAhead::line_bytes * ReadAhead::line_bytes;
}
std::uint32_t first_sector(const MemRequest& r) {
    return static_cast<std::uint32_t>(r.address % ReadAhead::line_bytes / SectorBytes::size);
}
/// The sectors of its line that a request needs, a bit each.
std::uint8_t sectors_of(const MemRequest& r) {
    std::uint8_t all = 0;
    for_each_sector(r, [&](std::uint64_t, std::uint32_t i) {
        all = static_cast<std::uint8_t>(all | 1u << (first_sector(r) + i));
    });
    return all;
}
bool in_one_line(const MemRequest& r) {
    return r.bytes != 0 && line_of(r.address) == line_of(r.address + r.bytes - 1);
}

} // namespace

void ReadAhead::init() {
    const auto chunk = static_cast<std::uint64_t>(params.share.interleave_granularity->raw);
    try {
        arrays_ = AheadArrays(params.arrays(), line_bytes);
    } catch (const ConfigError& e) {
        refuse("arrays", e.what());
    }
    if (params.ahead() >= arrays_.groups())
        refuse("ahead", params.ahead.text() + " groups after the present one, of " +
                            std::to_string(arrays_.groups()) + ": make it less");
    if (params.share.interleave_index() >= params.share.interleave_ways())
        refuse("interleave_index",
               params.share.interleave_index.text() + " is not below interleave_ways");
    share_ = {device_parts::HashedInterleave(chunk, params.share.interleave_ways(),
                                             params.share.hash_rounds()),
              params.share.interleave_index()};
    check_signals();
    stat.predicted_used.gather([this] { return state.position.signalled.used; });
    stat.predicted_unused.gather([this] { return state.position.signalled.unused; });
    stat.predicted_missed.gather([this] { return state.position.signalled.missed; });
    buffer_ = share_.from(static_cast<std::uint64_t>(params.base->raw), chunk);
    cursor_.emplace(AheadCursor::Config {params.ahead(), params.predict(), line_bytes, chunk},
                    arrays_, share_, state.position);
    state.position.uses.resize(arrays_.size());
    const auto lines = static_cast<std::uint32_t>(params.capacity->raw / line_bytes);
    check_buffer(lines);
    state.lines.resize(lines);
    state.requests.resize(params.requests());
    for (std::uint32_t i = params.requests(); i-- > 0;) state.free_requests.push_back(i);
}

/// Lines written to the buffer must not replace data of the arrays.
void ReadAhead::check_buffer(std::uint32_t lines) const {
    const std::uint64_t end = place(lines - 1) + line_bytes;
    const std::uint32_t array = arrays_.overlapping(place(0), end);
    if (array == AheadArrays::none) return;
    refuse("base", "the buffer from " + bytes_text(place(0)) + " to " + bytes_text(end) +
                       " overlaps the array '" + bytes_text(arrays_[array].base) + " " +
                       bytes_text(arrays_[array].bytes) + "': set an address behind all arrays");
}

void ReadAhead::check_signals() const {
    const unsigned signals = params.signals.signals();
    if (params.predict() == Predict::router && !signals)
        refuse("signals",
               "`predict` is router, but the program sends no signals: give their number "
               "and addresses");
    for (std::uint32_t a = 0; a < arrays_.size(); ++a)
        if (arrays_[a].signal != AheadArray::no_signal && arrays_[a].signal >= signals)
            refuse("arrays", "an array has signal " + std::to_string(arrays_[a].signal) + ", of " +
                                 std::to_string(signals) + ": make it less");
}

void ReadAhead::wake() {
    while (!port.mem_side.empty() && answer()) {
    }
    store();
    while (!port.cpu_side.empty() && accept()) {
    }
    fetch();
}

void ReadAhead::mark(Stamps::Id stamps) {
    sim().stamps().mark(stamps, ahead, now() + params.latency->raw);
}

// ---- responses -------------------------------------------------------------------------------

/// Handles the next response of the memories. Returns false if the component above cannot receive.
bool ReadAhead::answer() {
    const std::uint32_t request = port.mem_side.front().tag;
    const Request q = device_parts::named(state.requests, request);
    if (q.fetch) {
        Line& line = device_parts::named(state.lines, q.line);
        if (line.phase == Phase::fetching) {
            line.phase = Phase::arriving;
            line.data = port.mem_side.front().contents;
        }
        if (!answer_waiting(line)) return false;
        port.mem_side.pop();
        forget(request);
        fetched(q.line);
        return true;
    }
    if (!port.cpu_side.can_send()) return false;
    MemResponse r = port.mem_side.pop();
    r.address = q.request.address;
    r.tag = q.request.tag;
    mark(r.stamps);
    port.cpu_side.send(r);
    forget(request);
    if (q.line == none) return true;
    Line& line = state.lines[q.line];
    --line.pins;
    if (line.left)
        release(q.line);
    else if (line.read == whole_line)
        leave(q.line);
    return true;
}

/// The response of a line's fetch has been handled.
void ReadAhead::fetched(std::uint32_t l) {
    Line& line = state.lines[l];
    --state.fetching;
    line.phase = Phase::stored;
    if (line.left)
        release(l);
    else if (line.read == whole_line)
        leave(l);
    else {
        line.phase = Phase::storing;
        state.storing.push(l);
    }
}

/// Answers the reads that wait for a line.
bool ReadAhead::answer_waiting(Line& line) {
    while (line.head != none) {
        if (!port.cpu_side.can_send()) return false;
        const std::uint32_t request = line.head;
        const Request& q = state.requests[request];
        stat.wait.sample(Time {now() - q.since});
        respond(q.request, line.data);
        line.head = q.next;
        forget(request);
    }
    line.tail = none;
    return true;
}

/// Answers a read from the data of its line.
void ReadAhead::respond(const MemRequest& r, Contents::Id data) {
    MemResponse answer = protocol::answer(r);
    if (Contents& contents = sim().contents(); data) {
        answer.contents = contents.create();
        for_each_sector(r, [&](std::uint64_t, std::uint32_t i) {
            SectorBytes sector;
            device_parts::read_sector(contents, data, first_sector(r) + i, sector);
            contents[answer.contents].pieces.push_back({i, sector});
        });
    }
    mark(r.stamps);
    port.cpu_side.send(answer);
}

/// Writes fetched lines to the buffer.
void ReadAhead::store() {
    for (; !state.storing.empty(); state.storing.drop()) {
        const std::uint32_t l = state.storing.front();
        Line& line = state.lines[l];
        if (!line.left) {
            if (!port.mem_side.can_send()) return;
            MemRequest r;
            r.address = place(l);
            r.bytes = line_bytes;
            r.command = Command::write;
            r.posted = true;
            r.contents = std::exchange(line.data, {});
            if (r.contents) sim().contents()[r.contents].moves = true; // other data were there
            port.mem_side.send(r);
            stat.stored += line_bytes;
        }
        line.phase = Phase::stored;
        if (line.left) release(l);
    }
}

// ---- requests --------------------------------------------------------------------------------

bool ReadAhead::accept() {
    const MemRequest& r = port.cpu_side.front();
    if (r.is_hint()) {
        port.mem_side.offer(port.cpu_side.pop());
        return true;
    }
    if (!room()) return false;
    const std::uint32_t array = arrays_.find(r.address);
    if (array != AheadArrays::none) {
        if (!in_one_line(r))
            refuse("arrays", "a request of " + std::to_string(r.bytes) + "B at address " +
                                 std::to_string(r.address) + " does not lie within one line");
        if (r.command == Command::read) return accept_read(array);
    }
    if (!port.mem_side.can_send()) return false;
    if (params.predict() == Predict::router) look_for_signal(r);
    if (array != AheadArrays::none)
        if (const std::uint32_t line = state.lines.find(r.address); line != none) leave(line);
    ++stat.others;
    send(port.cpu_side.pop(), none);
    return true;
}

/// The program reads the address of a signal.
void ReadAhead::look_for_signal(const MemRequest& r) {
    const SignalParams& s = params.signals;
    const auto base = static_cast<std::uint64_t>(s.signal_base->raw);
    if (r.command != Command::read || r.address < base ||
        r.address >= static_cast<std::uint64_t>(s.signal_end->raw))
        return;
    const std::uint64_t number =
        (r.address - base) / static_cast<std::uint64_t>(s.signal_bytes->raw);
    cursor_->signals(static_cast<std::uint32_t>(number % s.signals()));
}

bool ReadAhead::accept_read(std::uint32_t array) {
    const std::uint64_t address = port.cpu_side.front().address;
    const std::uint32_t line = state.lines.find(address);
    const bool below = line == none || state.lines[line].phase == Phase::stored;
    const bool waits = !below && state.lines[line].phase == Phase::fetching;
    if (!waits && !(below ? port.mem_side.can_send() : port.cpu_side.can_send())) return false;
    const std::uint32_t last = state.position.group;
    if (cursor_->reads(array)) leave_groups(last);
    const MemRequest r = port.cpu_side.pop();
    if (line == none) {
        ++stat.misses;
        cursor_->missed(array, line_of(address));
        send(r, none);
    } else
        read_held(r, line);
    return true;
}

/// Reads a line that is in the buffer, or comes.
void ReadAhead::read_held(const MemRequest& r, std::uint32_t l) {
    Line& line = state.lines[l];
    line.read = static_cast<std::uint8_t>(line.read | sectors_of(r));
    if (line.phase == Phase::fetching) {
        ++stat.late;
        const std::uint32_t request = keep(r, l);
        (line.head == none ? line.head : state.requests[line.tail].next) = request;
        line.tail = request;
        return;
    }
    ++stat.hits;
    if (line.phase == Phase::stored) {
        ++line.pins;
        send(r, l);
        return;
    }
    respond(r, line.data);
    if (line.phase == Phase::storing && line.read == whole_line) leave(l);
}

/// Sends a request of the program below: to the place of `line` in the buffer, if there is one.
void ReadAhead::send(MemRequest r, std::uint32_t line) {
    mark(r.stamps);
    if (r.needs_response()) {
        const std::uint32_t request = keep(r, line);
        r.tag = request;
    }
    if (line != none) r.address = place(line) + r.address % line_bytes;
    port.mem_side.send(r);
}

std::uint32_t ReadAhead::keep(const MemRequest& r, std::uint32_t line, bool fetch) {
    const std::uint32_t request = state.free_requests.back();
    state.free_requests.pop_back();
    state.requests[request] = {r, now(), line, none, fetch};
    return request;
}

// ---- reading ahead ---------------------------------------------------------------------------

void ReadAhead::fetch() {
    while (state.fetching < params.fetches()) {
        const std::optional<std::uint64_t> address = cursor_->line();
        if (!address) return;
        if (state.lines.find(*address) == none) {
            if (state.lines.free.empty() && !std::exchange(state.full, true)) ++stat.full;
            if (state.lines.free.empty() || !port.mem_side.can_send()) return;
            begin_fetch(*address);
        }
        cursor_->next();
    }
}

void ReadAhead::begin_fetch(std::uint64_t address) {
    const std::uint32_t l = state.lines.add(address, arrays_[cursor_->array()].group);
    state.full = false;
    MemRequest r;
    r.address = address;
    r.bytes = line_bytes;
    r.tag = keep(r, l, true);
    port.mem_side.send(r);
    ++state.fetching;
    ++stat.fetches;
}

// ---- lines -----------------------------------------------------------------------------------

void ReadAhead::leave(std::uint32_t l, bool counted) {
    if (state.lines[l].read == 0 && counted) ++stat.useless;
    state.lines.leave(l, sim().contents());
}

/// The program has left the group `last`, and perhaps others.
void ReadAhead::leave_groups(std::uint32_t last) {
    for (std::uint32_t l = 0; l < state.lines.size(); ++l)
        if (const Line& line = state.lines[l];
            !line.left && (line.group == last || !cursor_->in_window(line.group)))
            leave(l);
}

/// Data of a line are those of its address below, which receives all writes.
void ReadAhead::functional(const PortBase&, FunctionalAccess& access) {
    if (access.write)
        if (const std::uint32_t line = state.lines.find(access.address); line != none)
            leave(line, false);
    look_through(port.mem_side, access);
}

// ---- reports ---------------------------------------------------------------------------------

void ReadAhead::waits_on(WaitReport& report) const {
    if (const std::size_t n = state.requests.size() - state.free_requests.size())
        report.add(path() + ": " + std::to_string(n) + " requests are outstanding, " +
                   std::to_string(state.fetching) + " of them read ahead from " +
                   port.mem_side.neighbour_path());
}

void ReadAhead::check_loaded(Loader& l) const {
    const std::size_t requests = state.requests.size(), lines = state.lines.size();
    for (const Request& r : state.requests) {
        if (r.line != none) l.index("requests.line", r.line, lines);
        if (r.next != none) l.index("requests.next", r.next, requests);
    }
    l.indices("storing", state.storing, lines);
    state.lines.check_loaded(l, requests);
    const AheadPosition& at = state.position;
    if (at.group != AheadArrays::none) l.index("position.group", at.group, arrays_.groups());
    l.index("position.array", at.array, arrays_.size());
    l.within("position.uses",
             [&] { l.check(at.uses.size() == arrays_.size(), "has another number of arrays"); });
}

std::optional<std::string> ReadAhead::imbalance() const {
    if (pending()) return "requests were not answered";
    return {};
}

} // namespace memsim::mem
