#pragma once

#include "core/base/text.hh"
#include "core/state/histogram.hh"
#include "core/state/pool.hh"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsim {

class Timeline;

/// A stage of a request's life, such as a look-up or a wait in a queue. A component's source file
/// declares its stages: `static const Stage lookup {"lookup"};`. Declarations with the same name
/// denote the same stage. All stages are known before main() and constant from then on.
class Stage {
  public:
    static constexpr std::size_t most = 48;
    explicit Stage(const char* name);
    std::string_view name() const { return entry_->name; }
    /// The index of the stage in the list of all stages, sorted by name.
    std::size_t number() const { return entry_->number; }
    explicit operator std::size_t() const { return number(); }
    bool operator==(const Stage&) const = default;

    /// All stages, sorted by name.
    static std::vector<Stage> known();
    /// The stage of this name. Throws ConfigError, which lacks the place: the caller puts it in
    /// front.
    static Stage find(std::string_view name);

  private:
    struct Entry {
        std::string_view name;
        std::size_t number = 0;
    };
    explicit Stage(const Entry* e) : entry_(e) {}
    static std::vector<Entry*>& all();
    const Entry* entry_;
};

/// Measures how long requests spend in each stage. A component on the path of a request marks the
/// stage that ends there; the time since the previous mark counts for this stage. The stages of a
/// request therefore cover its whole life. Their times are added to the totals when the request is
/// closed. Stamps are off by default: requests then have no handle, and a mark costs one
/// comparison.
class Stamps {
  public:
    static constexpr std::string_view archived_as = "Stamps";
    using Times = std::array<Tick, Stage::most>;
    /// The life of one request. `last` is the tick of the last mark; of a closed request, its end.
    struct Record {
        std::uint64_t number = 0; ///< counts all requests that could be stamped, from 0
        std::uint64_t address = 0;
        Tick opened = 0;
        Tick last = 0;
        Times spent {};

        Tick life() const { return last - opened; }
    };
    using Id = Handle<Record>;
    static constexpr std::size_t most_slow = 10; ///< number of slowest requests that are kept

    template <class Archive>
    void archive(Archive& a) {
        a(every_), a(seen_), a(records_), a(stages_), a(lifetimes_), a(slowest_);
        if constexpr (Loading<Archive>)
            a.check(slowest_.size() <= most_slow, "keeps too many slow requests");
    }

    /// Stamps one of `every` requests; 0 turns it off.
    void enable(std::uint64_t every) { every_ = every; }
    bool enabled() const { return every_ != 0; }
    /// Also shows stamped requests on a timeline, which must outlive the run.
    void show_on(Timeline* timeline) { timeline_ = timeline; }

    Id open(Tick now, std::uint64_t address) {
        if (every_ == 0 || seen_++ % every_ != 0) return {};
        return open_record(now, address);
    }
    void mark(Id id, Stage stage, Tick now) {
        if (id) [[unlikely]]
            mark_record(id, stage.number(), now);
    }
    void mark(Id id, std::size_t stage, Tick now) {
        if (id) [[unlikely]]
            mark_record(id, stage, now);
    }
    void close(Id id, std::size_t stage, Tick now) {
        if (id) [[unlikely]]
            close_record(id, stage, now);
    }
    void close(Id id, Stage stage, Tick now) { close(id, stage.number(), now); }
    std::size_t open_records() const { return records_.size(); }
    /// An open request. No other open request has its slot.
    struct Open {
        std::uint32_t slot;
        const Record& record;
    };
    template <class F>
    void each_open(F&& f) const {
        records_.each([&](std::uint32_t slot, const Record& r) { f(Open {slot, r}); });
    }
    std::uint64_t closed() const { return lifetimes_.count(); }
    Uint128 sum(Stage stage) const { return stages_[stage.number()].sum(); }
    /// Times in this stage, over the requests that spent time in it.
    const Histogram& times(Stage stage) const { return stages_[stage.number()]; }
    /// From opening to closing.
    const Histogram& lifetimes() const { return lifetimes_; }
    /// The slowest requests, slowest first. Of equally slow ones, the one that ended first.
    const std::vector<Record>& slowest() const { return slowest_; }
    void reset();

  private:
    Id open_record(Tick now, std::uint64_t address);
    void mark_record(Id id, std::size_t stage, Tick now);
    void close_record(Id id, std::size_t stage, Tick now);
    void count(Id id);
    void show_stage(Id id, const Record& r, std::size_t stage, Tick now);

    std::uint64_t every_ = 0;
    std::uint64_t seen_ = 0;
    Pool<Record> records_;
    std::array<Histogram, Stage::most> stages_;
    Histogram lifetimes_;
    std::vector<Record> slowest_;
    Timeline* timeline_ = nullptr;
};

template <>
struct Text<Stage> {
    static std::string type() { return "stage"; }
    static std::string_view unit() { return ""; }
    static std::string show(const Stage& v) { return std::string(v.name()); }
    static Stage parse(std::string_view s) { return Stage::find(s); }
};

} // namespace memsim
