#pragma once

#include "ohm/channel/demand_port.hh"
#include "ohm/channel/module_side.hh"
#include "ohm/channel/ready_reads.hh"
#include "ohm/channel/request_table.hh"
#include "ohm/planar/page_swaps.hh"

#include <functional>

namespace memsim::ohm {

struct PageDemandStats {
    using group = void;
    Counter dram_reads {Unit::count, "Demand reads of pages in DRAM"};
    Counter dram_writes {Unit::count, "Demand writes to pages in DRAM"};
    Counter xpoint_reads {Unit::count, "Demand reads of pages in XPoint"};
    Counter xpoint_writes {Unit::count, "Demand writes to pages in XPoint"};
    Counter conflicts {Unit::count, "Requests that waited for a bank lent to a swap"};
};

/// A request that a planar controller has accepted.
struct PageRequest {
    enum class Place : std::uint8_t { nowhere, dram, xpoint, buffer };
    protocol::MemRequest r;
    Tick accepted = 0;
    std::uint64_t group = 0;
    std::uint32_t offset = 0;   ///< within its page
    std::uint32_t fed = 0;      ///< bytes of its span passed to the DRAM scheduler
    std::uint32_t accesses = 0; ///< DRAM accesses that are not complete
    std::uint8_t slot = 0;
    std::uint8_t location = 0;
    std::uint8_t blocks_swap = Group::none; ///< the swap that waits for it
    Place place = Place::nowhere;
    bool started = false;  ///< it has been issued to a device
    bool conflict = false; ///< it has waited for a bank
    /// The hold of the channel during which it was issued; 0: none.
    std::uint32_t hold = 0;

    bool is_write() const { return r.command != protocol::Command::read; }
    /// The stage to which its last period of time belongs.
    Stage stage() const {
        return place == Place::dram     ? protocol::Stage::dram
               : place == Place::xpoint ? protocol::Stage::channel
                                        : protocol::Stage::queue;
    }
    bool is_dram_read() const { return started && place == Place::dram && !is_write(); }
};

struct PageDemandState {
    std::vector<PageRequest> requests;
    SlotAllocator slots;            ///< of requests
    Fifo<std::uint32_t> dram_queue; ///< requests not yet passed to the scheduler
    std::vector<Fifo<std::uint32_t>>
        to_module;              ///< requests not yet sent, in order of arrival, by module
    std::uint32_t commands = 0; ///< requests in to_module
    ReadyReads ready;
    // During a hold, reads may be issued; their data wait for its end.
    ReadyReads kept;
    std::vector<std::uint32_t> kept_at; ///< reads issued during the hold, by module
    std::uint32_t hold = 1;             ///< the current hold, or the next one
    bool holds = false;
    std::array<std::uint16_t, 256>
        dram_reads {}; ///< reads in the scheduler, by a hash of their block
};

/// Requests that a planar controller has accepted, until the device that holds their page has
/// served them: the DRAM scheduler, or an XPoint module and then the channel. Requests to one block
/// of 128 bytes take effect in order of their dispatch.
class PageDemand {
  public:
    static constexpr std::uint32_t block_bytes = DemandPort::block_bytes;
    using Done = std::function<void(std::uint32_t id, Contents::Id contents)>;

    /// All references must outlive the object. `done`: called when the data of a request has
    /// arrived or its write is complete. `dram`: contents of the DRAM.
    PageDemand(PageDemandStats& stats, PageDemandState& state, const Placement& placement,
               MemoryChannel& channel, ModuleSide& modules, device_parts::SectorStore& dram,
               SimulationRef sim, Done done)
        : stats_(stats), state_(state), table_(state.requests, state.slots), placement_(placement),
          channel_(channel), modules_(modules), dram_(dram), sim_(sim), done_(std::move(done)) {}
    /// `kept`: reads per module issued during a hold; see hold().
    void init(unsigned requests, unsigned kept = 0) {
        table_.resize(requests);
        state_.to_module.resize(modules_.modules());
        state_.kept_at.resize(modules_.modules());
        kept_ = kept;
    }

    RequestTable<PageRequest>& requests() { return table_; }
    const RequestTable<PageRequest>& requests() const { return table_; }
    PageRequest& operator[](std::uint32_t id) { return table_[id]; }

