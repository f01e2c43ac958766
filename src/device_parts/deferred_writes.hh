#pragma once

#include "core/machine/functional.hh"

#include <cstdint>
#include <utility>
#include <vector>

namespace memsim::device_parts {

/// Functional writes (FunctionalAccess) to a line or page that is being transferred between two
/// memories. They are repeated when it has arrived. The owner defines the keys. A value for State.
class DeferredWrites {
  public:
    static constexpr std::string_view archived_as = "DeferredWrites";
    template <class Archive>
    void archive(Archive& a) {
        a(writes_);
    }

    void add(std::uint64_t key, const FunctionalAccess& write) { writes_.push_back({key, write}); }
    /// Applies the writes to a functional read, the latest first.
    void apply_to(std::uint64_t key, FunctionalAccess& access) const {
        for (auto w = writes_.rbegin(); w != writes_.rend(); ++w)
            if (w->key == key && w->write.address == access.address)
                access.data.fill(w->write.data);
    }
    bool empty() const { return writes_.empty(); }
    template <class F>
    void for_each(F&& f) const { ///< f(key, write), in order
        for (const Write& w : writes_) f(w.key, w.write);
    }
    template <class F>
    void forget_if(F&& f) { ///< f(key, write)
        std::erase_if(writes_, [&](const Write& w) { return f(w.key, w.write); });
    }
    /// Calls write(access) for all writes of this key, in order, and removes them.
    template <class F>
    void replay(std::uint64_t key, F&& write) {
        for (std::size_t i = 0; i < writes_.size();) {
            if (writes_[i].key != key) {
                ++i;
                continue;
            }
            FunctionalAccess access = writes_[i].write;
            writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(i));
            write(access);
        }
    }

  private:
    struct Write {
        std::uint64_t key = 0;
        FunctionalAccess write;
    };
    std::vector<Write> writes_;
};

} // namespace memsim::device_parts
