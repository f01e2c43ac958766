#pragma once

#include "core/kernel/simulation.hh"
#include "core/observe/timeline_file.hh"

#include <string>
#include <string_view>
#include <vector>

namespace memsim {

/// What a timeline shows of a run.
struct TimelineLimits {
    Tick from = 0, to = never;                ///< what lies at least in part in this time
    std::uint64_t bytes = ~std::uint64_t {0}; ///< as long as the file is no larger
};

/// What was not written because the file had reached its limit.
struct TimelineLeftOut {
    Tick since = never; ///< the run's time when the limit was reached
    std::uint64_t requests = 0, launches = 0, wakes = 0;
};

/// A file of trace events (Chrome's JSON) that Perfetto and chrome://tracing open: stamped requests
/// with their stages, kernel launches, and how often each component was woken. It is written during
/// the run in batches, and is a whole file after each of them.
class Timeline final : public Watcher {
  public:
    /// Paths of the components by their number. Throws ConfigError.
    Timeline(const std::string& file, std::vector<std::string> paths, const TimelineLimits& limits);

    /// A stage of the request in this slot, of which each has one request at a time.
    void stage(std::uint32_t slot, std::string_view name, Tick from, Tick to);
    /// The request in this slot ends at `to`.
    void request(std::uint32_t slot, std::uint64_t number, std::uint64_t address, Tick from,
                 Tick to);
    void launch(const Launch& launch);
    void after(const Component& c) override;
    /// Writes what is not in the file yet, and what is under way as far as it has come, which a
    /// later call replaces by the finished slices. Returns what was left out so far.
    TimelineLeftOut complete(const Simulation& sim);

    static constexpr Tick window = 1'000'000'000; ///< in which wakes are counted: 1 us

  private:
    struct Stage {
        std::string_view name;
        Tick from = 0, to = 0;
    };
    using Elements = std::vector<std::string>;
    bool shows(Tick from, Tick to) const { return from < limits_.to && to >= limits_.from; }
    Elements under_way(const Stamps::Open& request, Tick now) const;
    Elements wakes_of_window() const;
    bool has_room(const Elements& elements, std::size_t beside = 0) const;
    void write(const Elements& elements, std::uint64_t& left_out, Tick now);

    TimelineFile file_;
    std::vector<std::string> paths_;
    TimelineLimits limits_;
    TimelineLeftOut left_out_;
    std::vector<std::vector<Stage>> stages_;    ///< by slot, of requests that have not ended
    std::vector<std::uint32_t> wakes_, before_; ///< of each component, in this window and the last
    Tick window_ = 0;                           ///< when it began
};

class Machine;
/// What happens in this machine from now on is written there. The machine owns the timeline.
Timeline& show_on_timeline(Machine& machine, const std::string& file,
                           const TimelineLimits& limits = {});

} // namespace memsim
