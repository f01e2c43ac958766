#include "core/parallel/crew.hh"

#include <algorithm>
#include <chrono>
#include <signal.h>
#include <system_error>

namespace memsim {

namespace {

void rest_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// Waits until `value` differs from `old`, first without sleep, because a sleeping thread takes
/// about 50 us to wake. Most windows end within 200 us. Where several in series do not, other
/// programs probably use the cores: more and more of the next waits then sleep almost at once.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old,
                              Crew::Patience& patience) {
    using Clock = std::chrono::steady_clock;
    constexpr Clock::duration longest = std::chrono::microseconds(200);
    constexpr unsigned few = 256, most_series = 12;
    Clock::time_point began {};
    for (unsigned i = 1;; ++i) {
        const std::uint32_t now = value.load(std::memory_order_acquire);
        if (now != old) {
            if (patience.sleeps == 0) patience.series = 0;
            return now;
        }
        rest_briefly();
        if (i % few) continue;
        if (patience.sleeps) {
            --patience.sleeps;
            break;
        }
        if (i == few) began = Clock::now();
        if (Clock::now() - began > longest) {
            patience.series = std::min(patience.series + 1, most_series);
            patience.sleeps = (1u << patience.series) >> 4; // from the fourth on 1, 2, 4, ... 256
            break;
        }
    }
    value.wait(old, std::memory_order_acquire);
    return value.load(std::memory_order_acquire);
}

} // namespace

/// Signals are for the caller's thread, whose handlers end the run. If the system gives no further
/// thread, those that exist do its work.
Crew::Crew(unsigned threads, std::function<void(unsigned)> task) : task_(std::move(task)) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    threads_.reserve(threads);
    try {
        for (unsigned number = 1; number <= threads; ++number)
            threads_.emplace_back([this, number] { serve(number); });
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Crew::~Crew() {
    end();
    over_ = true;
    begin();
    for (std::thread& t : threads_) t.join();
}

void Crew::begin() {
    busy_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
    tasks_.fetch_add(1, std::memory_order_release);
    tasks_.notify_all();
}

void Crew::end() {
    for (std::uint32_t busy = busy_.load(std::memory_order_acquire); busy != 0;)
        busy = wait_for_change(busy_, busy, patience_);
}

void Crew::serve(unsigned number) {
    Patience patience;
    for (std::uint32_t seen = 0;;) {
        wait_for_change(tasks_, seen, patience);
        ++seen;
        if (over_) return;
        task_(number);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
    }
}

} // namespace memsim
