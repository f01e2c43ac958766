#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "protocol/block_io.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

namespace memsim::link {

using namespace memsim::literals;
using protocol::Mem;

/// Makes a memory appear as a drive: block requests above, memory requests below.
///
/// Models        A read or write of sectors is divided into requests of `block` bytes, which are
///               sent in ascending order while the memory accepts them and fewer than `outstanding`
///               are unanswered. The block request is answered when the last part has been
///               answered; the data of a read are complete then. Writes expect a response of the
///               memory. Requests are divided one after another, urgent ones first, also between
///               the parts of another request. A flush is answered when all writes that were
///               accepted before it have been answered by the memory. A trim is refused, because a
///               memory has no operation that discards data.
/// Ordering      Concurrent requests may execute in any order.
/// Requires      `base` is a multiple of `block`.
/// Not modelled  The time of the division; a rate of its own; whether the memory below keeps data
///               without power, so a flush costs no more than the writes before it.
class BlockAdapter final : public Model<BlockAdapter>,
                           public Functional,
                           public protocol::StatesTraffic {
  public:
    struct Params {
        Param<Bytes> block {128_B,
                            {32_B, 128_B},
                            "Size of the memory requests into which a block request is divided",
                            assumed("a line of 128 B, as memory behind an L2 is read"),
                            power_of_two()};
        Param<Bytes> base {0_B, "Address in the memory of sector 0", multiple_of(block),
                           example_value()};
        Param<Time> latency {1_fs,
                             {1_fs, 1_ms},
                             "Latency of requests to the memory, and of responses",
                             Change::tunable,
                             least_latency()};
        Param<unsigned> queue {64,
                               {1, 65536},
                               "Block requests waiting or in flight to this component",
                               queue_places()};
        Param<unsigned> jobs {
            64, {1, 65535}, "Block requests accepted and not answered", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 1 << 20}, "Memory requests without a response", queue_places()};
    };
    struct Ports {
        Responder<protocol::BlockIo> requests {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>}, "Block requests"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Reads and writes of the memory"};
    };
    struct Stats {
        Counter reads {Unit::count, "Block requests answered that read"};
        Counter writes {Unit::count, "Block requests answered that write"};
        Counter flushes {Unit::count, "Flushes answered"};
        Counter read_bytes {Unit::byte, "Bytes requested from the memory by reads"};
        Counter write_bytes {Unit::byte, "Bytes sent to the memory by writes"};
        Counter parts {Unit::count, "Memory requests sent"};
        Distribution latency {Unit::time,
                              "Time from the acceptance of a block request to its response"};
    };

    struct Job {
        protocol::BlockRequest request;
        Tick since = 0;
        std::uint64_t number = 0; ///< in order of acceptance
        std::uint32_t sent = 0;   ///< parts
        std::uint32_t left = 0;   ///< unanswered parts; of a flush: unanswered earlier writes
        Contents::Id contents;    ///< of a read: the data of the parts that were answered
    };
    struct State {
        std::vector<Job> jobs; ///< by tag
        FreeList free;
        Fifo<std::uint32_t> urgent, others; ///< reads and writes with parts to send
        Fifo<std::uint32_t> flushes;        ///< that wait for writes
        Fifo<std::uint32_t> done;
        std::uint64_t accepted = 0;
        std::uint32_t writing = 0; ///< writes without all responses of the memory
    };

    explicit BlockAdapter(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.free.size() != state.jobs.size(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase&, unsigned) const override {
        return {protocol::AddressShare {}, block(), this};
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::uint32_t block() const { return static_cast<std::uint32_t>(params.block->raw); }
    std::uint64_t address_of(const protocol::BlockRequest& r) const {
        return static_cast<std::uint64_t>(params.base->raw) +
               r.sector * protocol::block_sector_bytes;
    }
    std::uint32_t parts_of(const protocol::BlockRequest& r) const {
        return static_cast<std::uint32_t>(r.sectors) * (protocol::block_sector_bytes / block());
    }
    void accept(const protocol::BlockRequest& r);
    bool send();
    void send_part(std::uint32_t tag);
    void part_answered(const protocol::MemResponse& r);
    void written(const Job& write);
    bool answer();
    template <class F>
    void each_waiting_write(std::uint64_t address, F&& f);
};

} // namespace memsim::link
