#include "core/kernel/simulation.hh"

#include "core/kernel/component.hh"

#include <algorithm>

namespace memsim {

Simulation::Simulation(std::uint64_t seed, QueueKind kind) : queue_(kind), seed_(seed) {}
Simulation::Simulation(Simulation& whole, std::function<void()> launches)
    : queue_(whole.queue_.kind()), seed_(whole.seed_), contents_(whole.contents_), whole_(&whole),
      before_launches_(std::move(launches)) {
    touched_.resize(whole.touched_.size());
}
Simulation::~Simulation() = default;

void Simulation::expect(std::size_t components) { touched_.resize(components + 1); }

void Simulation::watch(std::unique_ptr<Watcher> watcher) {
    watchers_.push_back(std::move(watcher));
}

void Simulation::request_exit(std::string cause) {
    MEMSIM_ASSERT(!whole_ || before_launches_, "a component that ends a run must be an EndsRuns");
    if (!exit_requested_) exit_cause_ = std::move(cause);
    exit_requested_ = true;
}

void Simulation::at_boundary(Tick at, std::function<Tick(Tick)> act) {
    boundary_ = at;
    boundary_act_ = std::move(act);
}

void Simulation::perturb(std::uint64_t seed, unsigned one_in,
                         const std::vector<Component*>& components) {
    perturbation_ = Rng(seed, "perturbation");
    perturb_seed_ = seed;
    perturb_one_in_ = one_in;
    perturbed_ = components;
}

void Simulation::set_debug(std::vector<std::uint8_t> on, Tick from, Tick to,
                           std::function<void(const std::string&)> sink) {
    debug_on_ = std::move(on), debug_from_ = from, debug_to_ = to, debug_sink_ = std::move(sink);
}

void Simulation::debug(const DebugFlag& f, const std::string& path, const std::string& text) const {
    debug_sink_(nanoseconds(now_) + ": " + path + ": " + f.name() + ": " + text + "\n");
}

template <bool watched>
inline void Simulation::wake(Component& c) {
    ++wakes_;
    c.touched_ = false;
    if constexpr (watched)
        for (const auto& w : watchers_) w->before(c);
    c.wake();
    if constexpr (watched)
        for (const auto& w : watchers_) w->after(c);
}

Stop Simulation::run(Tick until) {
    return watchers_.empty() ? run_ticks<false>(until) : run_ticks<true>(until);
}

template <bool watched>
Stop Simulation::run_ticks(Tick until) {
    exit_requested_ = false;
    exit_cause_.clear();
    for (;;) {
        if (attention_.load(std::memory_order_relaxed)) [[unlikely]] {
            attention_.store(false, std::memory_order_relaxed);
            return Stop::attention;
        }
        const Tick tick = queue_.next_tick();
        if (tick >= until || tick >= boundary_) [[unlikely]] {
            if (tick == never) return Stop::idle; // nothing is left to sample, and now() stays
            while (boundary_ <= std::min(tick, until)) pass_boundary();
            if (tick >= until) {
                set_now(until);
                return Stop::limit;
            }
        }
        now_ = tick;
        queue_.set_floor(tick);
        do {
            if (void* const component = queue_.run_next()) [[likely]]
                touch(*static_cast<Component*>(component));
            ++events_;
        } while (queue_.more_at(tick));
        ++ticks_;
        if (perturb_one_in_ && perturbation_.below(perturb_one_in_) == 0)
            touch(*perturbed_[perturbation_.below(perturbed_.size())]);
        if (touched_count_ == 1) {
            touched_count_ = 0;
            wake<watched>(*touched_.front());
        } else
            wake_touched<watched>();
        if (exit_requested_) [[unlikely]]
            return Stop::exit;
    }
}

/// Sorts the touched components by their numbers. Returns how many there are; none is touched then.
inline std::size_t Simulation::order_touched() {
    const auto before = [](const Component* a, const Component* b) { return a->id() < b->id(); };
    Component** const all = touched_.data();
    const std::size_t n = std::exchange(touched_count_, 0);
    if (n == 2) { // the most frequent case, without a branch that is often mispredicted
        Component* const both[2] = {all[0], all[1]};
        const bool other = before(both[1], both[0]);
        all[0] = both[other], all[1] = both[!other];
    } else if (n > 16)
        std::sort(all, all + n, before);
    else
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = i; j > 0 && before(all[j], all[j - 1]); --j)
                std::swap(all[j], all[j - 1]);
    return n;
}

template <bool watched>
void Simulation::wake_touched() {
    const std::size_t n = order_touched();
    for (std::size_t i = 0; i < n; ++i) wake<watched>(*touched_[i]);
}

// ---- parts -------------------------------------------------------------------------------------

void Simulation::clear_queue() {
    const QueueKind kind = queue_.kind();
    std::destroy_at(&queue_);
    std::construct_at(&queue_, kind);
    set_now(now_);
}

void Simulation::join(const Simulation& whole) {
    set_now(whole.now_);
    exit_requested_ = false;
    for (std::size_t i = 0; i < touched_count_; ++i) touched_[i]->touched_ = false;
    for (; woken_ < to_wake_; ++woken_) touched_[woken_]->touched_ = false;
    touched_count_ = woken_ = to_wake_ = 0; // an error may have interrupted a tick
}

/// The beginning of a tick as in run_ticks(), which repeats these lines so that the loop of a run
/// without parts contains no call.
void Simulation::begin_tick(Tick tick) {
    now_ = tick;
    queue_.set_floor(tick);
    do {
        if (void* const component = queue_.run_next()) [[likely]]
            touch(*static_cast<Component*>(component));
        ++events_;
    } while (queue_.more_at(tick));
    ++ticks_;
    if (perturb_one_in_ && perturbation_.below(perturb_one_in_) == 0)
        touch(*perturbed_[perturbation_.below(perturbed_.size())]);
    woken_ = 0;
    to_wake_ = order_touched();
}

void Simulation::finish_tick(std::uint32_t before) {
    while (woken_ != to_wake_ && touched_[woken_]->id() < before) {
        Component& c = *touched_[woken_++];
        waking_ = c.id();
        if (waking_ >= work_.size()) work_.resize(waking_ + 1);
        ++work_[waking_];
        wake<false>(c);
    }
}

void Simulation::run_window(Tick until) {
    finish_tick(~0u);
    while (!exit_requested_) {
        const Tick tick = queue_.next_tick();
        if (tick >= until) return;
        begin_tick(tick);
        finish_tick(~0u);
    }
}

void Simulation::run_to(Tick tick, std::uint32_t component) {
    if (woken_ == to_wake_ || now_ < tick) {
        run_window(tick);
        if (queue_.next_tick() != tick) return;
        begin_tick(tick);
    }
    finish_tick(component);
}

void Simulation::take_work(std::vector<std::uint64_t>& sum) {
    if (sum.size() < work_.size()) sum.resize(work_.size());
    for (std::size_t i = 0; i < work_.size(); ++i) sum[i] += work_[i];
    std::fill(work_.begin(), work_.end(), 0);
}

Launches& Simulation::launches_of_whole() {
    MEMSIM_ASSERT(before_launches_, "a component that counts launches must be an EndsRuns");
    before_launches_();
    return whole_->launches_;
}

void Simulation::take_over(Simulation& part) {
    now_ = std::max(now_, part.now_);
    ticks_ += std::exchange(part.ticks_, 0);
    events_ += std::exchange(part.events_, 0);
    wakes_ += std::exchange(part.wakes_, 0);
    if (part.exit_requested_) exit_requested_ = true, exit_cause_ = part.exit_cause_;
}

} // namespace memsim
