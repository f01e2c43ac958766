#include "core/parallel/threads.hh"

#include "core/base/text.hh"
#include "core/parallel/by_hand.hh"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <sched.h>
#include <thread>
#include <unordered_set>

namespace memsim {

namespace {

/// A trial on one thread measures the work of each component, in so many windows or wakes.
constexpr std::uint64_t trial = 20'000, trial_wakes = 200'000;
/// A trial that ends earlier, by the end of a call of run(), counts from here on.
constexpr std::uint64_t shortest_trial = 1'000, fewest_wakes = 20'000;
/// Windows are judged after so many windows or wakes, which is less than a second.
constexpr std::uint64_t until_judged = 20'000, wakes_until_judged = 400'000;
/// Partitions for each thread. Threads take them in turn, so that all have equal work even if the
/// work of a partition differs from window to window.
constexpr unsigned parts_of_thread = 12;
/// Calls of run(), about ten a second, and judgements until the next trial, at most.
constexpr unsigned longest_pause = 32;
constexpr unsigned for_ever = ~0u;

std::string with_digits(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string count_of(std::uint64_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// The wakes of a machine in a window.
double wakes_in(Tick window, const MeasuredWork& work) {
    const auto all = std::accumulate(work.wakes.begin(), work.wakes.end(), std::uint64_t {});
    return static_cast<double>(all) * static_cast<double>(window) /
           static_cast<double>(std::max<Tick>(work.time, 1));
}

double largest_share(const Partition& p, const ComponentWork& wakes) {
    ComponentWork of_part(p.parts);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < wakes.size(); ++i)
        of_part[p.part_of[i]] += wakes[i], sum += wakes[i];
    return static_cast<double>(*std::ranges::max_element(of_part)) /
           static_cast<double>(std::max<std::uint64_t>(sum, 1));
}

std::string in_words(const Partition& p) {
    return count_of(p.parts, "partition") + " of " + count_of(p.sets.count, "set") +
           " of components, windows of " + Text<Time>::show({p.sets.window});
}

/// The cores that this process may use: fewer than the computer's under taskset or a batch system.
unsigned usable_cores() {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        return std::thread::hardware_concurrency(); // more than a cpu_set_t holds
    return static_cast<unsigned>(CPU_COUNT(&cores));
}

bool only_handlers(Simulation& whole) {
    std::unordered_set<Fire> known;
    for (const Handler* h = handlers(); h; h = h->next) known.insert(h->fire);
    const auto pending = whole.queue().pending();
    return std::all_of(pending.begin(), pending.end(),
                       [&](const PendingEvent& e) { return known.contains(e.fire); });
}

} // namespace

/// Why this machine runs serially; empty if it need not.
std::string Threads::obstacle(Simulation& whole) const {
    if (whole.contents().enabled())
        return "its messages carry contents, which all components share";
    if (whole.stamps().enabled())
        return "requests are stamped, in records that all components share";
    if (whole.debugs_any()) return "debug output has one order";
    if (whole.is_watched()) return "a timeline observes all components in one order";
    if (!options_.random_partitions && usable_cores() < 2) return "this process may use one core";
    if (!only_handlers(whole)) return "it has events that are not a component's";
    return {};
}

/// Later notes of one kind differ in their figures only, and may be many.
void Threads::note(const std::string& kind, std::string sentence) {
    if (kinds_.insert(kind).second) notes_.push_back(std::move(sentence));
}

/// The threads of this run: more than there are cores would wait for each other.
unsigned Threads::cores() {
    const unsigned cores = usable_cores();
    if (cores >= options_.threads) return options_.threads;
    note("few cores", count_of(cores, "thread") + ": this process may use no more cores");
    return cores;
}

Stop Threads::run(Simulation& whole, const std::vector<Component*>& components, Tick until) {
    if (!on()) return whole.run(until);
    if (serial_ != 0) {
        if (serial_ != for_ever) --serial_;
        return whole.run(until);
    }
    if (const std::string why = obstacle(whole); !why.empty()) {
        note(why, "one thread: " + why);
        return whole.run(until);
    }
    for (;;) {
        if (!windows_) {
            const auto stop = try_out(whole, components, until);
            decide(components);
            if (stop) return *stop;
        }
        while (windows_)
            if (const auto stop = run_windows(until)) return *stop;
        if (serial_ != 0 || !choice_) return whole.run(until);
    }
}

/// Measures the work of each component. Makes random partitions, if they are asked for, instead.
std::optional<Stop> Threads::try_out(Simulation& whole, const std::vector<Component*>& components,
                                     Tick until) {
    whole_ = &whole, components_ = &components;
    std::optional<Partition> partition = first_partition(components);
    choice_.reset();
    if (!partition || partition->parts < 2) {
        note("one set", "one thread: all components of the machine form one set, which cannot be "
                        "divided");
        serial_ = for_ever;
        return {};
    }
    if (options_.random_partitions) {
        choice_ = {std::move(*partition), 0};
        return {};
    }
    Windows windows(whole, components, std::move(*partition), {});
    const Tick from = whole.now();
    const auto stop = windows.run(until, trial, trial_wakes);
    if (windows.counts().windows < shortest_trial && windows.counts().wakes < fewest_wakes)
        return stop; // the next call tries again
    measured_ = {windows.counts().work, whole.now() - from};
    if (by_hand_.empty())
        choice_ = choose(components, measured_, cores(), parts_of_thread * cores());
    else
        choice_ = {windows.partition(), 1};
    return stop;
}

/// The partition of a trial, or a random one, which needs no trial.
std::optional<Partition> Threads::first_partition(const std::vector<Component*>& components) const {
    if (options_.random_partitions) return divide_at_random(components, options_.random_partitions);
    if (!by_hand_.empty()) return divide_as(components, by_hand_);
    return divide_at_longest(components);
}

void Threads::divide(const std::vector<Component*>& components,
                     std::vector<std::uint32_t> part_of) {
    if (!part_of.empty()) divide_as(components, part_of); // refuses what is impossible
    by_hand_ = std::move(part_of);
    end_windows();
    choice_.reset();
    serial_ = 0;
}

/// Keeps the counts of the windows for summary().
void Threads::end_windows() {
    if (!windows_) return;
    ended_.add(windows_->counts());
    in_windows_ += whole_->now() - since_;
    windows_.reset();
}

/// Remains serial, and postpones the trial after the next one, for longer each time.
void Threads::pause() {
    serial_ = pause_;
    pause_ = std::min(2 * pause_, longest_pause);
}

/// After a trial: begins to run the best partition, unless the windows would have few wakes.
void Threads::decide(const std::vector<Component*>& components) {
    if (!choice_) return;
    const Partition& partition = choice_->partition;
    const bool forced = options_.random_partitions != 0;
    const double wakes = wakes_in(partition.sets.window, measured_);
    if (!forced && wakes < wakes_of_an_end) {
        note("few wakes", "one thread: " + in_words(partition) + " have " + with_digits(wakes, 1) +
                              " wakes; several threads gain from " +
                              with_digits(wakes_of_an_end, 0) + " wakes a window");
        return pause();
    }
    if (const double most = largest_share(partition, measured_.wakes);
        !forced && most > 1 - least_gain) {
        note("one part", "one thread: " + in_words(partition) + ", of which one has " +
                             with_digits(100 * most, 0) + " % of the work");
        return pause();
    }
    note("partition", in_words(partition));
    judged_ = {}, poor_ = 0;
    since_ = whole_->now();
    windows_ =
        std::make_unique<Windows>(*whole_, components, partition,
                                  Windows::Options {forced ? options_.threads : cores(),
                                                    forced ? 0 : wakes_of_an_end, options_.clock});
}

/// Runs windows on all threads. They are judged from time to time, and end if they do not pay.
std::optional<Stop> Threads::run_windows(Tick until) {
    if (options_.random_partitions) return windows_->run(until, ~std::uint64_t {0});
    const auto stop = windows_->run(until, until_judged, judged_.wakes + wakes_until_judged);
    WindowCounts recent = windows_->counts();
    recent.add(judged_, -1);
    if (recent.windows >= until_judged || recent.wakes >= wakes_until_judged) judge(recent);
    return stop;
}

/// Ends the windows if they take more time than one thread would, or if a new trial may find better
/// ones.
void Threads::judge(const WindowCounts& recent) {
    const auto windows = static_cast<double>(recent.windows);
    const auto wakes = static_cast<double>(recent.wakes);
    const double crew = recent.crew.each(), alone = recent.alone.each();
    const bool slow = alone > 0 && crew >= alone, few = wakes < wakes_of_an_end * windows;
    if (slow)
        note("slow", "one thread: windows took " + with_digits(crew / alone, 2) +
                         " times as long as on one thread, as if the cores were not free");
    else if (few)
        note("few wakes", "one thread: windows have " + with_digits(wakes / windows, 1) +
                              " wakes; several threads gain from " +
                              with_digits(wakes_of_an_end, 0) + " wakes a window");
    else if (static_cast<double>(recent.crew.wakes) >= least_gain * wakes)
        pause_ = 1, poor_ = 0;
    else
        ++poor_;
    judged_ = windows_->counts();
    windows_->halve_times();
    if (!slow && !few && poor_ < pause_) return;
    end_windows();
    pause();
    if (!slow && !few) serial_ = 0; // the windows cost nothing: the next trial begins now
}

std::vector<std::string> Threads::summary() const {
    std::vector<std::string> all;
    WindowCounts c = ended_;
    if (windows_) c.add(windows_->counts());
    if (c.windows)
        all.push_back(
            count_of(c.windows, "window") + " of " +
            with_digits(static_cast<double>(c.wakes) / static_cast<double>(c.windows), 1) +
            " wakes, of which " + with_digits(c.saved(), 1) + " ran beside others; " +
            count_of(c.of_crew, "window") + " ran on several threads");
    if (!choice_ || !components_) return all;
    MeasuredWork work = measured_;
    work.wakes.resize(components_->size()); // none were measured before random partitions
    for (std::size_t i = 0; i < c.work.size(); ++i) work.wakes[i] += c.work[i];
    work.time += in_windows_ + (windows_ ? whole_->now() - since_ : 0);
    std::string bounds;
    for (const unsigned threads : {2u, 4u, 8u, 16u, 32u, 64u})
        bounds +=
            (threads == 2 ? "" : ", ") +
            with_digits(std::max(1.0, 1 / choose(*components_, work, threads, threads)->cost), 2);
    all.push_back("2, 4, 8, 16, 32, 64 threads would be at most " + bounds + " times as fast");
    return all;
}

} // namespace memsim
