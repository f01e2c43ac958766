#pragma once

#include "core/parallel/windows.hh"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace memsim {

/// Runs one machine on several threads, with the results of a serial run. Where this is not
/// possible or cannot pay, it runs serially and notes the reason.
class Threads {
  public:
    struct Options {
        unsigned threads = 1;
        /// For tests: the seed of random partitions, which run even if they do not pay. 0: none.
        std::uint64_t random_partitions = 0;
        double (*clock)() = host_seconds; ///< a test's may decide what pays
    };

    void set(const Options& options) { options_ = options; }
    /// Uses these partitions of the user, one for each component, in runs on several threads
    /// (core/parallel/by_hand.hh). Empty: chooses partitions again.
    void divide(const std::vector<Component*>& components, std::vector<std::uint32_t> part_of);
    bool on() const { return options_.threads > 1 || options_.random_partitions; }
    /// Like whole.run(until) with these components, which are all of the machine.
    Stop run(Simulation& whole, const std::vector<Component*>& components, Tick until);

    /// Sentences for the user since the last call: the partition, and reasons for a serial run.
    std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
    /// Sentences about all windows so far, with the largest possible speed-up; empty without any.
    std::vector<std::string> summary() const;

  private:
    std::string obstacle(Simulation& whole) const;
    std::optional<Partition> first_partition(const std::vector<Component*>& components) const;
    unsigned cores();
    std::optional<Stop> try_out(Simulation& whole, const std::vector<Component*>& components,
                                Tick until);
    void decide(const std::vector<Component*>& components);
    std::optional<Stop> run_windows(Tick until);
    void judge(const WindowCounts& recent);
    void end_windows();
    void pause();
    void note(const std::string& kind, std::string sentence);

    Options options_;
    std::vector<std::uint32_t> by_hand_; ///< partitions of the user; empty: none
    Simulation* whole_ = nullptr;
    const std::vector<Component*>* components_ = nullptr;
    std::unique_ptr<Windows> windows_;
    Tick since_ = 0;               ///< begin of these windows
    WindowCounts judged_;          ///< of these windows, when they were judged last
    WindowCounts ended_;           ///< of all windows before these
    Tick in_windows_ = 0;          ///< simulated time of the windows before these
    MeasuredWork measured_;        ///< in the last trial
    std::optional<Choice> choice_; ///< the best partition for that work
    unsigned serial_ = 0;          ///< calls of run() that remain serial
    unsigned pause_ = 1;           ///< calls, or judgements, until the next trial
    unsigned poor_ = 0;            ///< judgements since the last trial that found no gain
    std::vector<std::string> notes_;
    std::set<std::string> kinds_; ///< of notes so far
};

} // namespace memsim
