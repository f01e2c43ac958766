#pragma once

#include "core/simulation.hh"
#include "core/timeline_file.hh"

#include <string>
#include <string_view>
#include <vector>

namespace memsim {

/// A file of trace events (Chrome's JSON) that Perfetto and chrome://tracing open: stamped requests
/// with their stages, kernel launches, and how often each component was woken. It is written during
/// the run in batches, and is a whole file after each of them.
class Timeline final : public Watcher {
  public:
    /// Paths of the components by their number. Throws ConfigError.
    Timeline(const std::string& file, std::vector<std::string> paths);

    /// A stage of the request in this slot, of which each has one request at a time.
    void stage(std::uint32_t slot, std::string_view name, Tick from, Tick to);
    void request(std::uint32_t slot, std::uint64_t number, std::uint64_t address, Tick from,
                 Tick to);
    void launch(const Launch& launch);
    void after(const Component& c) override;
    /// Writes what is not in the file yet.
    void complete();

    static constexpr Tick window = 1'000'000'000; ///< in which wakes are counted: 1 us

  private:
    struct Stage {
        std::string_view name;
        Tick from = 0, to = 0;
    };
    void slice(unsigned process, std::uint32_t track, std::string_view name, Tick from, Tick to,
               const std::string& arguments);
    void counter(std::size_t component, Tick at, std::uint32_t wakes);
    void show_window();

    TimelineFile file_;
    std::vector<std::string> paths_;
    std::vector<std::vector<Stage>> stages_;    ///< by slot, of requests that have not ended
    std::vector<std::uint32_t> wakes_, before_; ///< of each component, in this window and the last
    Tick window_ = 0;                           ///< when it began
};

class Machine;
/// What happens in this machine from now on is written there. The machine owns the timeline.
Timeline& show_on_timeline(Machine& machine, const std::string& file);

} // namespace memsim
