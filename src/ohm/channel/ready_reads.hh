#pragma once

#include "core/state/fifo.hh"

namespace memsim::ohm {

/// A read of XPoint whose data is ready and waits for the channel.
struct ReadyRead {
    std::uint32_t module = 0;
    std::uint32_t id = 0; ///< of its request or its piece of a swap
    Tick since = 0;
};

/// Reads whose data the XPoint modules hold ready, in the order of their reports. Each is granted a
/// slot of the channel. A value for State.
class ReadyReads {
  public:
    static constexpr std::string_view archived_as = "ReadyReads";
    template <class Archive>
    void archive(Archive& a) {
        a(reads_);
    }

    void push(const ReadyRead& r) { reads_.push(r); }
    bool empty() const { return reads_.empty(); }
    std::uint32_t size() const { return reads_.size(); }
    const ReadyRead& front() const { return reads_.front(); }
    ReadyRead pop() { return reads_.pop(); }
    const ReadyRead& operator[](std::uint32_t i) const { return reads_[i]; }

    /// Calls grant(read) for reads in order, while may(read) is true and the module can receive a
    /// grant. Returns whether any was granted.
    template <class Modules, class May, class Grant>
    bool grant(const Modules& modules, May&& may, Grant&& grant) {
        bool any = false;
        for (; !empty() && may(front()) && modules.can_grant(front().module); any = true)
            grant(reads_.pop());
        return any;
    }

  private:
    Fifo<ReadyRead> reads_;
};

} // namespace memsim::ohm
