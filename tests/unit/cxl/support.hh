#pragma once

#include "core/base/rng.hh"
#include "cxl/link/link_layer.hh"

#include <catch2/catch.hpp>

#include <deque>

/// What the tests of this folder share.
namespace memsim::cxl {

inline Message message(Opcode op, std::uint16_t tag = 0) {
    Message m;
    m.opcode = op;
    m.tag = tag;
    m.address = 64 * std::uint64_t {tag};
    if (op == Opcode::mem_spec_rd) m.address *= 4, m.units = static_cast<std::uint8_t>(tag % 5);
    for (std::size_t i = 0; i < m.data.size(); ++i)
        m.data[i] = (tag + 1) * 0x9e3779b97f4a7c15 + i * 0xbf58476d1ce4e5b9;
    return m;
}

inline Message random_message(bool device, Rng& random, std::uint16_t tag) {
    static constexpr std::array<Opcode, 5> down {
        Opcode::mem_rd, Opcode::mem_spec_rd, Opcode::mem_wr, Opcode::mem_wr_ptl, Opcode::atomic};
    static constexpr std::array<Opcode, 2> up {Opcode::cmp, Opcode::mem_data};
    Message m = message(device ? up[random.below(2)] : down[random.below(5)], tag);
    if (m.opcode != Opcode::mem_spec_rd && m.opcode != Opcode::cmp) m.half = random.below(3) == 0;
    if (m.has_enables()) {
        m.enables = random.next();
        if (m.half) m.enables &= 0xffffffff;
    }
    if (device) m.load = static_cast<DevLoad>(random.below(4));
    m.aside.contents.code = tag;
    return m;
}

/// Checks that all transferred data are equal. Returns true, for use in a CHECK.
inline bool same(const Message& a, const Message& b) {
    bool equal = a.opcode == b.opcode && a.tag == b.tag && a.half == b.half && a.aside == b.aside &&
                 a.units == b.units;
    if (a.channel() == Channel::req || a.channel() == Channel::rwd)
        equal = equal && a.address == b.address;
    else
        equal = equal && a.load == b.load;
    if (a.has_data())
        for (std::uint32_t i = 0; i < a.bytes() / 8; ++i) equal = equal && a.data[i] == b.data[i];
    return equal && (!a.has_enables() || a.enables == b.enables);
}

/// Random messages cross in flits. `e`: what packs, what takes out, and a flit that crosses.
template <class Ends>
void comes_out_as_packed(Ends& e, bool device) {
    Rng random(device, "traffic");
    std::array<std::deque<Message>, 2> sent; // completions go their own way
    std::uint16_t tag = 0;
    std::uint32_t received = 0;
    while (received < 3000) {
        for (std::uint64_t n = random.below(12); n > 0 && tag < 3000; --n) {
            const Message m = random_message(device, random, tag++);
            sent[m.channel() == Channel::ndr].push_back(m);
            e.packing.push(m);
        }
        for (std::uint64_t n = random.below(4); n > 0; --n)
            if (e.packing.wants_header(e.credits)) e.flit();
        for (; !e.unpacking.empty(); ++received) {
            const Message m = e.unpacking.pop();
            auto& queue = sent[m.channel() == Channel::ndr];
            REQUIRE(!queue.empty());
            REQUIRE(same(m, queue.front()));
            queue.pop_front();
        }
    }
}

} // namespace memsim::cxl
