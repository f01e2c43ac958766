#pragma once

#include "core/declare/stats.hh"

#include <algorithm>
#include <functional>
#include <vector>

/// Statistics of elapsed time and cycles. Their value at any tick is that of what has elapsed by
/// then, also where it is counted before or after: so it is right in any window of a run.
namespace memsim {

/// What is common to them: the total at a tick, since the last reset.
class Elapsed : public Stat {
  public:
    static constexpr std::string_view kind = "elapsed";
    using Stat::Stat;
    virtual ~Elapsed() = default;
    /// At `never`: with all that is counted, elapsed or not.
    virtual Uint128 total(Tick now) const = 0;
    Uint128 value(Window w = {}) const { return w.grown(this, total(w.now)); }
};

/// Time that passes in episodes. Episodes may overlap; each counts. The value at any tick includes
/// the part of each episode that lies between the last reset and that tick.
class ElapsedTime final : public Elapsed {
  public:
    static constexpr std::string_view archived_as = "ElapsedTime";
    explicit ElapsedTime(const char* doc) : Elapsed(Unit::time, doc) {}
    ElapsedTime(Unit unit, const char* doc) : Elapsed(unit, doc) {} // of an Each
    template <class Archive>
    void archive(Archive& a) {
        a(counted_);
        if constexpr (Loading<Archive>)
            if (a.former_statistics()) return; // a Counter until version 0.1
        a(before_reset_), a(begins_), a(open_), a(reset_), a(ahead_);
    }

    /// An episode begins whose end is not known.
    void begin(Tick now) {
        ++open_;
        begins_ += static_cast<Uint128>(now);
    }
    /// An episode ends that began at `from`.
    void end(Tick from, Tick now) {
        const Tick counts_from = std::max(from, reset_);
        --open_;
        begins_ -= static_cast<Uint128>(counts_from);
        counted_ += static_cast<Uint128>(now - counts_from);
    }
    /// An episode whose end is known at `now`.
    void add(Tick now, Tick from, Tick until) {
        counted_ += static_cast<Uint128>(until - from);
        if (until > now) keep({from, until}, now);
    }
    Uint128 total(Tick now) const override { return stored(now) + before_reset_ - after(now); }

    void reset(Tick at) {
        before_reset_ = after(at);
        counted_ = 0;
        begins_ = static_cast<Uint128>(at) * open_;
        reset_ = at;
    }
    void read(StatReader& r, Window w) const {
        r.integer_until_now("", static_cast<Int128>(stored(w.now)),
                            static_cast<Int128>(total(w.now)), unit());
    }

  private:
    struct Span {
        Tick from = 0, until = 0;
    };
    /// With all of the episodes whose ends are known.
    Uint128 stored(Tick now) const {
        return now == never ? counted_ : counted_ + static_cast<Uint128>(now) * open_ - begins_;
    }
    /// What of these lies after `now`.
    Uint128 after(Tick now) const {
        Uint128 sum = 0;
        for (const Span& s : ahead_)
            if (s.until > now) sum += static_cast<Uint128>(s.until - std::max(s.from, now));
        return sum;
    }
    void keep(Span s, Tick now) {
        for (Span& other : ahead_)
            if (other.until <= now) { // it has ended: its place is free
                other = s;
                return;
            }
        ahead_.push_back(s);
    }

    Uint128 counted_ = 0;      ///< since the last reset
    Uint128 before_reset_ = 0; ///< of episodes counted before it, what lies after it
    Uint128 begins_ = 0;       ///< of those under way whose end is not known, added up
    std::uint64_t open_ = 0;   ///< how many these are
    Tick reset_ = 0;
    std::vector<Span> ahead_; ///< all that end later than now are here
};

/// Cycles of a clock that pass in episodes, one at a time, each rounded up.
class ElapsedCycles final : public Elapsed {
  public:
    static constexpr std::string_view archived_as = "ElapsedCycles";
    using Elapsed::Elapsed;
    /// Before the first episode: a clock of so many cycles a second.
    void count_in(Frequency clock) { clock_ = clock; }
    template <class Archive>
    void archive(Archive& a) {
        a(counted_), a(since_), a(before_reset_);
    }

