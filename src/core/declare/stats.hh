#pragma once

#include "core/declare/param.hh"
#include "core/state/archive.hh"
#include "core/state/histogram.hh"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

/// Statistics: declared in a component's Stats with a unit and a description. They are counted in
/// integers, so that a run has the same digest on every machine. The framework resets, dumps,
/// samples and checkpoints them. Ratios are computed when read and are not part of the digest.
namespace memsim {

/// Times are counted in femtoseconds and shown in nanoseconds; energy is counted in femtojoules and
/// shown in nanojoules. Everything else is shown as counted.
enum class Unit : std::uint8_t {
    count,
    byte,
    time,
    cycle,
    energy,
    ratio,
    byte_per_second,
    per_second,
    milliwatt,
    dbm
};
std::string_view unit_name(Unit u);
/// The value of one counted unit in the unit shown.
double unit_scale(Unit u);

/// Receives the values of a statistic. `part` is empty for the value itself, otherwise 'mean',
/// 'p99', ...
class StatReader {
  public:
    virtual ~StatReader() = default;
    /// A stored integer: part of the digest.
    virtual void integer(std::string_view part, Int128 value, Unit unit) = 0;
    /// The same, but `value` is shown: `stored` includes time after the time of reading.
    virtual void integer_until_now(std::string_view part, Int128 stored, Int128 value, Unit unit) {
        (void)stored;
        integer(part, value, unit);
    }
    /// A value computed from stored integers.
    virtual void derived(std::string_view part, double value, Unit unit) = 0;
    /// One non-empty bucket [low, high] of a distribution, in counted units.
    virtual void bucket(std::uint64_t low, std::uint64_t high, std::uint64_t count) = 0;
};

/// The base of all statistics.
class Stat {
  public:
    Stat(Unit unit, const char* doc) : unit_(unit), doc_(doc) {}
    Stat(const Stat&) = delete;
    Stat& operator=(const Stat&) = delete;
    Unit unit() const { return unit_; }
    const char* doc() const { return doc_; }

  private:
    Unit unit_;
    const char* doc_;
};

/// The values of running totals at the last sample of a series, from which the next sample computes
/// their growth. A total is identified by its address, which is constant during the life of its
/// machine. The set of totals must not depend on the counts, so that a loaded machine has the same
/// totals in the same order.
class Growth {
  public:
    static constexpr std::string_view archived_as = "Growth";
    /// Begins a sample: growth is relative to the previous sample.
    void next_sample();
    /// Sets all totals to 0.
    void reset();
    Uint128 of(const void* total, Uint128 value);
    template <class Archive>
    void archive(Archive& a) {
        a(seen_);
    }
    /// Loads the totals of a saved Growth; false if they belong to other statistics.
    bool resume(const Growth& saved);

  private:
    std::unordered_map<const void*, std::size_t> places_;
    std::vector<Uint128> before_, seen_;
};

/// The time over which statistics were gathered: since the last reset for a dump, since the last
/// sample for computed values of a series.
struct Window {
    Tick since = 0;
    Tick now = never; ///< never: open episodes do not count

    Growth* growth = nullptr; ///< set for a series

    /// The growth in this window of a total that was 0 at the last reset.
    Uint128 grown(const void* total, Uint128 value) const {
        return growth ? growth->of(total, value) : value;
    }
    template <class T>
    Uint128 grown(const T& total) const {
        return grown(&total, total);
    }
};

/// A count of events, bytes, time or energy.
class Counter : public Stat {
  public:
    static constexpr std::string_view kind = "counter";
    static constexpr std::string_view archived_as = "Counter";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        a(value_);
    }

    Counter& operator+=(std::uint64_t n) {
        value_ += n;
        return *this;
    }
    Counter& operator++() { return *this += 1; }
    Counter& operator+=(Time t) { return *this += static_cast<std::uint64_t>(t.raw); }
    Uint128 value() const { return value_; }
    Uint128 value(Window w) const { return w.grown(value_); }
    double shown() const { return static_cast<double>(value_) * unit_scale(unit()); }

    void reset(Tick) { value_ = 0; }
    void read(StatReader& r, Window) const { r.integer("", static_cast<Int128>(value_), unit()); }

  private:
    Uint128 value_ = 0;
};

