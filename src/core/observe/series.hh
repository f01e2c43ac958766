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

/// Statistics that are sampled in a period: 'gpu.l2[0].hits', where '[*]' stands for every index
/// and
/// '*' for any text. What is counted is sampled as it stands since the last reset; what is computed
/// (ratios, rates, means) is over the period, and outside the digest.
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
    /// Throws ConfigError if a pattern names no statistic, or the period is none.
    void select(const std::vector<std::unique_ptr<Object>>& objects, Time every,
                const std::vector<std::string>& which);
    /// What is computed at the first sample is over the time from `now` on. `since`: the last
    /// reset.
    void begin(Tick since, Tick now);
    /// Takes a sample; returns what of it belongs into the digest.
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