    /// Queues a request at the device that holds its page.
    void dispatch(std::uint32_t id, std::uint32_t location);
    /// Whether no request waits for a device or for the channel.
    bool idle() const { return !state_.commands && state_.dram_queue.empty() && !ready_reads(); }
    bool waits_for_dram() const { return !state_.dram_queue.empty(); }
    std::uint32_t ready_reads() const { return state_.ready.size() + state_.kept.size(); }

    /// Starts or ends a hold. During a hold, data of issued reads stay at their modules. Reads per
    /// module are limited, because swaps use its read buffer, too.
    void hold(bool on) {
        if (on != state_.holds) on ? begin_hold() : end_hold();
    }

    // The following return whether anything changed. held(address): the DRAM bank of the address is
    // lent. passes(module): a swap precedes demand there.
    template <class Held>
    bool feed_dram(Tick now, Held&& held) {
        bool changed = false;
        for (std::uint32_t i = 0; i < state_.dram_queue.size();) {
            const std::uint32_t id = state_.dram_queue[i];
            PageRequest& q = state_.requests[id];
            if (held(placement_.dram_address(
                    q.group))) { // it waits, and so do later requests to its block
                if (!q.conflict) ++stats_.conflicts;
                q.conflict = true;
                ++i;
                continue;
            }
            if (!channel_.dram().can_accept(q.is_write()) ||
                (q.is_write() && read_of_block_waits(q)))
                break;
            if (feed(id, now)) state_.dram_queue.erase(i);
            changed = true;
        }
        return changed;
    }
    /// Sends read commands. A write first needs a slot of the channel.
    template <class Passes>
    bool feed_modules(Tick now, Passes&& passes) {
        bool changed = false;
        for (std::uint32_t m = 0; state_.commands && m < modules_.modules(); ++m) {
            auto& queue = state_.to_module[m];
            if (queue.empty() || passes(m)) continue;
            while (!queue.empty() && modules_.quiet(m)) {
                PageRequest& q = state_.requests[queue.front()];
                if (q.is_write() || !modules_.can_send(m)) break;
                if (state_.holds) {
                    if (state_.kept_at[m] == kept_) break;
                    ++state_.kept_at[m];
                    q.hold = state_.hold;
                }
                modules_.send(m, next_command(m, now));
                changed = true;
            }
        }
        return changed;
    }
    /// Books the channel: ready reads in order, then writes, unless issuing is not allowed.
    bool book(Tick now, bool issue) {
        return (state_.commands || !state_.ready.empty()) && book_waiting(now, issue);
    }

    // Answers of the devices.
    void ready(std::uint32_t module, std::uint32_t id, Tick now);
    void dram_done(const mem::DramDone& d);

    /// Calls consider(time) for each time from which the channel can be booked.
    template <class F>
    void consider(F&& consider) const {
        const Tick free = channel_.free_at() - channel_.lead();
        if (!state_.ready.empty()) consider(free);
        for (std::uint32_t m = 0; state_.commands && m < modules_.modules(); ++m)
            if (const auto& queue = state_.to_module[m];
                modules_.quiet(m) && !queue.empty() && state_.requests[queue.front()].is_write())
                consider(free);
    }
    void check_loaded(Loader& l, unsigned slots, std::size_t swaps) const;

  private:
    std::uint64_t dram_address(const PageRequest& q) const {
        return placement_.dram_address(q.group) + q.offset;
    }
    /// Index into PageDemandState::dram_reads.
    static std::size_t bucket(const PageRequest& q) {
        return (q.group * 0x9e3779b97f4a7c15 >> 32 ^ q.offset / block_bytes) % 256;
    }
    bool read_of_block_waits(const PageRequest& write) const;
    bool feed(std::uint32_t id, Tick now);
    bool book_waiting(Tick now, bool issue);
    void begin_hold() { state_.holds = true; }
    void end_hold();
    protocol::DdrtCommand next_command(std::uint32_t module, Tick now);
    Contents::Id read_dram(const PageRequest& q);

    PageDemandStats& stats_;
    PageDemandState& state_;
    RequestTable<PageRequest> table_;
    const Placement& placement_;
    MemoryChannel& channel_;
    ModuleSide& modules_;
    device_parts::SectorStore& dram_;
    SimulationRef sim_;
    Done done_;
    unsigned kept_ = 0; ///< reads per module during a hold
};

} // namespace memsim::ohm
