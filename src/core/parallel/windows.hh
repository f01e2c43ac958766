#pragma once

#include "core/kernel/component.hh"
#include "core/kernel/notice.hh"
#include "core/parallel/crew.hh"
#include "core/parallel/partition.hh"

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <optional>

namespace memsim {

/// The time of the computer's clock.
double host_seconds();

/// Wakes, and the time that they took.
struct TimedWakes {
    std::uint64_t wakes = 0;
    double seconds = 0;

    double each() const { return wakes ? seconds / static_cast<double>(wakes) : 0; }
};

/// Figures of the windows of a run so far.
struct WindowCounts {
    std::uint64_t windows = 0;
    std::uint64_t of_crew = 0; ///< windows that several threads executed
    std::uint64_t wakes = 0;
    std::uint64_t longest = 0; ///< wakes of the busiest thread of each window, added up
    TimedWakes crew, alone;    ///< of windows of a crew, and of those on one thread beside them
    ComponentWork work;        ///< wakes of each component, in the order of the machine

    /// Wakes of an average window that run beside others.
    double saved() const {
        return windows ? static_cast<double>(wakes - longest) / static_cast<double>(windows) : 0;
    }
    /// Adds or subtracts windows, without their times.
    WindowCounts& add(const WindowCounts& more, std::uint64_t times = 1) {
        windows += times * more.windows, of_crew += times * more.of_crew;
        wakes += times * more.wakes, longest += times * more.longest;
        work.resize(std::max(work.size(), more.work.size()));
        for (std::size_t i = 0; i < more.work.size(); ++i) work[i] += times * more.work[i];
        return *this;
    }
};

/// Runs a machine in partitions, on one thread or several, with the results of a serial run.
///
/// run() divides the machine and joins it again before it returns. Between two calls nothing
/// differs from a serial run: one queue has all events, and checkpoints, statistics and their
/// resets see the serial state. Each partition has a Simulation of its own, to which sim() of its
/// components and links refers.
///
/// Windows       With a window w, the least latency of a link between two partitions, a message or
///               a credit that is sent at tick t is seen by another partition at t + w or later. If
///               no partition has work before tick m, all of them can therefore execute the ticks
///               before m + w without knowing what the others send meanwhile. Messages and credits
///               between partitions are collected by links and delivered between windows.
/// Order         A tick executes all its events first and then wakes the touched components in
///               object order. Handlers change the State of their own component only, and its
///               events are in one queue, in the order of scheduling. A wake at tick t sees nothing
///               that another component does at t, because a link has a latency of at least 1 fs;
///               components that call each other are in one partition. The order of components of
///               different partitions within a tick has therefore no effect. A link has one sender,
///               so its messages have one order.
/// Leading       An end of the run takes effect after the tick in which it is requested: no
///               partition may have executed a later one. The partition of the components that may
///               end the run executes its ticks ahead of all others, by w / 2 on average, and at
///               the same time as they do. The other partitions follow up to the tick that it has
///               reached.
/// Launches      Counting a launch reads statistics of all components, in the middle of a tick. The
///               leading partition waits there until the other partitions have reached this tick
///               and have woken the components before the one that counts.
/// Notice        If all components that count launches or end the run give notice of at least w,
///               no partition leads, and these components may be in several partitions. A window
///               ends before the first tick in which one of them may act. All partitions execute
///               such a tick together, on one thread and in object order.
/// Threads       Each thread of a crew takes partitions until none is left in the window, the ones
///               with most work first. If the last windows had few wakes that could run beside
///               others, or less than an eighth of all, the caller's thread executes all partitions
///               of the next one alone. It does so with two of 64 other windows, of which it
///               measures the second one.
/// Requires      No contents, stamps, watchers and debug output, which all components share.
class Windows {
  public:
    struct Options {
        unsigned threads = 1;            ///< with the caller's
        double fewest = wakes_of_an_end; ///< beside others, for a window of the crew; 0: all are
        double (*clock)() = nullptr;     ///< measures some windows, unless `fewest` is 0
    };
    /// References outlive it.
    Windows(Simulation& whole, const std::vector<Component*>& components, Partition partition,
            const Options& options);
    ~Windows();

    /// Like Simulation::run() of the whole machine. Returns nothing after `most` windows, or when
    /// all calls together have executed `most_wakes` wakes.
    std::optional<Stop> run(Tick until, std::uint64_t most,
                            std::uint64_t most_wakes = ~std::uint64_t {0});
    const Partition& partition() const { return partition_; }
    const WindowCounts& counts() const { return counts_; }
    /// Later times count more than earlier ones if this is called from time to time.
    void halve_times();

  private:
    struct Part;
    struct Cut {
        LinkBase* link;
        std::uint32_t sender, receiver; ///< their partitions
    };

    void divide();
    void join();
    std::optional<Stop> run_windows(Tick until, std::uint64_t most, std::uint64_t most_wakes);
    std::optional<Stop> pass(Tick next, Tick until);
    void execute(Tick lead, Tick others);
    bool execute_together(Tick tick);
    Tick quiet_until(Tick next) const;
    void check_notice() const;
    std::uint64_t count_wakes();
    void order_parts();
    void run_parts_of(unsigned thread);
    void take(std::uint32_t number, unsigned thread);
    void run_part(std::uint32_t number, Tick until);
    void follow();
    void gather();
    void catch_up(Tick tick);
    void deliver();
    void rethrow();
    Tick next_of_others();

    Simulation& whole_;
    const std::vector<Component*>& components_;
    Partition partition_;
    Options options_;
    /// A request for attention that comes before this time has no effect, because the division of a
    /// large machine takes some milliseconds. Requests are repeated ten times a second.
    double attend_at_ = 0;
    unsigned turn_ = 0; ///< counts windows with enough work for the crew
    // Averages of the last windows:
    double wakes_ = 0;
    double beside_ = 0;                     ///< wakes that could run beside others
    std::vector<std::uint32_t> part_of_id_; ///< by the number of a component
    std::vector<Cut> cut_;
    std::vector<std::pair<LinkBase*, std::uint32_t>> inside_; ///< with their partition
    std::deque<Part> parts_;
    std::vector<std::uint32_t> order_; ///< partitions that do not lead, by descending work
    std::vector<std::uint64_t> wakes_of_thread_; ///< in the present window
    std::vector<std::pair<const Component*, const GivesNotice*>> announced_; ///< without a leader
    bool together_ = false; ///< all partitions execute one tick on the caller's thread
    std::unique_ptr<Crew> crew_;
    Tick limit_ = 0;          ///< of the present window, of partitions that do not lead
    Tick led_ = never;        ///< the leading partition has executed all ticks before
    bool followed_ = false;   ///< the other partitions have executed the present window
    bool crew_works_ = false; ///< in the present window
    WindowCounts counts_;
};

} // namespace memsim
