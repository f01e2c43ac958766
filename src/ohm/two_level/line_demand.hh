#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/channel/ready_reads.hh"
#include "ohm/channel/request_table.hh"
#include "ohm/two_level/cached_lines.hh"

namespace memsim::ohm {

/// A request that a two-level controller has accepted.
struct LineRequest {
    protocol::MemRequest r;
    Tick accepted = 0;
    std::uint64_t local = 0; ///< of its line, within this controller's range
    std::uint64_t set = 0;
    std::uint32_t module = 0; ///< that holds its line in XPoint
    std::uint8_t victims = 0; ///< victims in transit to a module
    bool fetched = false;     ///< the line came from XPoint
    bool filled = false;      ///< the scheduler has accepted it, from the register
    bool answered = false;    ///< answered, or needs no answer
    bool settled = false;     ///< the scheduler has its line, or the line does not change
    bool released = false;    ///< the next request of the set has begun
    Contents::Id line;        ///< the line from XPoint that is to be written to DRAM

    bool is_write() const { return r.command != protocol::Command::read; }
    /// Whether it writes every byte of a line.
    bool writes_whole(std::uint64_t line_bytes) const {
        return is_write() && r.payload() == line_bytes && !r.partial &&
               r.command != protocol::Command::atomic;
    }
};

struct LineDemandState {
    std::vector<LineRequest> requests;
    SlotAllocator slots;                    ///< of requests
    Fifo<std::uint32_t> tag_reads;          ///< requests whose line is to be read
    Fifo<std::uint32_t> writes;             ///< requests whose line is to be written
    std::vector<Fifo<std::uint32_t>> reads; ///< by module: requests whose command waits
    ReadyReads ready;
};

/// Requests that a two-level controller has accepted, on their way to the DRAM, which reads and
/// writes their lines, and to XPoint. The controller decides what follows from the answers.
class LineDemand {
  public:
    /// Marks in the context of a DRAM access: a fill for which no request waits; a write whose
    /// request is answered when it is complete.
    static constexpr std::uint32_t fill_mark = 1u << 31, write_mark = 1u << 30;
    static constexpr std::uint32_t id_of(std::uint32_t context) {
        return context & ~(fill_mark | write_mark);
    }

    /// All references must outlive the object. `fills`: wires by which lines from XPoint reach the
    /// DRAM. `in_register`: lines of reverse-writes are in the DRAM's register already and use no
    /// wires.
    LineDemand(LineDemandState& state, CachedLines& lines, const LineMap& map,
               MemoryChannel& channel, ModuleSide& modules, SimulationRef sim, mem::DramWires fills,
               bool in_register)
        : state_(state), table_(state.requests, state.slots), lines_(lines), map_(map),
          channel_(channel), modules_(modules), sim_(sim), fills_(fills),
          in_register_(in_register) {}
    void init(unsigned requests) {
        table_.resize(requests);
        state_.reads.resize(modules_.modules());
    }

    RequestTable<LineRequest>& requests() { return table_; }
    const RequestTable<LineRequest>& requests() const { return table_; }
    LineRequest& operator[](std::uint32_t id) { return table_[id]; }

    // The next steps of a request: read line and tag, fetch the line, write the line.
    void read_tag(std::uint32_t id) { state_.tag_reads.push(id); }
    void fetch(std::uint32_t id) { state_.reads[table_[id].module].push(id); }
    void write(std::uint32_t id) { state_.writes.push(id); }
    /// XPoint has the line ready.
    void ready(std::uint32_t module, std::uint32_t id, Tick now);
    ReadyReads& ready_reads() { return state_.ready; }
    const ReadyReads& ready_reads() const { return state_.ready; }

    // The following return whether anything changed. has_place(): a place for a victim is free;
    // kept() reserves it.
    template <class HasPlace, class Kept>
    bool read_tags(Tick now, HasPlace&& has_place, Kept&& kept) {
        bool changed = false;
        for (; !state_.tag_reads.empty() && has_place() && channel_.dram().can_accept(false);
             changed = true) {
            kept();
            read_line(state_.tag_reads.pop(), now);
        }
        return changed;
    }
    /// Calls settled(id) for each request whose line the scheduler has accepted.
    template <class Settled>
    bool write_lines(Tick now, Settled&& settled) {
        bool changed = false;
        while (!state_.writes.empty() && channel_.dram().can_accept(true)) {
            const std::uint32_t id = state_.writes.front();
            changed = true;
            if (!write_line(id, now)) continue;
            state_.writes.pop();
            settled(id);
        }
        return changed;
    }
    /// Sends read commands to module m, which use no channel time. Returns their number.
    std::uint32_t fetch_lines(std::uint32_t m);
    /// Grants the channel to ready reads of XPoint, oldest first.
    bool grant_ready(Tick now);
    void check_loaded(Loader& l) const;

  private:
    std::uint32_t line_bytes() const { return static_cast<std::uint32_t>(map_.line_bytes); }
    void read_line(std::uint32_t id, Tick now);
    bool write_line(std::uint32_t id, Tick now);

    LineDemandState& state_;
    RequestTable<LineRequest> table_;
    CachedLines& lines_;
    const LineMap& map_;
    MemoryChannel& channel_;
    ModuleSide& modules_;
    SimulationRef sim_;
    mem::DramWires fills_;
    bool in_register_;
};

} // namespace memsim::ohm