/// A total that other components count in their State. It is not part of the digest.
class Gathered : public Stat {
  public:
    static constexpr std::string_view kind = "gathered";
    static constexpr std::string_view archived_as = "Gathered";
    using Stat::Stat;
    /// Sets the function that returns the total since the run's begin. Call before the run.
    void gather(std::function<std::uint64_t()> total) { total_ = std::move(total); }
    template <class Archive>
    void archive(Archive& a) {
        a(at_reset_);
    }

    Uint128 total() const { return (total_ ? total_() : 0) - at_reset_; }
    Uint128 value(Window w = {}) const { return w.grown(&at_reset_, total()); }
    void reset(Tick) { at_reset_ += total(); }
    void read(StatReader& r, Window) const {
        r.derived("", static_cast<double>(total()) * unit_scale(unit()), unit());
    }

  private:
    std::function<std::uint64_t()> total_;
    Uint128 at_reset_ = 0;
};

/// The present amount of something in a component's State, computed when it is read. It is not part
/// of the digest. A reset does not change it.
class Gauge : public Stat {
  public:
    static constexpr std::string_view kind = "gauge";
    static constexpr std::string_view archived_as = "Gauge";
    using Stat::Stat;
    /// Sets the function that returns the amount. Call before the run.
    void show(std::function<std::uint64_t()> value) { value_ = std::move(value); }
    template <class Archive>
    void archive(Archive&) {}

    std::uint64_t value(Window = {}) const { return value_ ? value_() : 0; }
    void reset(Tick) {}
    void read(StatReader& r, Window) const {
        r.derived("", static_cast<double>(value()) * unit_scale(unit()), unit());
    }

  private:
    std::function<std::uint64_t()> value_;
};

/// The running total of a statistic, for statistics that are computed from it.
class Total {
  public:
    template <class S>
    Total(const S& stat)
        : stat_(&stat), value_([](const Stat& of, const Window& w) {
              return Uint128 {static_cast<const S&>(of).value(w)};
          }) {}
    Uint128 value(const Window& w) const { return value_(*stat_, w); }

  private:
    const Stat* stat_;
    Uint128 (*value_)(const Stat&, const Window&);
};

/// The mean, minimum and maximum of samples.
class Average : public Stat {
  public:
    static constexpr std::string_view kind = "average";
    static constexpr std::string_view archived_as = "Average";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        a(count_), a(sum_), a(least_), a(most_);
    }

    void sample(std::uint64_t v) {
        ++count_;
        sum_ += v;
        least_ = v < least_ ? v : least_;
        most_ = v > most_ ? v : most_;
    }
    void sample(Time t) { sample(static_cast<std::uint64_t>(t.raw)); }
    std::uint64_t count() const { return count_; }
    Uint128 sum() const { return sum_; }
    /// In the unit shown; 0 without samples.
    double mean() const {
        return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) * unit_scale(unit())
                      : 0.0;
    }

    void reset(Tick) { count_ = 0, sum_ = 0, least_ = ~std::uint64_t {0}, most_ = 0; }
    void read(StatReader& r, Window w) const {
        const auto n = static_cast<double>(w.grown(count_));
        const auto sum = static_cast<double>(w.grown(sum_));
        r.integer("count", count_, Unit::count);
        r.integer("sum", static_cast<Int128>(sum_), unit());
        if (count_ == 0) return;
        r.integer("min", least_, unit());
        r.integer("max", most_, unit());
        if (n > 0) r.derived("mean", sum / n * unit_scale(unit()), unit());
    }

  private:
    std::uint64_t count_ = 0;
    Uint128 sum_ = 0;
    std::uint64_t least_ = ~std::uint64_t {0};
    std::uint64_t most_ = 0;
};

/// The maximum of samples; 0 without samples.
class Maximum : public Stat {
  public:
    static constexpr std::string_view kind = "maximum";
    static constexpr std::string_view archived_as = "Maximum";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        a(value_);
    }

    void sample(std::uint64_t v) { value_ = v > value_ ? v : value_; }
    void sample(Time t) { sample(static_cast<std::uint64_t>(t.raw)); }
    std::uint64_t value() const { return value_; }

    void reset(Tick) { value_ = 0; }
    void read(StatReader& r, Window) const { r.integer("", value_, unit()); }

  private:
    std::uint64_t value_ = 0;
};

