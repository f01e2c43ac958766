#pragma once

#include "core/base/log.hh"
#include "core/base/rng.hh"
#include "core/kernel/contents.hh"
#include "core/kernel/event_queue.hh"
#include "core/kernel/launches.hh"
#include "core/kernel/stamps.hh"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memsim {

class Component;

/// A timer in State or in a link. It has at most one time, which can be changed or cancelled. When
/// it expires its owner is woken, and wake() derives the work to do from State.
///
/// Requires  An armed timer is not copied, moved or destroyed, because the queue has its address.
///           Copies and moves are checked; a vector of timers may grow in init() only.
class Timer {
  public:
    Timer() = default;
    Timer(const Timer& other) { other.check_still(); }
    Timer& operator=(const Timer& other) {
        check_still(), other.check_still();
        return *this;
    }
    static constexpr std::string_view archived_as = "Timer";
    template <class Archive>
    void archive(Archive& a) {
        a(when_);
        if constexpr (requires { a.now(); }) a.check(when_ >= a.now(), "is set to a past time");
    }

    bool armed() const { return when_ != never; }
    Tick when() const { return when_; } ///< `never` if not armed

  private:
    friend class Simulation;
    void check_still() const { MEMSIM_ASSERT(!armed(), "an armed timer is moved or copied"); }

    static constexpr std::uint32_t none = ~std::uint32_t {0};
    Tick when_ = never;
    std::uint32_t alarm_ = none; ///< of the queue, from the first time on that it is armed
};

/// Why run() returned.
enum class Stop : std::uint8_t {
    limit,     ///< every tick before the limit has been executed
    exit,      ///< a component asked for the end, see exit_cause()
    idle,      ///< no event is pending
    attention, ///< the attention flag was set
};

/// An observer of each wake() of a component. It changes nothing.
class Watcher {
  public:
    virtual ~Watcher() = default;
    virtual void before(const Component&) {}
    virtual void after(const Component&) {}
};

/// Time, the pending events and the ticks' two phases. One for each machine; nothing here is shared
/// between two machines.
///
/// A tick: first every event of that tick is run (messages arrive, timers go off, handlers change
/// their own component's State), then each touched component's wake() is called once, in object
/// order. Nothing that happens in a tick is visible to another component before a later tick, so
/// the result does not depend on the order of insertion.
class Simulation {
  public:
    explicit Simulation(std::uint64_t seed = 1, QueueKind kind = QueueKind::fast);
    /// A part of `whole` for a run in partitions (core/parallel/windows.hh), which outlives it.
    /// Contents of messages are those of `whole`. `launches`: called before a component uses
    /// launches(); null if the components of this part neither use launches() nor end the run.
    Simulation(Simulation& whole, std::function<void()> launches);
    ~Simulation();

    Tick now() const { return now_; }
    std::uint64_t seed() const { return seed_; }
    EventQueue& queue() { return queue_; }
    Stamps& stamps() { return stamps_; }
    /// A component that uses it is an EndsRuns (core/kernel/component.hh).
    Launches& launches() {
        if (whole_) [[unlikely]]
            return launches_of_whole();
        return launches_;
    }
    const Stamps& stamps() const { return stamps_; }
    const Launches& launches() const { return launches_; }
    Contents& contents() { return *contents_; }
    const Contents& contents() const { return *contents_; }

    /// Wakes the component in the second phase of this tick.
    void touch(Component& c);
    /// Sets the number of components, of which all may be touched in one tick.
    void expect(std::size_t components);

    /// Sets the time of `timer`, which may be armed already, to `when`. When it expires it is
    /// disarmed, `flag` becomes true and `component` is woken. `never` cancels the timer. A timer
    /// has the same `component` and `flag` in each call.
    void arm(Timer& timer, Tick when, Component& component, bool& flag) {
        if (timer.when_ == when) return;
        if (timer.alarm_ == Timer::none) [[unlikely]]
            timer.alarm_ = queue_.add_alarm(timer.when_, flag, &component);
        timer.when_ = when;
        queue_.set_alarm(timer.alarm_, when);
    }
    void arm(Timer& timer, Tick when, Component& component) {
        arm(timer, when, component, no_flag_);
    }
    void cancel(Timer& timer) {
        if (!timer.armed()) return;
        timer.when_ = never;
        queue_.set_alarm(timer.alarm_, never);
    }
    /// After a load: the timer's time was restored, its event was not.
    void rearm(Timer& timer, Component& component, bool& flag) {
        const Tick when = timer.when_;
        timer.when_ = never;
        if (when != never) arm(timer, when, component, flag);
    }
    void rearm(Timer& timer, Component& component) { rearm(timer, component, no_flag_); }

    /// The timer leaves the queue in which it was armed, which is cleared afterwards; rearm() sets
    /// it to its time in another queue.
    static void forget(Timer& timer) { timer.alarm_ = Timer::none; }
    /// The same without another queue: returns the timer's time and disarms it.
    static Tick take_time(Timer& timer) {
        forget(timer);
        return std::exchange(timer.when_, never);
    }

    /// Drops all events. Timers that were armed must be forgotten.
    void clear_queue();

