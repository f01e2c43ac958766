#include "link/address_router.hh"

#include "core/kernel/registry.hh"

#include <sstream>

namespace memsim::link {

using protocol::MemRequest;
using protocol::RangeOp;
using protocol::RangeResult;

static const Registration<AddressRouter> address_router {
    "Sends each request to the memory that contains its address."};
static const Stage routing {"router"};

namespace {

std::string show(const AddressRange& r) {
    return "'" + bytes_text(r.base) + " " + bytes_text(r.bytes) + " " + std::to_string(r.target) +
           "'";
}

} // namespace

void AddressRouter::init() {
    const unsigned targets = port.mem_side.size();
    state.ranges.resize(params.entries(), targets);
    state.waiting.resize(targets, params.buffer());
    read_ranges();
    if (!port.control) check_holes();
    counts_ = params.named() != 0;
    if (counts_) check_names();
}

void AddressRouter::read_ranges() {
    for (const std::string_view one : elements_of(params.ranges())) {
        std::istringstream words {std::string(one)};
        std::string base, bytes, target, more;
        if (!(words >> base >> bytes >> target) || words >> more)
            refuse("ranges", "'" + std::string(one) +
                                 "' is not a first address, a size and a port, such as '0B "
                                 "1GiB 0'");
        AddressRange r;
        try {
            r = {parse_bytes(base), parse_bytes(bytes), Text<std::uint16_t>::parse(target)};
        } catch (const ConfigError& e) {
            refuse("ranges", e.what());
        }
        if (r.bytes == 0) refuse("ranges", show(r) + " is empty");
        if (r.target >= port.mem_side.size())
            refuse("ranges", show(r) + " names a port that is not connected: mem_side has " +
                                 std::to_string(port.mem_side.size()));
        if (const AddressRange* other = state.ranges.overlapping(r))
            refuse("ranges", show(r) + " overlaps " + show(*other));
        if (state.ranges.full())
            refuse("entries", "there are more ranges than " + params.entries.text());
        state.ranges.add(r);
    }
}

/// Without firmware, addresses between ranges can never be accessed.
void AddressRouter::check_holes() const {
    if (state.ranges.size() == 0)
        refuse("ranges", "none is given: give one, or connect control to firmware that adds them");
    for (std::uint32_t i = 1; i < state.ranges.size(); ++i) {
        const AddressRange &a = state.ranges[i - 1], &b = state.ranges[i];
        if (a.last() + 1 != b.base)
            refuse("ranges", "there is a hole from " + bytes_text(a.last() + 1) + " to " +
                                 bytes_text(b.base) + ", between " + show(a) + " and " + show(b) +
                                 ": close it, or connect control to firmware that does");
    }
}

void AddressRouter::check_names() const {
    if (port.control) refuse("names", "firmware changes the ranges: leave the names out");
    if (params.named() != state.ranges.size())
        refuse("names", std::to_string(params.named()) + " names for " +
                            std::to_string(state.ranges.size()) +
                            " ranges: name each of them, or none");
}

void AddressRouter::count(const MemRequest& r) {
    const auto range = static_cast<std::size_t>(&range_of(r.address) - &state.ranges[0]);
    stat.bytes[range] += r.payload();
}

void AddressRouter::wake() {
    if (port.control)
        while (!port.control->empty() && port.control->can_send()) {
            const protocol::RangeOrder order = port.control->pop();
            const RangeResult result = obey(order);
            ++stat.orders[result];
            port.control->send({order.tag, result});
        }
    const auto passed = [this](Stamps::Id stamps) {
        sim().stamps().mark(stamps, routing, now() + params.latency->raw);
    };
    state.waiting.pass(
        port.cpu_side, port.mem_side, [this](const MemRequest& r) { return port_of(r); },
        [this](bool sent) { ++(sent ? stat.hints : stat.hints_dropped); },
        [&](std::uint32_t o, const MemRequest& r) {
            passed(r.stamps);
            ++stat.requests[o];
            if (counts_) count(r);
        },
        [&](const protocol::MemResponse& r) { passed(r.stamps); });
}

RangeResult AddressRouter::obey(const protocol::RangeOrder& order) {
    const AddressRange r {order.base, order.bytes, order.target};
    if (r.bytes == 0 || r.last() < r.base) return RangeResult::empty;
    if (order.op == RangeOp::remove) {
        const AddressRange* known = state.ranges.find(r.base);
        if (!known || known->base != r.base || known->bytes != r.bytes) return RangeResult::unknown;
        if (port.mem_side[known->target].outstanding() ||
            state.waiting.queues.waiting(known->target))
            return RangeResult::busy;
        state.ranges.remove(*known);
        return RangeResult::done;
    }
    if (r.target >= port.mem_side.size()) return RangeResult::no_such_target;
    if (state.ranges.overlapping(r)) return RangeResult::overlaps;
    if (state.ranges.full()) return RangeResult::full;
    state.ranges.add(r);
    return RangeResult::done;
}

/// Returns `nowhere` for a hint outside of all ranges.
std::uint32_t AddressRouter::port_of(const MemRequest& r) const {
    if (r.is_hint() && !state.ranges.find(r.address)) return state.waiting.nowhere;
    const AddressRange& range = range_of(r.address);
    if (!r.is_hint() && r.bytes && r.address + r.bytes - 1 > range.last())
        refuse("ranges", "a request of " + std::to_string(r.bytes) + "B at address " +
                             std::to_string(r.address) + " crosses the end of " + show(range));
    return range.target;
}

const AddressRange& AddressRouter::range_of(std::uint64_t address) const {
    const AddressRange* range = state.ranges.find(address);
    if (!range)
        refuse("ranges", "a request for address " + std::to_string(address) +
                             ", which is outside of all ranges");
    return *range;
}

void AddressRouter::waits_on(WaitReport& report) const {
    if (state.waiting.held)
        report.add(path() + " holds " + std::to_string(state.waiting.held) +
                   " requests for its ports");
}

void AddressRouter::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.mem_side[range_of(access.address).target], access);
}

} // namespace memsim::link
