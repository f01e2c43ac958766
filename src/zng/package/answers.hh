#pragma once

#include "core/state/fifo.hh"
#include "zng/package/page_address.hh"

#include <utility>
#include <vector>

namespace memsim::zng::package {

/// A request that a package has accepted.
struct Request {
    FlashPacket packet;
    Tick accepted = 0;
    std::uint8_t port = 0; ///< the port through which it arrived and its answer leaves
};

/// The output of a package: answers, each through the port of its request; copies of pages and
/// reports of nearly full log blocks, both sent to the package's controller.
class Answers {
  public:
    static constexpr std::uint32_t none = ~0u;
    struct Config {
        std::uint32_t ports = 1;
        std::uint16_t endpoint = 0; ///< of the first port; the other ports follow
        std::uint16_t controller = 0;
    };
    struct Answer {
        FlashPacket packet;
        std::uint32_t sense = 0; ///< page read whose data register it occupies, or none
        std::uint32_t plane = 0; ///< plane whose I/O path its data must still cross, or none
        Tick accepted = 0;
        Tick ready = 0;      ///< earliest time at which it may leave
        bool counts = false; ///< it completes a request
    };
    /// The data of a line that was read.
    struct Data {
        std::uint32_t bytes = 0;
        Contents::Id contents;
        std::uint32_t plane = 0;    ///< plane whose registers hold the line
        std::uint32_t sense = none; ///< page read whose data register it occupies, or none
    };
    struct State {
        std::vector<Fifo<Answer>> queues; ///< by port
        std::uint32_t outstanding = 0;    ///< requests not answered yet
    };
    Answers(const Config& config, State& state) : config_(config), state_(state) {}

    void reset() { state_.queues.resize(config_.ports); }
    void accept() { ++state_.outstanding; }
    std::uint32_t outstanding() const { return state_.outstanding; }

    /// Queues an answer without data, which leaves at `ready` or later.
    void answer(const Request& r, PacketKind kind, Tick ready = 0) {
        state_.queues[r.port].push({reply(r, kind), none, none, r.accepted, ready, true});
    }
    void data(const Request& r, const Data& d) {
        FlashPacket p = reply(r, PacketKind::data);
        p.bytes = d.bytes;
        p.contents = d.contents;
        state_.queues[r.port].push({p, d.sense, d.plane, r.accepted, 0, true});
    }
    /// Queues a line of the sensed page that `r` did not request.
    void send_rest(const Request& r, unsigned line, std::uint32_t plane, std::uint32_t sense) {
        const std::uint32_t port = line % config_.ports;
        FlashPacket p = r.packet;
        p.destination = p.source;
        p.source = static_cast<std::uint16_t>(config_.endpoint + port);
        p.kind = PacketKind::rest;
        p.bytes = flash_line_bytes;
        p.line = static_cast<std::uint8_t>(line);
        p.contents = {};
        p.stamps = {};
        state_.queues[port].push({p, sense, plane, 0, 0, false});
    }
    /// Queues a line of a page that a worker moves through the controller's buffer.
    void copy_out(std::uint32_t worker, unsigned line, Contents::Id contents) {
        FlashPacket p;
        p.kind = PacketKind::copy_out;
        p.tag = worker;
        p.bytes = flash_line_bytes;
        p.line = static_cast<std::uint8_t>(line);
        p.contents = contents;
        tell_controller(p, worker);
    }
    /// Reports that the log block of `a` has `left` pages left.
    void log_low(const PageAddress& a, FlashPlane at, std::uint32_t left, std::uint32_t blocks) {
        FlashPacket p;
        p.kind = PacketKind::log_low;
        p.at = at;
        p.block = a.block, p.log_block = a.log_block;
        p.page = static_cast<std::uint16_t>(left);
        p.to_block = blocks;
        tell_controller(p, a.plane);
    }
    bool empty(std::uint32_t port) const { return state_.queues[port].empty(); }
    Answer& front(std::uint32_t port) { return state_.queues[port].front(); }
    Answer pop(std::uint32_t port) {
        const Answer a = state_.queues[port].pop();
        if (a.counts) --state_.outstanding;
        return a;
    }

    void check_loaded(Loader& l, std::size_t senses, std::size_t planes) const {
        for (const auto& queue : state_.queues)
            for (std::uint32_t i = 0; i < queue.size(); ++i) {
                if (queue[i].sense != none) l.index("answers.sense", queue[i].sense, senses);
                if (queue[i].plane != none) l.index("answers.plane", queue[i].plane, planes);
            }
    }

  private:
    static FlashPacket reply(const Request& r, PacketKind kind) {
        FlashPacket p = r.packet;
        std::swap(p.source, p.destination);
        p.kind = kind;
        p.bytes = 0;
        p.contents = {};
        return p;
    }
    void tell_controller(FlashPacket& p, std::uint32_t spread) {
        const std::uint32_t port = spread % config_.ports;
        p.source = static_cast<std::uint16_t>(config_.endpoint + port);
        p.destination = config_.controller;
        state_.queues[port].push({p, none, none, 0, 0, false});
    }

    Config config_;
    State& state_;
};

} // namespace memsim::zng::package
