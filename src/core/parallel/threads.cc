#include "core/parallel/threads.hh"

#include "core/base/text.hh"
#include "core/parallel/by_hand.hh"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>
#include <unordered_set>

namespace memsim {

namespace {

/// A trial on one thread measures the work of each component until it has so many windows or wakes.
constexpr std::uint64_t trial = 20'000, trial_wakes = 200'000;
/// A trial that ends earlier, by the end of a call of run(), counts from here on.
constexpr std::uint64_t shortest_trial = 1'000, fewest_wakes = 20'000;
/// Windows on several threads until they are judged for the first time, and again.
constexpr std::uint64_t until_first_judgement = 4'096, until_next_judgement = 131'072;
/// Calls of run(), about ten a second, until the next trial after partitions did not pay.
constexpr unsigned pause = 100;
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

std::string in_words(const Partition& p) {
    return count_of(p.parts, "partition") + " of " + count_of(p.sets.count, "set") +
           " of components, windows of " + Text<Time>::show({p.sets.window});
}

bool only_handlers(Simulation& whole) {
    std::unordered_set<Fire> known;
    for (const Handler* h = handlers(); h; h = h->next) known.insert(h->fire);
    const auto pending = whole.queue().pending();
    return std::all_of(pending.begin(), pending.end(),
                       [&](const PendingEvent& e) { return known.contains(e.fire); });
}

} // namespace

double host_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Why this machine runs serially; empty if it need not.
std::string Threads::obstacle(Simulation& whole) const {
    if (whole.contents().enabled())
        return "its messages carry contents, which all components share";
    if (whole.stamps().enabled())
        return "requests are stamped, in records that all components share";
    if (whole.debugs_any()) return "debug output has one order";
    if (whole.is_watched()) return "a timeline observes all components in one order";
    if (!options_.random_partitions && std::thread::hardware_concurrency() < 2)
        return "this computer has one core";
    if (!only_handlers(whole)) return "it has events that are not a component's";
    return {};
}

void Threads::note(std::string sentence) {
    if (sentence == last_note_) return;
    last_note_ = sentence;
    notes_.push_back(std::move(sentence));
}

/// The threads of this run: more than there are cores would wait for each other.
unsigned Threads::cores() {
    const unsigned cores = std::thread::hardware_concurrency();
    if (cores >= options_.threads) return options_.threads;
    note(count_of(cores, "thread") + ": this computer has no more cores");
    return cores;
}

Stop Threads::run(Simulation& whole, const std::vector<Component*>& components, Tick until) {
    if (!on()) return whole.run(until);
    if (serial_ != 0) {
        if (serial_ != for_ever) --serial_;
        return whole.run(until);
    }
    if (const std::string why = obstacle(whole); !why.empty()) {
        note("one thread: " + why);
        return whole.run(until);
    }
    if (!windows_) {
        const auto stop = try_out(whole, components, until);
        decide(components);
        if (stop) return *stop;
    }
    while (windows_)
        if (const auto stop = run_windows(until)) return *stop;
    return whole.run(until);
}

/// Measures the work of each component. Makes random partitions, if they are asked for, instead.
std::optional<Stop> Threads::try_out(Simulation& whole, const std::vector<Component*>& components,
                                     Tick until) {
    whole_ = &whole, components_ = &components;
    std::optional<Partition> partition = first_partition(components);
    choice_.reset();
    if (!partition || partition->parts < 2) {
        note("one thread: all components of the machine form one set, which cannot be divided");
        serial_ = for_ever;
        return {};
    }
    if (options_.random_partitions) {
        choice_ = {std::move(*partition), 0};
        return {};
    }
    Windows windows(whole, components, std::move(*partition), 1);
    const Tick from = whole.now();
    const double began = options_.clock();
    const auto stop = windows.run(until, trial, trial_wakes);
    seconds_of_wake_ = (options_.clock() - began) /
                       static_cast<double>(std::max<std::uint64_t>(windows.counts().wakes, 1));
    if (windows.counts().windows < shortest_trial && windows.counts().wakes < fewest_wakes)
        return stop; // the next call tries again
    measured_ = {windows.counts().work, whole.now() - from};
    if (by_hand_.empty())
        choice_ = choose(components, measured_, cores());
    else
        choice_ = {windows.partition(), cost_of(windows.partition(), measured_, cores())};
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
    windows_.reset(), choice_.reset();
    serial_ = 0;
}

/// After a trial: begins to run the best partition, if it pays.
void Threads::decide(const std::vector<Component*>& components) {
    if (!choice_) return;
    if (choice_->cost >= 1) {
        note("one thread: " + in_words(choice_->partition) + " with " +
             with_digits(wakes_in(choice_->partition.sets.window, measured_), 1) +
             " wakes would take " +
             (choice_->cost < 10 ? with_digits(choice_->cost, 2) : "more than 10") +
             " times as long");
        serial_ = pause;
        return;
    }
    note(in_words(choice_->partition));
    judged_ = {};
    since_ = whole_->now();
    windows_ = std::make_unique<Windows>(*whole_, components, choice_->partition,
                                         options_.random_partitions ? options_.threads : cores());
}

/// Runs windows on all threads; nothing if they were judged. They end if they do not pay.
std::optional<Stop> Threads::run_windows(Tick until) {
    const bool forced = options_.random_partitions != 0;
    const double began = options_.clock();
    const auto stop = windows_->run(until, forced                 ? ~std::uint64_t {0}
                                           : judged_.windows == 0 ? until_first_judgement
                                                                  : until_next_judgement);
    if (stop) return stop;
    const WindowCounts& now = windows_->counts();
    WindowCounts recent = now;
    recent.windows -= judged_.windows, recent.wakes -= judged_.wakes;
    recent.longest -= judged_.longest;
    judged_ = now;
    if (pays(recent, options_.clock() - began)) return {};
    windows_.reset();
    serial_ = pause;
    return {};
}

/// Whether windows took less time than one thread would have; if not, there is a note about it.
bool Threads::pays(const WindowCounts& recent, double seconds) {
    const auto wakes = static_cast<double>(recent.wakes);
    if (recent.saved() < wakes_of_an_end) {
        note("one thread: of " + with_digits(wakes / static_cast<double>(recent.windows), 1) +
             " wakes in a window, " + with_digits(recent.saved(), 1) +
             " ran beside others, too few to pay for its end (" + with_digits(wakes_of_an_end, 0) +
             ")");
        return false;
    }
    const double alone = seconds_of_wake_ * wakes;
    if (seconds >= alone) {
        note("one thread: windows took " + with_digits(seconds / alone, 2) +
             " times as long as one thread, as if the cores were not free");
        return false;
    }
    return true;
}

std::vector<std::string> Threads::summary() const {
    std::vector<std::string> all;
    if (windows_ && windows_->counts().windows) {
        const WindowCounts& c = windows_->counts();
        all.push_back(
            count_of(c.windows, "window") + " of " +
            with_digits(static_cast<double>(c.wakes) / static_cast<double>(c.windows), 1) +
            " wakes, of which " + with_digits(c.saved(), 1) + " ran beside others");
    }
    if (!choice_ || !components_) return all;
    const MeasuredWork work =
        windows_ ? MeasuredWork {windows_->counts().work, whole_->now() - since_} : measured_;
    std::string bounds;
    for (const unsigned threads : {2u, 4u, 8u, 16u, 32u, 64u})
        bounds += (threads == 2 ? "" : ", ") +
                  with_digits(std::max(1.0, 1 / choose(*components_, work, threads)->cost), 2);
    all.push_back("2, 4, 8, 16, 32, 64 threads would be at most " + bounds + " times as fast");
    return all;
}

} // namespace memsim
