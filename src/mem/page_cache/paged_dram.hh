#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

/// The DRAM of a memory that holds pages of a drive. Handles requests from acceptance to the DRAM's
/// response, and pages that are copied in and out line by line. A request whose page is present
/// waits for the DRAM; a request whose page is being read waits for the page. Requests and copies
/// use the DRAM alternately. A part: its owner maps pages to frames and accesses the drive.
class PagedDram {
  public:
    static constexpr std::uint32_t none = ~std::uint32_t {0};

    struct Config {
        std::uint64_t base = 0; ///< address of the first frame
        std::uint32_t page = 0, line = 0;
        std::uint32_t requests = 0; ///< maximum number accepted and not completed
    };
    struct Request {
        protocol::MemRequest request;
        Tick since = 0;
        std::uint32_t frame = none;
        std::uint32_t next = none; ///< next request that waits for the same page
    };
    /// The owner's record of a frame whose page changes.
    struct Transfer {
        std::uint32_t head = none, tail = none; ///< requests that wait for the page
        std::uint32_t left = 0;                 ///< lines still to be read out
        Contents::Id in, out; ///< contents of the new page, and of the evicted page
    };
    struct Copy {
        std::uint32_t frame = none;
        std::uint32_t line = 0;
        bool in = false;
    };
    struct State {
        std::vector<Request> requests;
        FreeList free;
        Fifo<std::uint32_t> demand; ///< requests that wait for the DRAM
        Fifo<Copy> copies;
        bool copy_next = false; ///< a copy is sent before the next request
        bool stalled = false;   ///< the first request is stalled, and the stall is counted
    };
    class Owner {
      public:
        virtual ~Owner() = default;
        virtual Transfer& transfer(std::uint32_t frame) = 0;
        /// A request was sent to the DRAM; it was answered, or was posted.
        virtual void sent(std::uint32_t frame) = 0;
        virtual void done(std::uint32_t frame) = 0;
        /// The last line of the new page was sent to the DRAM.
        virtual void copied_in(std::uint32_t frame) = 0;
        /// The evicted page has been read.
        virtual void copied_out(std::uint32_t frame) = 0;
    };
    PagedDram(const Config& config, SimulationRef sim, State& state, Owner& owner);

    /// Whether a request is acceptable: a read, write or atomic within one page.
    bool takes(const protocol::MemRequest& r) const {
        return r.bytes != 0 &&
               (r.address + r.bytes - 1) / config_.page == r.address / config_.page &&
               !protocol::for_a_cache(r.command);
    }
    /// The reason why it is not; `page` is the owner's term for a page.
    static std::string refusal(const protocol::MemRequest& r, const std::string& page);
    bool full() const { return state_.free.empty(); }
    /// Counts a stall of the first request once. Returns false for the caller to return.
    bool stall(Counter& cause) {
        if (!std::exchange(state_.stalled, true)) ++cause;
        return false;
    }
    /// Accepts a request for the page that is, or will be, in this frame. Requires: not full().
    std::uint32_t take(const protocol::MemRequest& r, std::uint32_t frame);
    /// Queues a request whose page is present.
    void serve(std::uint32_t request) { state_.demand.push(request); }
    /// Queues a request whose page is being read.
    void wait(Transfer& t, std::uint32_t request);
    static inline const Stage page_comes {"page"};
    /// The stamps of a request that waits for the page, if it has any. They travel with the request
    /// to the drive.
    Stamps::Id stamps_of(const Transfer& t) const;
    /// Calls f(request) for all waiting requests, in order. The caller passes its copy of the
    /// transfer.
    template <class F>
    void each_waiting(const Transfer& t, F&& f) {
        std::size_t left = state_.requests.size(); // a damaged list may be endless
        for (std::uint32_t r = t.head; r != none; --left) {
            MEMSIM_ASSERT(left, "more requests wait for a page than there are");
            const std::uint32_t next = state_.requests[r].next;
            sim_.stamps().mark(state_.requests[r].request.stamps, page_comes, sim_.now());
            f(r);
            r = next;
        }
    }
    /// The response to an accepted write whose page is being read. The request becomes posted.
    protocol::MemResponse answer_early(std::uint32_t request) {
        protocol::MemRequest& r = state_.requests[request].request;
        const protocol::MemResponse answer = protocol::answer(r);
        r.posted = true;
        r.stamps = {}; // the response carries them
        return answer;
    }
    /// Answers the first waiting request, if it is a read, from the contents `in` of the arriving
    /// page. Other requests wait until the page is in its frame.
    std::optional<protocol::MemResponse> answer_passing(Transfer& t, Distribution& latency);
    const Request& operator[](std::uint32_t request) const { return state_.requests[request]; }
    /// Calls f(data, moves) with the bytes of a sector in each write that waits for the DRAM or, if
    /// `t` is set, for the page of `t`.
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

    /// Reads out the page of a frame, which another page then replaces.
    void copy_out(std::uint32_t frame);
    void copy_in(std::uint32_t frame) { state_.copies.push({frame, 0, true}); }

    /// Whether a request is ready to be sent.
    bool any() const { return !state_.demand.empty() || !state_.copies.empty(); }
    /// The next request to the DRAM.
    protocol::MemRequest next();
    /// Handles a response of the DRAM. Returns the response to a request; none for a line of a
    /// page.
    std::optional<protocol::MemResponse> answered(const protocol::MemResponse& r,
                                                  Distribution& latency);
    std::uint64_t address(std::uint32_t frame, std::uint64_t offset) const {
        return config_.base + std::uint64_t {frame} * config_.page + offset;
    }

    bool idle() const { return state_.free.size() == state_.requests.size(); }
    void waits_on(WaitReport& report, const std::string& component, const std::string& dram) const;
    /// `frames`: the number of frames.
    void check_loaded(Loader& l, std::uint64_t frames) const;
    /// Checks that the requests of a loaded transfer form a list that ends.
    void check_loaded(Loader& l, std::string_view field, const Transfer& t) const;

  private:
    protocol::MemRequest next_request();
    protocol::MemRequest next_line();

    Config config_;
    SimulationRef sim_;
    State& state_;
    Owner& owner_;
};

} // namespace memsim::mem
