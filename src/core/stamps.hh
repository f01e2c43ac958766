#pragma once

#include "core/pool.hh"

#include <array>
#include <string>
#include <string_view>

namespace memsim {

/// Where a request's time went. Each component on its way marks the stage that ends there; the time
/// since the previous mark is added to that stage when the request is closed. Off unless asked for:
/// then a request carries no handle and a mark costs one comparison.
class Stamps {
  public:
    static constexpr std::size_t most_stages = 16;
    static constexpr std::string_view archived_as = "Stamps";
    struct Record {
        Tick last = 0;
        std::array<Tick, most_stages> spent {};
    };
    using Id = Handle<Record>;

    template <class Archive>
    void archive(Archive& a) {
        a(every_), a(seen_), a(records_), a(sums_), a(counts_), a(closed_);
    }

    /// Stamps one of `every` requests; 0 turns it off.
    void enable(std::uint64_t every) { every_ = every; }
    bool enabled() const { return every_ != 0; }

    Id open(Tick now) {
        if (every_ == 0 || seen_++ % every_ != 0) return {};
        return records_.create({now, {}});
    }
    void mark(Id id, std::size_t stage, Tick now) {
        if (!id) return;
        Record& r = records_[id];
        r.spent[stage] += now - r.last;
        r.last = now;
    }
    void close(Id id, std::size_t stage, Tick now) {
        if (!id) return;
        mark(id, stage, now);
        const Record& r = records_[id];
        for (std::size_t s = 0; s < most_stages; ++s) {
            sums_[s] += static_cast<Uint128>(r.spent[s]);
            counts_[s] += r.spent[s] != 0;
        }
        ++closed_;
        records_.destroy(id);
    }
    std::size_t open_records() const { return records_.size(); }
    std::uint64_t closed() const { return closed_; }
    Uint128 sum(std::size_t stage) const { return sums_[stage]; }
    std::uint64_t count(std::size_t stage) const { return counts_[stage]; }
    void reset() { sums_ = {}, counts_ = {}, closed_ = 0; }

  private:
    std::uint64_t every_ = 0;
    std::uint64_t seen_ = 0;
    Pool<Record> records_;
    std::array<Uint128, most_stages> sums_ {};
    std::array<std::uint64_t, most_stages> counts_ {};
    std::uint64_t closed_ = 0;
};

} // namespace memsim
