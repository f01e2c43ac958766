#pragma once

#include "core/base/units.hh"

#include <cstdint>
#include <optional>
#include <vector>

/// How a machine is divided for a run on several threads.
namespace memsim {

class Component;
class PortBase;

/// Components that run in one partition, for windows of a given length. Two components are in one
/// set if a link between them has a latency below the window, if one calls the other directly, if
/// messages between them always name records of contents, or if both are EndsRuns and one of the
/// machine's gives less notice than the window.
struct Sets {
    Tick window = 0;
    std::vector<std::uint32_t> set_of; ///< of each component, in the order of the machine
    std::uint32_t count = 0;
    /// The set of all components that may end the run; nothing if each gives notice.
    std::optional<std::uint32_t> ends_runs;
};

/// The least notice of all EndsRuns, 0 if one gives none, `never` without any.
Tick least_notice(const std::vector<Component*>& components);

Sets sets_of(const std::vector<Component*>& components, Tick window);

/// A division of a machine into partitions. Components that may end the run without notice are in
/// partition 0.
struct Partition {
    Sets sets;
    std::vector<std::uint32_t> part_of; ///< of each component, in the order of the machine
    unsigned parts = 0;
    bool leads = false; ///< partition 0 may end the run without notice
};

/// The work of each component, in wakes.
using ComponentWork = std::vector<std::uint64_t>;

/// How many times faster a run on `threads` cores could be at most, if nothing but the work of sets
/// took time.
double most_speed_up(const Sets& sets, const ComponentWork& work, unsigned threads);

/// The work of a machine in a stretch of simulated time.
struct MeasuredWork {
    ComponentWork wakes;
    Tick time = 0;
};

/// A partition, and the time of a run with it as a share of a serial run's time, as far as the end
/// of a window costs as much as `wakes_of_an_end` wakes.
struct Choice {
    Partition partition;
    double cost = 1;
};
constexpr double wakes_of_an_end = 32; ///< about 3 us
/// The share of the work that runs beside other work from which on threads are used.
constexpr double least_gain = 1.0 / 8;

/// Divides the machine into at most `parts` partitions of similar work, for `threads` threads. Of
/// all possible windows chooses the one with the least cost: short windows divide a machine into
/// more sets, long ones end less often. Nothing if all components form one set.
std::optional<Choice> choose(const std::vector<Component*>& components, const MeasuredWork& work,
                             unsigned threads, unsigned parts);

/// Two partitions with the longest window. Nothing if all components form one set.
std::optional<Partition> divide_at_longest(const std::vector<Component*>& components);

/// For tests: a random window, and random partitions of its sets, up to eight.
std::optional<Partition> divide_at_random(const std::vector<Component*>& components,
                                          std::uint64_t seed);

} // namespace memsim
