#include "mem/cache/params.hh"

namespace memsim::mem::cache {

std::optional<Fault> fault_of(const Params& p, bool victims) {
    const GeometryParams& g = p.geometry;
    const auto raw = [](Bytes b) { return static_cast<std::uint64_t>(b.raw); };
    const std::uint64_t line = raw(g.line()), sector = raw(g.sector());
    const std::uint64_t set_bytes = line * g.ways(), capacity = raw(g.capacity());
    if (!std::has_single_bit(line)) return Fault {"line", "must be a power of two"};
    if (!std::has_single_bit(sector) || sector > line)
        return Fault {"sector", "must be a power of two, at most the line of " + g.line.text()};
    if (capacity < set_bytes || capacity % set_bytes)
        return Fault {"capacity", g.capacity.text() + " is not a whole number of sets of " +
                                      g.ways.text() + " lines of " + g.line.text() +
                                      ": give a multiple of " + std::to_string(set_bytes) + "B"};
    if (p.writes.reserved_ways() >= g.ways())
        return Fault {"reserved_ways", "must leave at least one of the " + g.ways.text() +
                                           " ways for lines that are only read"};
    if (g.interleave_granularity->raw && raw(g.interleave_granularity()) % line)
        return Fault {"interleave_granularity", "must be a multiple of the line, " + g.line.text() +
                                                    ", so that a line lies in one cache"};
    if (g.interleave_ways() && g.interleave_index() >= g.interleave_ways())
        return Fault {"interleave_index",
                      "must be below interleave_ways, " + g.interleave_ways.text()};
    if (g.hash_rounds() && !g.interleave_ways())
        return Fault {"hash_rounds", "the caches that a hash selects are not known from the "
                                     "connection: give interleave_ways, too"};
    // A miss or a forwarded write, with its victim.
    const unsigned most = victims ? 4 : 3;
    if (p.queues.mem_queue() < most)
        return Fault {"mem_queue",
                      "must hold all messages of one request: " + std::to_string(most)};
    if (p.queues.lines_on_their_way() > QueueParams::most_lines)
        return Fault {"mshr_lines", p.queues.mshrs.text() + " MSHRs of " +
                                        p.queues.mshr_lines.text() + " lines are more than " +
                                        std::to_string(QueueParams::most_lines) + " lines"};
    if (p.hints.demand_mshrs() >= p.queues.mshrs() && p.hints.hint_ports())
        return Fault {"demand_mshrs",
                      "leaves none of the " + p.queues.mshrs.text() + " MSHRs for hints"};
    return {};
}

Config::Config(const Params& p, bool victims_)
    : policy(p.writes.write_policy()), allocates(p.writes.write_allocate()),
      fetches(p.writes.fetch_on_write()), fill_port(p.timing.fill_port()),
      observed(p.observers() > 0), managed(p.control_ports() > 0), hinted(p.hints.hint_ports() > 0),
      acknowledged(p.writes.acknowledged_writebacks()), warm(p.warm.warm_bytes->raw > 0),
      victims(victims_), mshrs(p.queues.lines_on_their_way()), ways(p.geometry.ways()),
      demand_mshrs(p.hints.demand_mshrs()), read_cycles(p.timing.read_cycles()),
      write_cycles(p.timing.write_cycles()) {}

} // namespace memsim::mem::cache
