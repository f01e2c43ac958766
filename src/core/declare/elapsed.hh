#pragma once

#include "core/declare/stats.hh"

#include <algorithm>
#include <functional>
#include <vector>

/// Statistics of elapsed time and cycles. Their value at a tick covers exactly what has elapsed by
/// then, even if it is counted earlier or later. It is therefore right for any window of a run.
namespace memsim {

/// The base of these statistics: the total at a tick, since the last reset.
class Elapsed : public Stat {
  public:
    static constexpr std::string_view kind = "elapsed";
    using Stat::Stat;
    virtual ~Elapsed() = default;
    /// At `never`: everything counted, elapsed or not.
    virtual Uint128 total(Tick now) const = 0;
    Uint128 value(Window w = {}) const { return w.grown(this, total(w.now)); }
};

/// Time that passes in episodes. Overlapping episodes all count. The value at a tick includes the
/// part of each episode between the last reset and that tick.
class ElapsedTime final : public Elapsed {
  public:
    static constexpr std::string_view archived_as = "ElapsedTime";
    explicit ElapsedTime(const char* doc) : Elapsed(Unit::time, doc) {}
    ElapsedTime(Unit unit, const char* doc) : Elapsed(unit, doc) {} // for Each
    template <class Archive>
    void archive(Archive& a) {
        a(counted_);
        if constexpr (Loading<Archive>)
            if (a.former_statistics()) return; // a Counter until version 0.1
        a(before_reset_), a(begins_), a(open_), a(reset_), a(ahead_);
    }

    /// Begins an episode whose end is not known.
    void begin(Tick now) {
        ++open_;
        begins_ += static_cast<Uint128>(now);
    }
    /// Ends an episode that began at `from`.
    void end(Tick from, Tick now) {
        const Tick counts_from = std::max(from, reset_);
        --open_;
        begins_ -= static_cast<Uint128>(counts_from);
        counted_ += static_cast<Uint128>(now - counts_from);
    }
    /// Adds an episode whose end is already known at `now`.
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
    /// Includes the whole of each episode whose end is known.
    Uint128 stored(Tick now) const {
        return now == never ? counted_ : counted_ + static_cast<Uint128>(now) * open_ - begins_;
    }
    /// The part of these episodes that lies after `now`.
    Uint128 after(Tick now) const {
        Uint128 sum = 0;
        for (const Span& s : ahead_)
            if (s.until > now) sum += static_cast<Uint128>(s.until - std::max(s.from, now));
        return sum;
    }
    void keep(Span s, Tick now) {
        for (Span& other : ahead_)
            if (other.until <= now) { // has ended: its entry is reused
                other = s;
                return;
            }
        ahead_.push_back(s);
    }

    Uint128 counted_ = 0;      ///< since the last reset
    Uint128 before_reset_ = 0; ///< of episodes counted before the reset, the part after it
    Uint128 begins_ = 0;       ///< sum of the begins of open episodes
    std::uint64_t open_ = 0;   ///< number of open episodes (whose end is not known)
    Tick reset_ = 0;
    std::vector<Span> ahead_; ///< includes all episodes that end later than now
};

/// Cycles of a clock that pass in episodes, one at a time; each episode is rounded up.
class ElapsedCycles final : public Elapsed {
  public:
    static constexpr std::string_view archived_as = "ElapsedCycles";
    using Elapsed::Elapsed;
    /// Sets the clock's frequency. Call before the first episode.
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
    Tick since_ = never;             ///< when the open episode began
    std::uint64_t before_reset_ = 0; ///< of the open episode's cycles
};

/// Cycles for which resources are occupied, counted when a resource is booked: from the present
/// cycle, or from the end of the previous booking. The component's State holds the times at which
/// its resources become free; they determine how many of the booked cycles are still to come.
class BookedCycles final : public Elapsed {
  public:
    static constexpr std::string_view archived_as = "BookedCycles";
    using Elapsed::Elapsed;
    /// Call in init(): sets the function that returns how many booked cycles begin at a tick or
    /// later.
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
    std::uint64_t before_reset_ = 0; ///< of cycles booked before the reset, those after it
};

/// The longest episode, including open ones; only the part after the last reset counts.
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
    /// Ends an episode that began at `from`.
    void end(Tick from, Tick now) {
        const auto of = std::find(begins_.begin(), begins_.end(), std::max(from, reset_));
        MEMSIM_ASSERT(of != begins_.end(), "an episode ends that did not begin");
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