/// A distribution with percentiles (core/state/histogram.hh).
class Distribution : public Stat {
  public:
    static constexpr std::string_view kind = "distribution";
    static constexpr std::string_view archived_as = "Distribution";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        samples_.archive(a);
    }

    void sample(std::uint64_t v) { samples_.sample(v); }
    void sample(Time t) { sample(static_cast<std::uint64_t>(t.raw)); }
    std::uint64_t count() const { return samples_.count(); }
    Uint128 sum() const { return samples_.sum(); }
    double mean() const { return samples_.mean() * unit_scale(unit()); }
    std::uint64_t percentile(unsigned percent) const { return samples_.percentile(percent); }

    void reset(Tick) { samples_ = {}; }
    void read(StatReader& r, Window) const;

  private:
    Histogram samples_;
};

/// The time-weighted mean of a level, such as a queue's occupancy, and its peak.
class Level : public Stat {
  public:
    static constexpr std::string_view kind = "level";
    static constexpr std::string_view archived_as = "Level";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        a(level_), a(peak_), a(changed_), a(since_), a(area_);
    }

    void set(Tick now, std::uint64_t level) {
        area_ += static_cast<Uint128>(level_) * static_cast<Uint128>(now - changed_);
        changed_ = now;
        level_ = level;
        peak_ = level > peak_ ? level : peak_;
    }
    void reset(Tick now) { peak_ = level_, changed_ = now, since_ = now, area_ = 0; }
    void read(StatReader& r, Window w) const {
        const Uint128 area =
            area_ + static_cast<Uint128>(level_) * static_cast<Uint128>(w.now - changed_);
        r.integer("area", static_cast<Int128>(area), Unit::time);
        r.integer("peak", peak_, unit());
        const auto in_window = static_cast<double>(w.grown(&area_, area));
        const Tick over = w.now - std::max(since_, w.since);
        r.derived("mean", over > 0 ? in_window / static_cast<double>(over) : 0.0, unit());
    }

  private:
    std::uint64_t level_ = 0;
    std::uint64_t peak_ = 0;
    Tick changed_ = 0;
    Tick since_ = 0;
    Uint128 area_ = 0;
};

/// A quotient of two totals: `Ratio hit_rate {hits, accesses, "..."}`. 0 if nothing was counted.
class Ratio : public Stat {
  public:
    static constexpr std::string_view kind = "formula";
    static constexpr std::string_view archived_as = "formula";
    Ratio(Total part, Total whole, const char* doc)
        : Stat(Unit::ratio, doc), part_(part), whole_(whole) {}
    template <class Archive>
    void archive(Archive&) {}

    double value(Window w = {}) const {
        const auto part = static_cast<double>(part_.value(w));
        const auto whole = static_cast<double>(whole_.value(w));
        return whole != 0 ? part / whole : 0.0;
    }
    void reset(Tick) {}
    void read(StatReader& r, Window w) const { r.derived("", value(w), unit()); }

  private:
    Total part_, whole_;
};

/// A counter divided by the simulated time of the window: bytes or events per second.
class PerSecond : public Stat {
  public:
    static constexpr std::string_view kind = "formula";
    static constexpr std::string_view archived_as = "formula";
    PerSecond(const Counter& of, const char* doc)
        : Stat(of.unit() == Unit::byte ? Unit::byte_per_second : Unit::per_second, doc), of_(&of) {}
    template <class Archive>
    void archive(Archive&) {}

    void reset(Tick) {}
    void read(StatReader& r, Window w) const {
        const double s =
            static_cast<double>(w.now - w.since) / static_cast<double>(ticks_per_second);
        const auto counted = static_cast<double>(of_->value(w));
        r.derived("", s > 0 ? counted / s : 0.0, unit());
    }

  private:
    const Counter* of_;
};

/// A figure that depends only on parameters and is set once, in init(). It is shown with the
/// results and is not part of the digest.
class Figure : public Stat {
  public:
    static constexpr std::string_view kind = "figure";
    static constexpr std::string_view archived_as = "figure";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive&) {}

    void set(double value) { value_ = value; }
    double value() const { return value_; }
    void reset(Tick) {}
    void read(StatReader& r, Window) const { r.derived("", value_, unit()); }

  private:
    double value_ = 0;
};

template <class S, class Of = unsigned>
class Each;

/// The base of statistics that are kept for each of several things.
template <class S>
class EachBase : public Stat {
  public:
    static constexpr std::string_view kind = S::kind;
    static constexpr std::string_view archived_as = "Each";
    using Stat::Stat;
    template <class Archive>
    void archive(Archive& a) {
        for (auto& s : stats_) a(*s);
    }
    unsigned size() const { return static_cast<unsigned>(stats_.size()); }