    /// Adds an observer of every wake() from now on.
    void watch(std::unique_ptr<Watcher> watcher);
    bool is_watched() const { return !watchers_.empty(); }

    /// Executes all ticks before `until`; then now() is `until` (if it stopped for that reason),
    /// else the last tick executed. A pending tick is never skipped or split.
    Stop run(Tick until);

    /// Ends run() after the present tick. A component that calls it is an EndsRuns.
    void request_exit(std::string cause);
    bool exit_requested() const { return exit_requested_; }
    const std::string& exit_cause() const { return exit_cause_; }

    /// May be set from a signal handler or another thread; read between ticks.
    std::atomic<bool>& attention() { return attention_; }

    /// Called between ticks, before the first tick at or after `at`; returns the next such time.
    /// A boundary is no event: it takes no sequence number and leaves no trace.
    void at_boundary(Tick at, std::function<Tick(Tick)> act);

    /// For the perturbation oracle: wakes a random component in about one of `one_in` ticks.
    void perturb(std::uint64_t seed, unsigned one_in, const std::vector<Component*>& components);

    void set_now(Tick now) {
        now_ = now;
        queue_.set_floor(now - 1);
    }
    // ---- for a part: runs without boundaries, attention and watchers
    /// The tick of the next event, or the present one if some of its wakes are left.
    Tick next_work() { return woken_ != to_wake_ ? now_ : queue_.next_tick(); }
    /// Executes all ticks before `until`, or up to one that requests the run's end.
    void run_window(Tick until);
    /// Executes all ticks before `tick`; of `tick` all events, and the wakes of components whose
    /// number is less than `component`.
    void run_to(Tick tick, std::uint32_t component);
    /// The component whose wake() is being called, or was called last.
    std::uint32_t waking() const { return waking_; }
    /// The number of wakes of each component since the last call, added to `sum`.
    void take_work(std::vector<std::uint64_t>& sum);
    std::uint64_t wakes_of_part() const { return wakes_; }
    /// Begins a stretch at the present time of the whole.
    void join(const Simulation& whole);

    // ---- for a whole whose parts run
    /// The next boundary; `never` if there is none.
    Tick boundary() const { return boundary_; }
    /// Begins a run in parts.
    void begin_parts() { exit_requested_ = false, exit_cause_.clear(); }
    /// Performs what is due at the present boundary.
    void pass_boundary() {
        set_now(boundary_);
        boundary_ = boundary_act_(boundary_);
    }
    /// Adds the counts of a part, and takes its request to end the run.
    void take_over(Simulation& part);
    std::pair<std::uint64_t, unsigned> perturbation() const {
        return {perturb_seed_, perturb_one_in_};
    }

    bool debugs(const DebugFlag& f) const {
        return !debug_on_.empty() && debug_on_[f.index()] && now_ >= debug_from_ &&
               now_ < debug_to_;
    }
    /// Which flags are on (by index; none or all of them), when, and where the lines go.
    void set_debug(std::vector<std::uint8_t> on, Tick from, Tick to,
                   std::function<void(const std::string&)> sink);
    void debug(const DebugFlag& f, const std::string& path, const std::string& text) const;
    bool debugs_any() const { return !debug_on_.empty(); }

    /// Ticks with events, counted by each part: a tick in which two parts have events counts twice.
    std::uint64_t ticks_of_parts() const { return ticks_; }
    std::uint64_t events_executed() const { return events_; }
    std::uint64_t wakes() const { return wakes_; }

  private:
    template <bool watched>
    Stop run_ticks(Tick until);
    template <bool watched>
    void wake(Component& c);
    template <bool watched>
    void wake_touched();
    std::size_t order_touched();
    void begin_tick(Tick tick);
    void finish_tick(std::uint32_t before);
    Launches& launches_of_whole();

    EventQueue queue_;
    Tick now_ = 0;
    std::vector<Component*> touched_; ///< in use up to touched_count_
    std::size_t touched_count_ = 0;
    bool no_flag_ = false; ///< the flag of timers that need none
    std::atomic<bool> attention_ {false};
    bool exit_requested_ = false;
    std::string exit_cause_;
    Tick boundary_ = never;
    std::function<Tick(Tick)> boundary_act_;
    std::uint64_t seed_;
    std::uint64_t ticks_ = 0, events_ = 0, wakes_ = 0;
    std::uint64_t perturb_seed_ = 0;
    unsigned perturb_one_in_ = 0;
    Rng perturbation_;
    std::vector<Component*> perturbed_;
    std::vector<std::unique_ptr<Watcher>> watchers_;
    Stamps stamps_;
    Launches launches_;
    Contents own_contents_;
    Contents* contents_ = &own_contents_; ///< of a part: those of the whole
    std::vector<std::uint8_t> debug_on_;
    Tick debug_from_ = 0, debug_to_ = never;
    std::function<void(const std::string&)> debug_sink_;
    // Of a part:
    Simulation* whole_ = nullptr;
    std::function<void()> before_launches_;
    std::size_t woken_ = 0, to_wake_ = 0; ///< the rest of touched_ is to be woken in this tick
    std::uint32_t waking_ = 0;
    std::vector<std::uint64_t> work_; ///< wakes of each component
};

} // namespace memsim