    void begin(Tick now) { since_ = now; }
    void end(Tick now) {
        counted_ = total(now);
        since_ = never;
        before_reset_ = 0;
    }
    Uint128 total(Tick now) const override {
        if (now == never || since_ == never) return counted_;
        return counted_ + cycles_of(now - since_) - before_reset_;
    }
    std::uint64_t cycles_of(Tick time) const;

    void reset(Tick at) {
        counted_ = 0;
        if (since_ != never) before_reset_ = cycles_of(at - since_);
    }
    void read(StatReader& r, Window w) const {
        r.integer("", static_cast<Int128>(total(w.now)), unit());
    }

  private:
    Frequency clock_ {};
    Uint128 counted_ = 0;
    Tick since_ = never;             ///< when the episode under way began
    std::uint64_t before_reset_ = 0; ///< of its cycles
};

/// Cycles for which resources are taken, counted when they are: from the present cycle on, or from
/// the end of what took the resource before. How many of them are still to come follows from the
/// component's State, which has when its resources are free.
class BookedCycles final : public Elapsed {
  public:
    static constexpr std::string_view archived_as = "BookedCycles";
    using Elapsed::Elapsed;
    /// In init(): how many of the cycles that are booked begin at a tick or later.
    void count_ahead(std::function<std::uint64_t(Tick)> ahead) { ahead_ = std::move(ahead); }
    template <class Archive>
    void archive(Archive& a) {
        a(booked_), a(before_reset_);
    }

    BookedCycles& operator+=(std::uint64_t cycles) {
        booked_ += cycles;
        return *this;
    }
    Uint128 total(Tick now) const override {
        return now == never ? booked_ : booked_ + before_reset_ - ahead(now);
    }
    void reset(Tick at) {
        before_reset_ = ahead(at);
        booked_ = 0;
    }
    void read(StatReader& r, Window w) const {
        r.integer_until_now("", static_cast<Int128>(booked_), static_cast<Int128>(total(w.now)),
                            unit());
    }

  private:
    std::uint64_t ahead(Tick now) const { return ahead_ ? ahead_(now) : 0; }

    std::function<std::uint64_t(Tick)> ahead_;
    Uint128 booked_ = 0;             ///< since the last reset
    std::uint64_t before_reset_ = 0; ///< of those booked before it, the cycles after it
};

/// The longest of episodes, those under way included, as far as they lie after the last reset.
class LongestTime : public Stat {
  public:
    static constexpr std::string_view kind = "longest";
    static constexpr std::string_view archived_as = "LongestTime";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        a(longest_), a(reset_), a(begins_);
    }

    void begin(Tick now) { begins_.push_back(now); }
    /// An episode ends that began at `from`.
    void end(Tick from, Tick now) {
        const auto of = std::find(begins_.begin(), begins_.end(), std::max(from, reset_));
        MEMSIM_ASSERT(of != begins_.end(), "an episode ends that has not begun");
        longest_ = std::max(longest_, now - *of);
        begins_.erase(of);
    }
    std::uint64_t value(Tick now = never) const {
        Tick longest = longest_;
        for (const Tick begun : begins_)
            if (now != never) longest = std::max(longest, now - begun);
        return static_cast<std::uint64_t>(longest);
    }
    void reset(Tick at) {
        longest_ = 0;
        reset_ = at;
        std::fill(begins_.begin(), begins_.end(), at);
    }
    void read(StatReader& r, Window w) const { r.integer("", value(w.now), unit()); }

  private:
    Tick longest_ = 0;
    Tick reset_ = 0;
    std::vector<Tick> begins_;
};

} // namespace memsim
