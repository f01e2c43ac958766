#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace memsim {

/// Threads that perform one task at a time together, again and again.
class Crew {
  public:
    /// How long a thread waits without sleep (wait_for_change() in crew.cc).
    struct Patience {
        unsigned sleeps = 0; ///< number of next waits that sleep almost at once
        unsigned series = 0; ///< number of long waits since the last short one
    };

    /// `task(number)` is called by each thread for each task; numbers begin at 1. It does not
    /// throw. There may be fewer threads than asked for.
    Crew(unsigned threads, std::function<void(unsigned)> task);
    ~Crew();
    Crew(const Crew&) = delete;

    void begin(); ///< starts a task. Requires: the previous task has ended
    void end();   ///< waits until all threads have performed the task, if one has begun
    bool empty() const { return threads_.empty(); }

  private:
    void serve(unsigned number);

    std::function<void(unsigned)> task_;
    // What the threads write and what they read are in different cache lines.
    alignas(64) std::atomic<std::uint32_t> tasks_ {0}; ///< begun so far
    bool over_ = false;                                ///< no task follows
    alignas(64) std::atomic<std::uint32_t> busy_ {0};  ///< threads that perform the present task
    alignas(64) Patience patience_;                    ///< of the caller
    std::vector<std::thread> threads_;
};

} // namespace memsim
