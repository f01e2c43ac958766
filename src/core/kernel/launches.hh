#pragma once

#include "core/declare/stats.hh"

#include <memory>
#include <string>
#include <vector>

namespace memsim {

class Object;
class Timeline;

/// A kernel launch of an application, as its dispatcher knows it.
struct Launch {
    std::uint32_t dispatcher = 0;  ///< id of the object that dispatches it
    std::uint32_t application = 0; ///< of that dispatcher
    std::uint32_t stream = 0;      ///< of the application, whose launches follow each other
    std::uint32_t number = 0;      ///< of the application, from 1
    std::string kernel;
    Tick started = 0;
    Tick ended = 0;
    std::uint64_t instructions = 0; ///< of its threads
    std::uint64_t cycles = 0;       ///< of the dispatcher's clock
};

/// The growth of a machine's counters during each kernel launch. A total is a counter, or the count
/// or sum of an average or a distribution; elements of vectors are added up: 'gpu.l1[*].hits'.
/// Launches of several applications may overlap. Each launch includes everything that was counted
/// while it ran. Launches are not part of the digest, which covers the counters themselves.
class Launches {
  public:
    static constexpr std::string_view archived_as = "Launches";
    template <class Archive>
    void archive(Archive& a) {
        a(open_), a(ended_);
        if constexpr (Loading<Archive>) a.check(sound(), "counted totals that this machine lacks");
    }

    struct Total {
        std::string path, name; ///< 'gpu.l1[*]', 'miss_latency.sum'
        std::string first;      ///< the first object of the total: 'gpu.l1[0]'
        Unit unit = Unit::count;
    };
    struct Counted {
        std::uint32_t total = 0; ///< of totals()
        Uint128 value = 0;
    };
    struct Row {
        Launch launch;
        std::vector<Counted> counted; ///< without those that are 0
    };

    /// The statistics of these objects are counted.
    void watch(const std::vector<std::unique_ptr<Object>>& objects);
    const std::vector<Total>& totals() const { return totals_; }

    void begin(Launch launch);
    /// Ends a launch in progress.
    void end(std::uint32_t dispatcher, std::uint32_t application, std::uint32_t number, Tick now,
             std::uint64_t instructions, std::uint64_t cycles);
    /// Calls f(launch) for each launch in progress.
    template <class F>
    void each_under_way(F&& f) const {
        for (const Open& o : open_) f(o.launch);
    }
    /// All totals are about to become 0.
    void before_reset(Tick now);
    /// Also shows launches on a timeline, which must outlive the run.
    void show_on(Timeline* timeline) { timeline_ = timeline; }
    /// The launches that have ended since the last call.
    std::vector<Row> take_rows();

  private:
    struct Open {
        Launch launch;
        std::vector<Uint128> before; ///< the totals at the beginning; modulo 2^128 after a reset
    };
    struct Source {
        const Stat* stat;
        Uint128 (*read)(const Stat&, Tick now);
        std::uint32_t total;
    };
    std::vector<Uint128> read(Tick now) const;
    bool sound() const;

    std::vector<Total> totals_;
    std::vector<Source> sources_;
    std::vector<Open> open_;
    std::vector<Row> ended_;
    Timeline* timeline_ = nullptr;
};

} // namespace memsim
