#pragma once

#include "core/state/fifo.hh"
#include "cxl/flit/credits.hh"

/// The messages at one end of a link, above the flits; common to all flit modes.
namespace memsim::cxl {

/// Messages of one direction that wait to be sent or are partly sent.
struct MessagesOut {
    Fifo<Message> first;     ///< M2S: Req and RwD, in order; S2M: DRS
    Fifo<Message> responses; ///< S2M: NDR
    Fifo<SlotBits> chunks;   ///< data and byte enables whose header was sent

    void push(const Message& m) { (m.channel() == Channel::ndr ? responses : first).push(m); }
    std::uint32_t waiting() const { return first.size() + responses.size(); }
    static bool may_send(const Fifo<Message>& queue, const Credits& credits) {
        return !queue.empty() && credits.has(credit_class_of(queue.front().opcode));
    }
    /// Whether a flit with headers has any content.
    bool wants_header(const Credits& credits) const {
        return !chunks.empty() || may_send(first, credits) || may_send(responses, credits);
    }
    /// Queues the data of a message whose header is being sent: `n` chunks, and its byte enables.
    void push_chunks(const Message& m, std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i)
            chunks.push(static_cast<SlotBits>(m.data[2 * i + 1]) << 64 | m.data[2 * i]);
        if (m.has_enables()) chunks.push(m.enables);
    }
};

/// Received messages, some with missing data.
struct MessagesIn {
    struct Part {
        Message message;
        std::uint32_t chunks = 0; ///< of data and byte enables
        std::uint32_t missing = 0;
    };
    Fifo<Part> parts;          ///< in order of their headers
    std::uint32_t missing = 0; ///< missing chunks of all parts

    /// Complete messages, in the order of their headers.
    bool empty() const { return parts.empty() || parts.front().missing != 0; }
    Message pop() { return parts.pop().message; }

    void add(const Message& m, std::uint32_t chunks) {
        parts.push({m, chunks, chunks});
        missing += chunks;
    }
    /// Stores a chunk in the first incomplete message; the byte enables come last.
    Part& take_chunk(SlotBits bits) {
        std::uint32_t p = 0;
        while (parts[p].missing == 0) ++p;
        Part& part = parts[p];
        const std::uint32_t i = part.chunks - part.missing--;
        --missing;
        if (part.message.has_enables() && part.missing == 0) {
            part.message.enables = static_cast<std::uint64_t>(bits);
            return part;
        }
        part.message.data[2 * i] = static_cast<std::uint64_t>(bits);
        part.message.data[2 * i + 1] = static_cast<std::uint64_t>(bits >> 64);
        return part;
    }
    void check_loaded(Loader& l) const {
        std::uint64_t all = 0;
        for (std::uint32_t i = 0; i < parts.size(); ++i) {
            const Part& part = parts[i];
            const std::uint32_t most = line_bytes / chunk_bytes + part.message.has_enables();
            if (part.missing) l.index("chunks", part.chunks, most + 1);
            l.index("missing", part.missing, part.chunks + 1u);
            all += part.missing;
        }
        l.within("missing", [&] {
            l.check(all == missing, "differs from the missing chunks of its messages");
        });
    }
};

struct LinkMessages {
    MessagesOut out;
    MessagesIn in;
    Credits credits;
};

} // namespace memsim::cxl
