#include "mem/cache/messages/answers.hh"

namespace memsim::mem::cache {

using device_parts::TagArray;
using protocol::MemResponse;

void Answers::answer(MemResponse r, std::uint32_t line, bool here) {
    if (r.command == protocol::Command::read && use_.lines.bytes)
        r.contents = use_.lines.contents_of(line, r);
    send_up(r, line, here);
}

void Answers::answer_write(const protocol::MemRequest& r, Tick late) {
    if (!r.needs_response()) return;
    if (late == 0) return answer(protocol::answer(r), TagArray::none, true);
    auto& queue = use_.state.late;
    const Tick last = queue.empty() ? 0 : queue.back().at;
    queue.push({std::max(last, use_.sim.now() + late), protocol::answer(r)});
}

void Answers::send_up(const MemResponse& r, std::uint32_t line, bool here) {
    const Tick now = use_.sim.now();
    if (!here) use_.sim.stamps().mark(r.stamps, protocol::Stage::response, now);
    if (use_.partitions.is_far(r.source))
        if (const Tick at = use_.partitions.leaves(r, line, now); at > now)
            return use_.state.partitions.late.push({at, r});
    send(r);
}

void Answers::send(const MemResponse& r) {
    use_.sim.stamps().mark(r.stamps, static_cast<std::size_t>(use_.stage),
                           use_.sim.now() + use_.latency);
    use_.port.send(r);
}

void Answers::send_due() {
    const Tick now = use_.sim.now();
    auto &written = use_.state.late, &on_link = use_.state.partitions.late;
    while (!written.empty() && written.front().at <= now)
        answer(written.pop().answer, TagArray::none, true);
    while (!on_link.empty() && on_link.front().at <= now) send(on_link.pop().answer);
}

Tick Answers::next() const {
    const auto first = [](const Fifo<Late>& queue) {
        return queue.empty() ? never : queue.front().at;
    };
    return std::min(first(use_.state.late), first(use_.state.partitions.late));
}

} // namespace memsim::mem::cache
