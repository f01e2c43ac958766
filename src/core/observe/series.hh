#pragma once

#include "core/declare/object.hh"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace memsim {

/// One sampled value of one statistic.
struct SeriesRow {
    Tick tick = 0;
    std::string path, stat, part;
    double value = 0; ///< in the unit shown
    Unit unit = Unit::count;
};

/// Statistics that are sampled periodically: 'gpu.l2[0].hits', where '[*]' stands for every index
/// and '*' for any text. A sample of a counted value is its count since the last reset. A sample of
/// a computed value (ratio, rate, mean) covers one period and is not part of the digest.
class Series {
  public:
    static constexpr std::string_view archived_as = "Series";
    template <class Archive>
    void archive(Archive& a) {
        a(period), a(next), a(patterns), a(growth);
    }

    Tick period = 0;   ///< 0: nothing is sampled
    Tick next = never; ///< the next sample
    std::vector<std::string> patterns;
    Growth growth; ///< since the last sample

    bool on() const { return period != 0; }
    /// Throws ConfigError if a pattern matches no statistic or the period is not positive.
    void select(const std::vector<std::unique_ptr<Object>>& objects, Time every,
                const std::vector<std::string>& which);
    /// The first sample of computed values covers the time from `now` on. `since`: the last reset.
    void begin(Tick since, Tick now);
    /// Samples all selected statistics; returns the part of the sample that belongs to the digest.
    std::string sample(Tick since, Tick at);
    void reset_stats() { growth.reset(); }

    bool has_rows() const { return !rows_.empty(); }
    std::vector<SeriesRow> take_rows() { return std::exchange(rows_, {}); }

  private:
    std::string read(Tick since, Tick at, std::vector<SeriesRow>& rows);

    struct Sampled {
        const Object* object;
        const Object::StatRef* stat;
    };
    std::vector<Sampled> sampled_;
    std::vector<SeriesRow> rows_;
};

} // namespace memsim
