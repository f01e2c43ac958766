#pragma once

#include "core/kernel/contents.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "device_parts/named.hh"
#include "protocol/block_io.hh"

namespace memsim::mem {

/// Requests that read and write whole units of a drive. Consecutive units requested one after
/// another form one request of up to `batch` units. A read of a unit that is being written waits
/// until the drive has written it. A part: its owner has the port and holds the units.
class DriveUnits {
  public:
    struct Config {
        std::uint64_t base = 0; ///< address of unit 0 on the drive, in bytes
        std::uint64_t unit = 0; ///< bytes
        std::uint32_t block = 0;
        std::uint32_t batch = 1;
        std::uint32_t requests = 0; ///< maximum number without a response
    };
    struct Request {
        std::uint64_t unit = 0;
        std::uint32_t units = 1;
        bool write = false;
        bool urgent = false;   ///< an access waits for it
        Contents::Id contents; ///< of a write, until it is sent
    };
    struct State {
        Fifo<Request> waiting;
        std::vector<Request> sent; ///< by tag
        FreeList free;             ///< free tags
        HashMap<bool> leaving;     ///< units being written to the drive; true: to be read again
    };

    DriveUnits(const Config& config, State& state) : config_(config), state_(state) {
        state_.sent.resize(config_.requests);
        for (std::uint32_t i = config_.requests; i-- > 0;) state_.free.push_back(i);
    }

    /// Requests a read of a unit; if the unit is being written, after that write.
    void read(std::uint64_t unit, bool urgent) {
        if (bool* const again = state_.leaving.find(unit))
            *again = true;
        else
            queue_read(unit, urgent);
    }
    /// A unit begins to leave for the drive; write() provides its data.
    void leave(std::uint64_t unit) { state_.leaving[unit] = false; }
    /// Writes `units` units from this one in one request.
    void write(std::uint64_t unit, std::uint32_t units, Contents::Id contents) {
        state_.waiting.push({unit, units, true, false, contents});
    }
    bool leaves(std::uint64_t unit) const { return state_.leaving.find(unit); }

    bool any() const { return !state_.waiting.empty(); }
    /// The first unit of the next request.
    std::uint64_t next_unit() const { return state_.waiting.front().unit; }
    /// The next request. Requires: fewer than `requests` are outstanding.
    protocol::BlockRequest next() {
        Request q = state_.waiting.pop();
        const std::uint32_t tag = state_.free.back();
        state_.free.pop_back();
        protocol::BlockRequest r;
        r.contents = std::exchange(q.contents, {});
        r.sector = (config_.base + q.unit * config_.unit) / config_.block;
        r.sectors = q.units * config_.unit / config_.block;
        r.op = q.write ? protocol::BlockOp::write : protocol::BlockOp::read;
        r.tag = tag;
        r.urgent = q.urgent;
        state_.sent[tag] = q;
        return r;
    }
    /// Calls came(unit, n) for each unit that was read (the n-th of the response), or gone(unit)
    /// for each unit that was written.
    template <class Came, class Gone>
    void answered(const protocol::BlockResponse& r, Came&& came, Gone&& gone) {
        const Request q = device_parts::named(state_.sent, r.tag);
        state_.free.push_back(r.tag);
        if (!q.write) {
            for (std::uint32_t n = 0; n < q.units; ++n) came(q.unit + n, n);
            return;
        }
        for (std::uint64_t unit = q.unit; unit < q.unit + q.units; ++unit) {
            const bool* const leaving = state_.leaving.find(unit);
            MEMSIM_ASSERT(leaving, "the drive wrote a unit that did not leave");
            const bool again = *leaving;
            state_.leaving.erase(unit);
            gone(unit);
            if (again) queue_read(unit, true);
        }
    }

    /// Whether no unit is being written to the drive.
    bool all_there() const { return state_.leaving.empty(); }

  private:
    void queue_read(std::uint64_t unit, bool urgent) {
        if (!state_.waiting.empty()) {
            Request& last = state_.waiting.back();
            if (!last.write && last.urgent == urgent && last.unit + last.units == unit &&
                last.units < config_.batch) {
                ++last.units;
                return;
            }
        }
        state_.waiting.push({unit, 1, false, urgent, {}});
    }

    Config config_;
    State& state_;
};

} // namespace memsim::mem
