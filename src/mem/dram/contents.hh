#pragma once

#include "core/state/fifo.hh"
#include "device_parts/sector_store.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

/// Accepted and not completed. Half a cache line of the host, because there are many.
struct alignas(32) DramRequest {
    std::uint64_t address = 0;
    Tick accepted = 0;
    std::uint32_t bytes = 0;
    std::uint32_t tag = 0;
    std::uint16_t left = 0; ///< pieces not completed, plus 1 while some are not queued
    std::uint16_t source = 0;
    std::uint16_t sectors = 0;
    protocol::Command command = protocol::Command::read;
    bool answered = false; ///< or no response is due
};

/// The bytes in the cells of a DRAM and in its accepted requests, if the machine carries contents.
/// A read returns the bytes of the cells and of the writes that were accepted before it. A write
/// reaches the cells when it is completed. A part: its owner holds the requests.
class DramContents {
  public:
    struct State {
        std::vector<Contents::Id> data; ///< of uncompleted writes, and of reads
        Fifo<std::uint32_t> writes;     ///< the writes among the requests, in order of acceptance
        device_parts::SectorStore cells;
    };
    DramContents(Contents& contents, const std::vector<DramRequest>& requests, State& state)
        : contents_(contents), requests_(requests), state_(state) {
        if (contents.enabled()) state_.data.assign(requests.size(), {});
    }

    /// `written`: contents of a write.
    void accept(std::uint32_t request, Contents::Id written);
    /// The last piece of a request has been transferred.
    void complete(std::uint32_t request);
    /// The contents of a completed read, for its response.
    Contents::Id take(std::uint32_t request) { return std::exchange(state_.data[request], {}); }
    void functional(FunctionalAccess& access);

  private:
    template <class F>
    void for_each_waiting(std::uint64_t sector, F&& f);

    Contents& contents_;
    const std::vector<DramRequest>& requests_;
    State& state_;
};

} // namespace memsim::mem
