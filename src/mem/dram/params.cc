#include "mem/dram/params.hh"

namespace memsim::mem {

namespace {
constexpr std::int64_t row_limit = std::int64_t {1} << 31;
} // namespace

DramTiming timing_of(const DramControllerParams& p) {
    const DramTiming t =
        PseudoChannels::together(with_changes(p.timing->timing(), p.changes), p.pseudo_channels());
    check(t);
    return t;
}

std::optional<Fault> fault_of(const DramControllerParams& p, const DramTiming& t) {
    if (p.channels && p.channel >= p.channels)
        return Fault {"channel",
                      p.channel.text() + " is not below channels = " + p.channels.text()};
    if (p.write_high > p.write_queue)
        return Fault {"write_high", p.write_high.text() +
                                        " exceeds the queue: it must be at most write_queue = " +
                                        p.write_queue.text()};
    if (p.write_low >= p.write_high)
        return Fault {"write_low", p.write_low.text() +
                                       " must be less than write_high = " + p.write_high.text()};
    const std::uint64_t most_places =
        p.read_queue + p.write_queue + 2u * p.bank_queue * t.ranks * t.banks();
    if (most_places >= 0xffff)
        return Fault {"read_queue", "together with the other queues holds " +
                                        std::to_string(most_places) +
                                        " requests: the maximum is 65534"};
    const std::int64_t rows_of_one = t.row.raw * t.ranks * t.banks();
    const std::int64_t rows = p.capacity->raw / rows_of_one;
    if (rows == 0 || rows * rows_of_one != p.capacity->raw)
        return Fault {"capacity", p.capacity.text() + " must be a multiple of " +
                                      Text<Bytes>::show({rows_of_one}) + ", one row of every bank"};
    if (rows >= row_limit)
        return Fault {"capacity", p.capacity.text() + " is " + std::to_string(rows) +
                                      " rows of every bank; the maximum is fewer than " +
                                      std::to_string(row_limit) + ": give less than " +
                                      Text<Bytes>::show({row_limit * rows_of_one})};
    const std::int64_t granule = p.interleave->raw ? p.interleave->raw : t.burst;
    if (granule % t.burst || granule > t.row.raw)
        return Fault {"interleave", p.interleave.text() + " must be a multiple of a burst of " +
                                        std::to_string(t.burst) + " bytes, at most a row of " +
                                        Text<Bytes>::show(t.row)};
    return {};
}

} // namespace memsim::mem
