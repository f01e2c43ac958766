#pragma once

#include "cxl/link/physical.hh"
#include "support.hh"

#include <functional>

namespace memsim::cxl {

/// A host's and a device's end of a link without components, and wires that flip bits between them.
template <class Mode>
struct Pair {
    struct OnWires {
        Tick at;
        std::vector<std::uint8_t> bytes;
        std::vector<Aside> asides;
        bool flipped;
    };
    struct End {
        LinkMessages messages;
        typename Mode::State state;
        Mode layer;
        std::deque<OnWires> wires;
        std::array<std::deque<Message>, 2> expected;
        std::uint64_t flits = 0, control = 0, replayed = 0, errors = 0, corrected = 0,
                      undetected = 0, dropped = 0;
        template <class... More>
        explicit End(const LinkFigures& f, More... more) : layer(f, messages, state, more...) {
            layer.init();
        }
    };
    std::array<End, 2> ends; ///< host, device
    Tick piece_time, flight_time;
    BitErrors errors;
    Rng random {3, "bits"};
    Tick now = 0;
    std::uint64_t received = 0;
    std::function<void(std::uint64_t number, OnWires&)> harm; ///< each piece, by number
    std::uint64_t number = 0;
    bool failed = false, keeps_places = false;

    template <class... More>
    Pair(const LinkFigures& host, const LinkFigures& device, Tick time, Tick flight,
         std::uint64_t error_rate, More... more)
        : ends {End(host, more...), End(device, more...)}, piece_time(time), flight_time(flight),
          errors(error_rate, 8 * ends[0].layer.piece()) {}

    void push(int end, const Message& m) {
        ends[static_cast<std::size_t>(end)].expected[m.channel() == Channel::ndr].push_back(m);
        ends[static_cast<std::size_t>(end)].layer.push(m);
    }
    /// One step of a piece's time.
    void step() {
        for (std::size_t e = 0; e < 2; ++e) {
            End &end = ends[e], &other = ends[1 - e];
            while (!end.wires.empty() && end.wires.front().at <= now) {
                const OnWires w = end.wires.front();
                end.wires.pop_front();
                using Received = FlitMode::Received;
                const auto r = other.layer.receive(now, w.bytes, w.asides, !w.flipped);
                other.errors += r == Received::error;
                other.corrected += r == Received::corrected;
                other.undetected += r == Received::undetected;
                other.dropped += r == Received::dropped;
            }
            while (other.layer.arrived()) {
                const Message m = other.layer.pop();
                auto& queue = end.expected[m.channel() == Channel::ndr];
                REQUIRE(!queue.empty());         // nothing is doubled
                REQUIRE(same(m, queue.front())); // not lost, reordered or changed
                queue.pop_front();
                ++received;
                if (!keeps_places) other.layer.give_place(credit_class_of(m.opcode), now);
            }
            failed = end.layer.run_timeout(now) || failed;
        }
        for (End& end : ends)
            if (const auto what = end.layer.next_piece(now)) {
                const FlitMode::Piece p = end.layer.send_piece(what, now);
                REQUIRE((p.fresh.empty() || !p.replayed)); // stamps are marked once
                OnWires w {now + piece_time + flight_time,
                           {p.bytes.begin(), p.bytes.end()},
                           {p.asides.begin(), p.asides.end()},
                           false};
                w.flipped = errors.flip(w.bytes, random);
                if (harm) harm(number, w);
                ++number;
                end.flits += p.begins, end.control += p.begins && p.control;
                end.replayed += p.begins && p.replayed;
                end.wires.push_back(w);
            }
        now += piece_time;
    }
    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
    }
    bool all_received() const {
        for (const End& e : ends)
            if (!e.expected[0].empty() || !e.expected[1].empty()) return false;
        return true;
    }
};

/// Random traffic both ways until so many messages have crossed; true if all did.
template <class Mode>
bool traffic(Pair<Mode>& p, int messages, std::uint64_t seed) {
    Rng random(seed, "messages");
    std::uint16_t tag = 0;
    int left = messages;
    for (int step = 0; step < 400 * messages && !p.failed; ++step) {
        for (int end = 0; end < 2; ++end)
            if (left && random.below(3) == 0 &&
                p.ends[static_cast<std::size_t>(end)].layer.waiting() < 40) {
                p.push(end, random_message(end == 1, random, tag++));
                --left;
            }
        p.step();
        if (!left && p.all_received()) return true;
    }
    return false;
}

} // namespace memsim::cxl
