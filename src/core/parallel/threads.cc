#include "core/parallel/threads.hh"

#include "core/base/text.hh"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <unordered_set>

namespace memsim {

namespace {

/// Windows after which a partition is judged. The first partition rests on the numbers of ports;
/// after so many windows the work of the components is known.
constexpr std::uint64_t trial = 4096;
constexpr std::uint64_t until_next_judgement = 32 * trial;
/// Wakes of a window that must run beside others: what two meetings of threads cost, about 3 us.
constexpr double least_saved = 32;
/// Calls of run(), about ten a second, until a partition that did not pay is tried again.
constexpr unsigned pause = 100;

std::string with_digits(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string count_of(std::uint64_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
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

bool Threads::prepare(Simulation& whole, const std::vector<Component*>& components) {
    if (windows_) return true;
    unsigned threads = options_.threads;
    if (const unsigned cores = std::thread::hardware_concurrency();
        !options_.random_partitions && cores < threads) {
        note(count_of(cores, "thread") + ": this computer has no more cores");
        threads = cores;
    }
    std::optional<Partition> partition;
    if (options_.random_partitions)
        partition = divide_at_random(components, options_.random_partitions);
    else
        partition =
            memsim::divide(components, work_.empty() ? estimated_work(components) : work_, threads);
    if (!partition || partition->parts < 2) {
        note("one thread: all components of the machine form one set, which cannot be divided");
        serial_ = ~0u;
        return false;
    }
    note(count_of(partition->parts, "partition") + " of " + count_of(partition->sets.count, "set") +
         " of components, windows of " + Text<Time>::show({partition->sets.window}));
    windows_ = std::make_unique<Windows>(whole, components, std::move(*partition), threads);
    return true;
}

Stop Threads::run(Simulation& whole, const std::vector<Component*>& components, Tick until) {
    if (!on()) return whole.run(until);
    if (serial_ != 0) {
        if (serial_ != ~0u) --serial_;
        return whole.run(until);
    }
    if (const std::string why = obstacle(whole); !why.empty()) {
        note("one thread: " + why);
        return whole.run(until);
    }
    while (prepare(whole, components)) {
        const std::uint64_t most = options_.random_partitions ? ~std::uint64_t {0}
                                   : judged_.windows == 0     ? trial
                                                              : until_next_judgement;
        if (const auto stop = windows_->run(until, most)) return *stop;
        if (!pays()) break;
    }
    return whole.run(until);
}

/// Judges the windows since the last call. After the first ones a new partition is made.
bool Threads::pays() {
    const WindowCounts& now = windows_->counts();
    WindowCounts recent = now;
    recent.windows -= judged_.windows, recent.wakes -= judged_.wakes;
    recent.longest -= judged_.longest;
    judged_ = now;
    if (work_.empty()) {
        work_ = now.work;
        former_ = now;
        judged_ = {};
        windows_.reset();
        return true;
    }
    if (recent.saved() >= least_saved) return true;
    note("one thread: " + with_digits(recent.saved(), 1) + " of the " +
         with_digits(static_cast<double>(recent.wakes) / static_cast<double>(recent.windows), 1) +
         " wakes in a window of " + Text<Time>::show({windows_->partition().sets.window}) +
         " run beside others, too few to pay for its end (" + with_digits(least_saved, 0) +
         "); tried again later");
    serial_ = pause;
    return false;
}

std::vector<std::string> Threads::summary() const {
    if (!windows_) return {};
    const WindowCounts& counts = windows_->counts();
    const std::uint64_t windows = former_.windows + counts.windows;
    if (counts.windows == 0) return {};
    const double wakes = static_cast<double>(former_.wakes + counts.wakes);
    std::string bounds = "without the ends of windows at most";
    for (const unsigned threads : {2u, 4u, 8u, 16u, 32u, 64u})
        bounds += (threads == 2 ? " " : ", ") +
                  with_digits(most_speed_up(windows_->partition().sets, counts.work, threads), 2) +
                  " times faster on " + std::to_string(threads);
    return {count_of(windows, "window") + " of " +
                with_digits(wakes / static_cast<double>(windows), 1) + " wakes, of which " +
                with_digits(counts.saved(), 1) + " ran beside others",
            bounds + " threads"};
}

} // namespace memsim
