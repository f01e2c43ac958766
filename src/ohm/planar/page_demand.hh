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
    Counter conflicts {Unit::count, "Requests that waited for the bank of a swap"};
};

/// A request that a planar controller has accepted.
struct PageRequest {
    enum class Place : std::uint8_t { nowhere, dram, xpoint, buffer };
    protocol::MemRequest r;
    Tick accepted = 0;
    std::uint64_t group = 0;
    std::uint32_t offset = 0;   ///< in its page
    std::uint32_t fed = 0;      ///< how much of its span the DRAM has got
    std::uint32_t accesses = 0; ///< of the DRAM, not yet done
    std::uint8_t slot = 0;
    std::uint8_t location = 0;
    std::uint8_t blocks_swap = Group::none; ///< the swap that waits for it
    Place place = Place::nowhere;
    bool started = false;  ///< a device knows of it
    bool conflict = false; ///< has waited for a bank
    /// The hold of the channel in which it was issued; 0: none.
    std::uint32_t hold = 0;

    bool is_write() const { return r.command != protocol::Command::read; }
    bool is_dram_read() const { return started && place == Place::dram && !is_write(); }
};

struct PageDemandState {
    std::vector<PageRequest> requests;
    SlotAllocator slots;                        ///< of requests
    Fifo<std::uint32_t> dram_queue;             ///< requests not yet with the scheduler
    std::vector<Fifo<std::uint32_t>> to_module; ///< requests not yet sent, in order of arrival
    std::uint32_t commands = 0;                 ///< waiting there
    ReadyReads ready;
    // While a page is copied reads may be issued whose data wait for its end.
    ReadyReads kept;
    std::vector<std::uint32_t> kept_at; ///< so issued to each module
    std::uint32_t hold = 1;             ///< the present one, or the next
    bool holds = false;
    std::array<std::uint16_t, 256> dram_reads {}; ///< with the scheduler, by a hash of their block
};

/// The requests that a planar controller has accepted, on their way through the device that has
/// their page: DRAM's scheduler, or an XPoint module and then the channel.
/// Requests to one block of 128 bytes take effect in the order in which they are dispatched.
class PageDemand {
  public:
    static constexpr std::uint32_t block_bytes = DemandPort::block_bytes;
    using Done = std::function<void(std::uint32_t id, Contents::Id contents)>;

    /// All outlive it. `done`: a request's data has come, or its write is there. `dram`: the DRAM's
    /// contents.
    PageDemand(PageDemandStats& stats, PageDemandState& state, const Placement& placement,
               MemoryChannel& channel, ModuleSide& modules, parts::SectorStore& dram,
               Simulation& sim, Done done)
        : stats_(stats), state_(state), table_(state.requests, state.slots), placement_(placement),
          channel_(channel), modules_(modules), dram_(dram), sim_(sim), done_(std::move(done)) {}
    /// `kept`: see hold(), for each module.
    void init(unsigned requests, unsigned kept = 0) {
        table_.resize(requests);
        state_.to_module.resize(modules_.modules());
        state_.kept_at.resize(modules_.modules());
        kept_ = kept;
    }

    RequestTable<PageRequest>& requests() { return table_; }
    const RequestTable<PageRequest>& requests() const { return table_; }
    PageRequest& operator[](std::uint32_t id) { return table_[id]; }

    /// To the queue of the device that holds the page.
    void dispatch(std::uint32_t id, std::uint32_t location);
    /// Nothing waits for a device or for the channel.
    bool idle() const { return !state_.commands && state_.dram_queue.empty() && !ready_reads(); }
    bool waits_for_dram() const { return !state_.dram_queue.empty(); }
    std::uint32_t ready_reads() const { return state_.ready.size() + state_.kept.size(); }

    /// From now on, data of reads that are issued stay at their modules, until this ends. Of each
    /// module so many are issued at most: its read buffer serves others, too.
    void hold(bool on) {
        if (on != state_.holds) on ? begin_hold() : end_hold();
    }

    // Each says whether anything changed. held(address): the bank of this address of the DRAM is
    // given away. passes(module): a swap goes first there.
    template <class Held>
    bool feed_dram(Tick now, Held&& held) {
        bool changed = false;
        for (std::uint32_t i = 0; i < state_.dram_queue.size();) {
            const std::uint32_t id = state_.dram_queue[i];
            PageRequest& q = state_.requests[id];
            if (held(placement_.dram_address(q.group))) { // it waits, as do all of its block
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
    /// Read commands; a write first needs its slot of the channel.
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
    /// Reads that are ready, the first first, then writes, unless none may be issued.
    bool book(Tick now, bool issue) {
        return (state_.commands || !state_.ready.empty()) && book_waiting(now, issue);
    }

    // What comes back.
    void ready(std::uint32_t module, std::uint32_t id, Tick now);
    void dram_done(const mem::DramDone& d);

    /// Calls consider(time) for the times from which on the channel can be booked.
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
    /// Of PageDemandState::dram_reads.
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
    parts::SectorStore& dram_;
    Simulation& sim_;
    Done done_;
    unsigned kept_ = 0; ///< reads of a module
};

} // namespace memsim::ohm
