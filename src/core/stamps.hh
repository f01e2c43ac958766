#pragma once

#include "core/pool.hh"
#include "core/text.hh"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsim {

/// A stage of a request's life, named for what the time was spent in. A component declares its own
/// beside itself, `static const Stage lookup {"lookup"};`, and stages of one name are one. All are
/// known before main() and constant from then on.
class Stage {
  public:
    static constexpr std::size_t most = 32;
    explicit Stage(const char* name);
    std::string_view name() const { return entry_->name; }
    /// Its place among all stages, by name.
    std::size_t number() const { return entry_->number; }
    explicit operator std::size_t() const { return number(); }
    bool operator==(const Stage&) const = default;

    /// All, by name.
    static std::vector<Stage> known();
    /// The one of this name. Throws ConfigError: the end of a sentence.
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

/// Where a request's time went. Each component on its way marks the stage that ends there; the time
/// since the previous mark is added to that stage when the request is closed. Off unless asked for:
/// then a request carries no handle and a mark costs one comparison.
class Stamps {
  public:
    static constexpr std::string_view archived_as = "Stamps";
    struct Record {
        Tick last = 0;
        std::array<Tick, Stage::most> spent {};
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
    void mark(Id id, Stage stage, Tick now) {
        if (id) mark(id, stage.number(), now);
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
        for (std::size_t s = 0; s < Stage::most; ++s) {
            sums_[s] += static_cast<Uint128>(r.spent[s]);
            counts_[s] += r.spent[s] != 0;
        }
        ++closed_;
        records_.destroy(id);
    }
    void close(Id id, Stage stage, Tick now) { close(id, stage.number(), now); }
    std::size_t open_records() const { return records_.size(); }
    std::uint64_t closed() const { return closed_; }
    Uint128 sum(Stage stage) const { return sums_[stage.number()]; }
    /// Requests that spent time there.
    std::uint64_t count(Stage stage) const { return counts_[stage.number()]; }
    void reset() { sums_ = {}, counts_ = {}, closed_ = 0; }

  private:
    std::uint64_t every_ = 0;
    std::uint64_t seen_ = 0;
    Pool<Record> records_;
    std::array<Uint128, Stage::most> sums_ {};
    std::array<std::uint64_t, Stage::most> counts_ {};
    std::uint64_t closed_ = 0;
};

template <>
struct Text<Stage> {
    static std::string type() { return "stage"; }
    static std::string_view unit() { return ""; }
    static std::string show(const Stage& v) { return std::string(v.name()); }
    static Stage parse(std::string_view s) { return Stage::find(s); }
};

} // namespace memsim
