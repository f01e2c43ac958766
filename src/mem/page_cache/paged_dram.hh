#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

/// The DRAM of a memory that holds pages of a drive: requests from their acceptance to the DRAM's
/// answer, and pages that go in and out line by line. A request whose page is here waits for the
/// DRAM, one whose page is on its way waits for that. Requests and pages take the DRAM in turn.
/// A part: its owner knows which page is in which frame, and speaks to the drive.
class PagedDram {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    struct Config {
        std::uint64_t base = 0; ///< address of the first frame
        std::uint32_t page = 0, line = 0;
        std::uint32_t requests = 0; ///< accepted and not done, at most
    };
    struct Request {
        protocol::MemRequest request;
        Tick since = 0;
        std::uint32_t frame = none;
        std::uint32_t next = none; ///< that waits for the same page
    };
    /// What the owner keeps of a frame whose page changes.
    struct Transfer {
        std::uint32_t head = none, tail = none; ///< requests that wait for the page
        std::uint32_t left = 0;                 ///< lines that are still to be read out
        Contents::Id in, out;                   ///< of the page that comes, and of that which goes
    };
    struct Copy {
        std::uint32_t frame = none;
        std::uint32_t line = 0;
        bool in = false;
    };
    struct State {
        std::vector<Request> requests;
        FreeList free;
        Fifo<std::uint32_t> demand; ///< requests for the DRAM
        Fifo<Copy> copies;
        bool copy_next = false; ///< whose turn it is
        bool stalled = false;   ///< the first request could not be taken, which is counted
    };
    class Owner {
      public:
        virtual ~Owner() = default;
        virtual Transfer& transfer(std::uint32_t frame) = 0;
        /// A request has gone to the DRAM; it is answered, or was posted.
        virtual void sent(std::uint32_t frame) = 0;
        virtual void done(std::uint32_t frame) = 0;
        /// The last line of the page that comes is on its way to the DRAM.
        virtual void copied_in(std::uint32_t frame) = 0;
        /// The page that goes has been read.
        virtual void copied_out(std::uint32_t frame) = 0;
    };
    PagedDram(const Config& config, Simulation& sim, State& state, Owner& owner);

    /// Whether a request is one that can be taken: a read, write or atomic within one page.
    bool takes(const protocol::MemRequest& r) const {
        return r.bytes != 0 &&
               (r.address + r.bytes - 1) / config_.page == r.address / config_.page &&
               !protocol::for_a_cache(r.command);
    }
    /// Why it is not, where pages are called `page`.
    static std::string refusal(const protocol::MemRequest& r, const std::string& page);
    bool full() const { return state_.free.empty(); }
    /// False, for the caller to return: the first request waits.
    bool stall(Counter& cause) {
        if (!std::exchange(state_.stalled, true)) ++cause;
        return false;
    }
    /// A request for a page that is in this frame, or will be. Precondition: it is not full().
    std::uint32_t take(const protocol::MemRequest& r, std::uint32_t frame);
    /// Its page is here.
    void serve(std::uint32_t request) { state_.demand.push(request); }
    /// Its page is on its way.
    void wait(Transfer& t, std::uint32_t request);
    static inline const Stage page_comes {"page"};
    /// The stamps of a request that waits for the page, if one has any: they go along with what the
    /// drive is asked for.
    Stamps::Id stamps_of(const Transfer& t) const;
    /// Calls f(request) for all that waited, in order. The transfer is the caller's copy.
    template <class F>
    void each_waiting(const Transfer& t, F&& f) {
        std::size_t left = state_.requests.size(); // a damaged checkpoint's list may have no end
        for (std::uint32_t r = t.head; r != none; --left) {
            MEMSIM_ASSERT(left, "more requests wait for a page than there are");
            const std::uint32_t next = state_.requests[r].next;
            sim_.stamps().mark(state_.requests[r].request.stamps, page_comes, sim_.now());
            f(r);
            r = next;
        }
    }
    /// The page of a transfer passes by with contents `in`: the answer to the first request that
    /// waits for it, if that is a read. Others wait until the page is in its frame.
    std::optional<protocol::MemResponse> answer_passing(Transfer& t, Distribution& latency);
    const Request& operator[](std::uint32_t request) const { return state_.requests[request]; }
    /// Calls f(data, moves) for what the writes that wait for the DRAM have of a sector, and those
    /// that wait for the page of `t`, if there is one.
    template <class F>
    void each_waiting_write(std::uint64_t sector, const Transfer* t, F&& f) {
        const auto look = [&](std::uint32_t request) {
            const protocol::MemRequest& r = state_.requests[request].request;
            if (!r.contents || r.command == protocol::Command::read) return;
            Contents::Record& record = sim_.contents()[r.contents];
            for (Contents::Piece& p : record.pieces)
                if (r.address / SectorBytes::size + p.sector == sector) f(p.data, record.moves);
        };
        for (std::uint32_t i = 0; i < state_.demand.size(); ++i) look(state_.demand[i]);
        for (std::uint32_t r = t ? t->head : none; r != none; r = state_.requests[r].next) look(r);
    }

    /// The page of a frame is to be read, and then another one written there.
    void copy_out(std::uint32_t frame);
    void copy_in(std::uint32_t frame) { state_.copies.push({frame, 0, true}); }

    /// Whether something is to be sent.
    bool any() const { return !state_.demand.empty() || !state_.copies.empty(); }
    /// The next request for the DRAM.
    protocol::MemRequest next();
    /// What the DRAM says: the answer to a request, or nothing, if it is a line of a page.
    std::optional<protocol::MemResponse> answered(const protocol::MemResponse& r,
                                                  Distribution& latency);
    std::uint64_t address(std::uint32_t frame, std::uint64_t offset) const {
        return config_.base + std::uint64_t {frame} * config_.page + offset;
    }

    bool idle() const { return state_.free.size() == state_.requests.size(); }
    void waits_on(WaitReport& report, const std::string& who, const std::string& dram) const;
    /// There are so many frames.
    void check_loaded(Loader& l, std::uint64_t frames) const;
    /// Of a loaded transfer: those that wait are a list that ends.
    void check_loaded(Loader& l, std::string_view field, const Transfer& t) const;

  private:
    protocol::MemRequest next_request();
    protocol::MemRequest next_line();

    Config config_;
    Simulation& sim_;
    State& state_;
    Owner& owner_;
};

} // namespace memsim::mem
