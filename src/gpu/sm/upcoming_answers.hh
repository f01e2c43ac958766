#pragma once

#include "gpu/sm/load_store_unit.hh"
#include "gpu/sm/lookahead.hh"
#include "protocol/upcoming.hh"

namespace memsim::gpu {

/// The answer to a query for the next accesses of an SM's warps, until it is sent: the lines of
/// each warp's next memory operations, several per message (protocol/upcoming.hh). A value for
/// State.
struct UpcomingAnswers {
    Fifo<protocol::UpcomingAccesses> messages;
    bool asked = false;   ///< a query was accepted, and its answer is incomplete
    bool changed = false; ///< a warp has started, issued or received a result since the last answer
    protocol::UpcomingQuery query;

    bool empty() const { return messages.empty(); }
    /// Adds the next operations of the warp in this slot. `scratch` is overwritten.
    void add(const WarpPosition& position, std::uint32_t warp, const ResidentBlock& block,
             unsigned operations, LoadStoreUnit& unit, std::uint64_t line,
             gpu_program::WarpOp& scratch) {
        std::uint8_t number = 0;
        for_each_upcoming(position, operations, scratch, [&](gpu_program::WarpOp& op) {
            const bool write = unit.command_of(op.kind) != protocol::Command::read;
            const std::uint32_t pc = op.pc;
            const Coalescer& accesses = unit.coalesce(block, warp, op);
            for (std::uint32_t i = 0; i < accesses.size(); ++i) {
                if (i % protocol::UpcomingAccesses::most_lines == 0) {
                    protocol::UpcomingAccesses next;
                    next.pc = pc;
                    next.warp = static_cast<std::uint16_t>(warp);
                    next.application = block.application;
                    next.operation = number;
                    next.write = write;
                    messages.push(next);
                }
                protocol::UpcomingAccesses& next = messages.back();
                next.lines[next.count++] = block.base + (accesses[i].address & ~(line - 1));
            }
            ++number;
        });
    }
    /// Accepts queries and sends answers while it can. A query `when_busy` waits while quiet().
    /// collect() adds the operations of an answer.
    template <class Queries, class To, class Quiet, class Collect>
    void serve(Queries& queries, To& to, Quiet quiet, Collect collect) {
        for (;;) {
            if (empty()) {
                if (!asked && queries.empty()) return;
                if (!std::exchange(asked, true)) query = queries.pop();
                if (query.when_busy && quiet()) return;
                collect();
                close();
            }
            if (!to.can_send()) return;
            to.send(messages.pop());
        }
    }
    void check_loaded(Loader& l) const {
        for (std::uint32_t i = 0; i < messages.size(); ++i)
            l.index("upcoming.count", messages[i].count,
                    protocol::UpcomingAccesses::most_lines + 1);
    }

  private:
    /// Completes the answer.
    void close() {
        if (messages.empty()) messages.push({});
        messages.back().last = true;
        asked = changed = false;
    }
};

} // namespace memsim::gpu