  protected:
    void make(std::size_t size) {
        stats_.clear();
        while (stats_.size() < size) stats_.push_back(std::make_unique<S>(unit(), doc()));
    }
    std::vector<std::unique_ptr<S>> stats_;
};

/// One statistic for each of n things. A parameter or the number of bound ports sets n:
/// `Each<Counter> reads {from<&Params::banks>, Unit::count, "..."}`; index with [].
template <class S>
class Each<S, unsigned> : public EachBase<S> {
  public:
    Each(Setting<unsigned> size, Unit unit, const char* doc)
        : EachBase<S>(unit, doc), size_of_(size) {}
    Each(PortCount size, Unit unit, const char* doc)
        : EachBase<S>(unit, doc), size_of_(0u), ports_(size.of) {}

    void resize(const void* params, const void* ports) {
        this->make(ports_ ? ports_(ports) : size_of_.value(params));
    }
    static std::string label(unsigned i) { return std::to_string(i); }
    S& operator[](std::size_t i) { return *this->stats_[i]; }
    const S& operator[](std::size_t i) const { return *this->stats_[i]; }

  private:
    Setting<unsigned> size_of_;
    unsigned (*ports_)(const void* ports) = nullptr;
};

/// One statistic for each value of an enumeration: `Each<Counter, Command> commands {Unit::count,
/// "..."}`; `++stat.commands[Command::read]` counts in 'commands[read]'.
template <class S, NamedEnum E>
class Each<S, E> : public EachBase<S> {
  public:
    using EachBase<S>::EachBase;
    /// Present only if `present` of the parameters is true.
    Each(Setting<bool> present, Unit unit, const char* doc)
        : EachBase<S>(unit, doc), present_(present) {}
    void resize(const void* params, const void*) {
        this->make(present_.value(params) ? names_of(E {}).size() : 0);
    }
    static std::string label(unsigned i) { return std::string(names_of(E {})[i]); }
    S& operator[](E e) { return *this->stats_[static_cast<std::size_t>(e)]; }
    const S& operator[](E e) const { return *this->stats_[static_cast<std::size_t>(e)]; }
    S& operator[](unsigned i) { return *this->stats_[i]; }

  private:
    Setting<bool> present_ {true};
};

/// A ratio for each of n things: `Each<Ratio> ipc {instructions, cycles, "..."}`. Both operands are
/// declared before it and have the same size.
template <>
class Each<Ratio, unsigned> : public Stat {
  public:
    static constexpr std::string_view kind = Ratio::kind;
    static constexpr std::string_view archived_as = "Each";
    template <class Part, class Whole>
    Each(const Each<Part>& part, const Each<Whole>& whole, const char* doc)
        : Stat(Unit::ratio, doc), part_(&part), whole_(&whole),
          make_([](const Stat& parts, const Stat& wholes, std::size_t i, const char* text) {
              return std::make_unique<Ratio>(static_cast<const Each<Part>&>(parts)[i],
                                             static_cast<const Each<Whole>&>(wholes)[i], text);
          }),
          size_([](const Stat& parts) { return static_cast<const Each<Part>&>(parts).size(); }) {}
    template <class Archive>
    void archive(Archive&) {}

    static std::string label(unsigned i) { return std::to_string(i); }
    void resize(const void*, const void*);
    unsigned size() const { return static_cast<unsigned>(ratios_.size()); }
    Ratio& operator[](std::size_t i) { return *ratios_[i]; }
    const Ratio& operator[](std::size_t i) const { return *ratios_[i]; }

  private:
    const Stat* part_;
    const Stat* whole_;
    std::unique_ptr<Ratio> (*make_)(const Stat&, const Stat&, std::size_t, const char*);
    unsigned (*size_)(const Stat&);
    std::vector<std::unique_ptr<Ratio>> ratios_;
};

/// The sum of the ratios of an Each<Ratio>.
class SumOfRatios : public Stat {
  public:
    static constexpr std::string_view kind = Ratio::kind;
    static constexpr std::string_view archived_as = "formula";
    SumOfRatios(const Each<Ratio>& of, const char* doc) : Stat(Unit::ratio, doc), of_(&of) {}
    template <class Archive>
    void archive(Archive&) {}

    double value(Window w = {}) const {
        double sum = 0;
        for (unsigned i = 0; i < of_->size(); ++i) sum += (*of_)[i].value(w);
        return sum;
    }
    void reset(Tick) {}
    void read(StatReader& r, Window w) const { r.derived("", value(w), unit()); }

  private:
    const Each<Ratio>* of_;
};

} // namespace memsim
