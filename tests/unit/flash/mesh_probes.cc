#include "mesh_probes.hh"

#include "core/kernel/registry.hh"

#include <bit>

namespace memsim::test_flash {

static const Registration<Node> node {"Test: an endpoint of a mesh."};

void Node::take() {
    while (!port.input.empty()) {
        if (state.take_at == 0 && params.pause->raw) {
            const auto pause = state.random.below(static_cast<std::uint64_t>(params.pause->raw));
            state.take_at = now() + 1 + static_cast<Tick>(pause);
        }
        if (state.take_at > now()) return arm(state.take, state.take_at);
        state.take_at = 0;
        const FlashPacket p = port.input.pop();
        ++stat.received;
        if (p.tag <= state.seen[p.source]) ++stat.disordered;
        state.seen[p.source] = p.tag;
        state.log.push_back({now(), p, first_byte(p.contents)});
        if (!params.echo() || p.kind != zng::PacketKind::copy_out) {
            sim().contents().release(p.contents);
            continue;
        }
        state.copies.push(p);
        state.copies.back().kind = zng::PacketKind::copy_back;
    }
}

std::uint32_t Node::first_byte(Contents::Id contents) {
    if (contents)
        for (const Contents::Piece& p : sim().contents()[contents].pieces)
            if (p.data.known)
                return p.data.bytes[static_cast<unsigned>(std::countr_zero(p.data.known))];
    return 0;
}

void Node::wake() {
    take();
    while (!state.copies.empty() && port.output.can_send()) port.output.send(state.copies.pop());
    while (!state.script.empty() && state.script.front().at <= now() && port.output.can_send())
        port.output.send(state.script.pop().packet);
    if (!state.script.empty() && state.script.front().at > now())
        arm(state.next, state.script.front().at);
    while (state.sent < params.count && port.output.can_send()) {
        FlashPacket p;
        p.source = static_cast<std::uint16_t>(params.index());
        p.destination = static_cast<std::uint16_t>(state.random.below(params.nodes));
        p.kind = state.random.below(2) ? zng::PacketKind::data : zng::PacketKind::read;
        p.bytes = 32 * (1 + static_cast<std::uint32_t>(state.random.below(4)));
        p.tag = ++state.sent;
        port.output.send(p);
    }
}

} // namespace memsim::test_flash
