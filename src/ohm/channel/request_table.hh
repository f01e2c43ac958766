#pragma once

#include "device_parts/named.hh"
#include "ohm/channel/slot_allocator.hh"

#include <string_view>
#include <vector>

namespace memsim::ohm {

/// The requests that a controller has accepted and not finished. A request is identified by its
/// slot, which DRAM and XPoint modules return. A view over State.
template <class Request>
class RequestTable {
  public:
    /// Both must outlive the object.
    RequestTable(std::vector<Request>& requests, SlotAllocator& slots)
        : requests_(requests), slots_(slots) {}
    void resize(unsigned requests) {
        requests_.resize(requests);
        slots_.resize(requests);
    }

    Request& operator[](std::uint32_t id) { return device_parts::named(requests_, id); }
    bool full() const { return slots_.taken == requests_.size(); }
    std::uint32_t taken() const { return slots_.taken; }
    /// Allocates a slot with a default value. Requires that the table is not full.
    std::uint32_t take() {
        const std::uint32_t id = slots_.take();
        requests_[id] = {};
        return id;
    }
    void give_back(std::uint32_t id) { slots_.give_back(id); }
    /// Calls f(request) for all requests.
    template <class F>
    void for_each(F&& f) {
        slots_.for_each_taken([&](std::uint32_t id) { f(requests_[id]); });
    }

    /// Checks that a loaded number identifies a request in use.
    void check(Loader& l, std::string_view field, std::uint32_t id) const {
        l.index(field, id, requests_.size());
        l.within(field, [&] { l.check(slots_.has(id), "is a request that is not in use"); });
    }
    template <class Ids>
    void check_all(Loader& l, std::string_view field, const Ids& ids) const {
        for (std::uint32_t i = 0; i < ids.size(); ++i) check(l, field, ids[i]);
    }

  private:
    std::vector<Request>& requests_;
    SlotAllocator& slots_;
};

} // namespace memsim::ohm
