#pragma once

#include "core/base/units.hh"

#include <vector>

namespace memsim::test {

/// Messages that a component of a test sends in order, each no earlier than its time. A part of the
/// component's State.
template <class Message>
struct Plan {
    struct Entry {
        Tick at = 0;
        Message message {};
    };
    std::vector<Entry> entries;
    std::uint64_t sent = 0;

    Message& add(Tick at, Message message) {
        entries.push_back({at, message});
        return entries.back().message;
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(entries.size()); }
    const Entry& operator[](std::size_t i) const { return entries[i]; }
    bool pending() const { return sent < entries.size(); }
    /// When the next message is due; never if none is left.
    Tick due() const { return pending() ? entries[sent].at : never; }
    /// Sends due messages for which there is room. Returns the time for which the component arms
    /// its timer; never if a message waits for room, which wakes the component.
    template <class Port>
    Tick send(Port& port, Tick now) {
        while (due() <= now && port.can_send()) port.send(entries[sent++].message);
        return due() > now ? due() : never;
    }
};

} // namespace memsim::test
