#pragma once

#include "core/kernel/simulation.hh"
#include "core/observe/timeline_file.hh"

#include <string>
#include <string_view>
#include <vector>

namespace memsim {

/// The limits of a timeline.
struct TimelineLimits {
    Tick from = 0, to = never;                ///< shows activity that overlaps this interval
    std::uint64_t bytes = ~std::uint64_t {0}; ///< maximum size of the file
};

/// What was left out because the file had reached its limit.
struct TimelineLeftOut {
    Tick since = never; ///< simulated time when the limit was reached
    std::uint64_t requests = 0, launches = 0, wakes = 0;
};

/// A file of trace events (Chrome's JSON) for Perfetto and chrome://tracing: stamped requests with
/// their stages, kernel launches, and the number of wakes of each component. It is written in
/// batches during the run, and is a valid file after each batch.
class Timeline final : public Watcher {
  public:
    /// Paths of the components by their number. Throws ConfigError.
    Timeline(const std::string& file, std::vector<std::string> paths, const TimelineLimits& limits);

    /// Adds a stage of the request in this slot. A slot has one request at a time.
    void stage(std::uint32_t slot, std::string_view name, Tick from, Tick to);
    /// Ends the request in this slot at `to`.
    void request(std::uint32_t slot, std::uint64_t number, std::uint64_t address, Tick from,
                 Tick to);
    void launch(const Launch& launch);
    void after(const Component& c) override;
    /// Writes everything that is not in the file yet. Requests and launches in progress are written
    /// up to now; a later call replaces them with the finished slices. Returns what was left out so
    /// far.
    TimelineLeftOut complete(const Simulation& sim);

    static constexpr Tick window = 1'000'000'000; ///< the interval in which wakes are counted: 1 us

  private:
    struct Stage {
        std::string_view name;
        Tick from = 0, to = 0;
    };
    using Elements = std::vector<std::string>;
    bool shows(Tick from, Tick to) const { return from < limits_.to && to >= limits_.from; }
    Elements under_way(const Stamps::Open& request, Tick now) const;
    Elements wakes_of_window() const;
    void close_window(Tick now);
    bool has_room(const Elements& elements, std::size_t beside = 0) const;
    void write(const Elements& elements, std::uint64_t& left_out, Tick now);

    TimelineFile file_;
    std::vector<std::string> paths_;
    TimelineLimits limits_;
    TimelineLeftOut left_out_;
    std::vector<std::vector<Stage>> stages_;    ///< by slot, of requests in progress
    std::vector<std::uint32_t> wakes_, before_; ///< per component, this window and the last
    Tick window_ = 0;                           ///< begin of the window
};

class Machine;
/// Writes all activity of this machine from now on to the file. The machine owns the timeline.
Timeline& show_on_timeline(Machine& machine, const std::string& file,
                           const TimelineLimits& limits = {});

} // namespace memsim
