#pragma once

#include "core/declare/elapsed.hh"

/// The framework's access to the statistics of any component, to reset, save, load and show them.
namespace memsim {

/// The framework's operations on a statistic whose type is erased. One table per type, so that they
/// are compiled once and not for each component.
struct StatOperations {
    std::string_view kind;
    void (*reset)(Stat& stat, Tick at);
    void (*save)(Stat& stat, Saver& to);
    void (*load)(Stat& stat, Loader& from);
    /// Reads one statistic; for an Each, one of its elements.
    void (*read)(const Stat& stat, StatReader& reader, Window window);
    /// Set for an Each; otherwise null.
    void (*resize)(Stat& all, const void* params, const void* ports);
    unsigned (*size)(const Stat& all);
    std::string (*label)(unsigned i);
    const Stat& (*one)(Stat& all, unsigned i);

    bool each() const { return resize; }
};

/// The table of a type of statistics.
template <class S>
struct StatTable {
    static const StatOperations operations;
};
template <class S>
const StatOperations StatTable<S>::operations {
    S::kind,
    [](Stat& stat, Tick at) { static_cast<S&>(stat).reset(at); },
    [](Stat& stat, Saver& to) { static_cast<S&>(stat).archive(to); },
    [](Stat& stat, Loader& from) { static_cast<S&>(stat).archive(from); },
    [](const Stat& stat, StatReader& reader, Window window) {
        static_cast<const S&>(stat).read(reader, window);
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr};
template <class S, class Of>
struct StatTable<Each<S, Of>> {
    static const StatOperations operations;
};
template <class S, class Of>
const StatOperations StatTable<Each<S, Of>>::operations {
    S::kind,
    [](Stat& stat, Tick at) {
        auto& all = static_cast<Each<S, Of>&>(stat);
        for (unsigned i = 0; i < all.size(); ++i) all[i].reset(at);
    },
    [](Stat& stat, Saver& to) { static_cast<Each<S, Of>&>(stat).archive(to); },
    [](Stat& stat, Loader& from) { static_cast<Each<S, Of>&>(stat).archive(from); },
    StatTable<S>::operations.read,
    [](Stat& stat, const void* params, const void* ports) {
        static_cast<Each<S, Of>&>(stat).resize(params, ports);
    },
    [](const Stat& stat) { return static_cast<const Each<S, Of>&>(stat).size(); },
    &Each<S, Of>::label,
    [](Stat& stat, unsigned i) -> const Stat& { return static_cast<Each<S, Of>&>(stat)[i]; }};

/// Compiled in stat_fields.cc.
extern template struct StatTable<Counter>;
extern template struct StatTable<ElapsedTime>;
extern template struct StatTable<ElapsedCycles>;
extern template struct StatTable<BookedCycles>;
extern template struct StatTable<LongestTime>;
extern template struct StatTable<Gathered>;
extern template struct StatTable<Gauge>;
extern template struct StatTable<Average>;
extern template struct StatTable<Maximum>;
extern template struct StatTable<Distribution>;
extern template struct StatTable<Level>;
extern template struct StatTable<Ratio>;
extern template struct StatTable<PerSecond>;
extern template struct StatTable<Figure>;
extern template struct StatTable<SumOfRatios>;
extern template struct StatTable<Each<Counter>>;
extern template struct StatTable<Each<ElapsedTime>>;
extern template struct StatTable<Each<ElapsedCycles>>;
extern template struct StatTable<Each<BookedCycles>>;
extern template struct StatTable<Each<Gathered>>;
extern template struct StatTable<Each<Ratio>>;

/// A statistic of a struct, with its name.
struct StatField {
    std::string_view name;
    Stat* stat;
    const StatOperations* operations;
};

/// Lists the statistics of a struct.
template <class Stats>
std::vector<StatField> stats_of(Stats& stats) {
    std::vector<StatField> all;
    reflect::for_each_leaf(stats, [&]<class S>(std::string_view name, S& stat) {
        all.push_back({name, &stat, &StatTable<S>::operations});
    });
    return all;
}

} // namespace memsim
