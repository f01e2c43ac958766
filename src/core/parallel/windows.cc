#include "core/parallel/windows.hh"

#include <algorithm>
#include <chrono>
#include <utility>

namespace memsim {

double host_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

namespace {

Tick later(Tick tick, Tick by) { return tick > never - by ? never : tick + by; }

/// Schedules a copy of an event that is pending in another queue.
void schedule_copy(EventQueue& queue, const PendingEvent& e) {
    struct Payload {
        alignas(8) unsigned char bytes[EventQueue::max_payload];
    };
    queue.schedule(e.tick, e.fire, e.object, *static_cast<const Payload*>(e.payload));
}

} // namespace

/// A partition. What one thread writes is not in a cache line of another thread.
struct alignas(64) Windows::Part {
    Part(Simulation& whole, std::function<void()> launches) : sim(whole, std::move(launches)) {}
    Simulation sim;
    LinkBase::Used used;
    std::exception_ptr error;
    std::vector<Component*> components;
    std::atomic<unsigned> taken {0}; ///< in the present window, by the thread before this number
    std::uint64_t wakes = 0;         ///< before the present window
    std::uint64_t worked = 0;        ///< wakes of this run()
};

Windows::Windows(Simulation& whole, const std::vector<Component*>& components, Partition partition,
                 const Options& options)
    : whole_(whole), components_(components), partition_(std::move(partition)), options_(options) {
    options_.threads = std::min(options_.threads, partition_.parts);
    wakes_of_thread_.resize(options_.threads);
    for (std::uint32_t p = partition_.leads; p < partition_.parts; ++p) order_.push_back(p);
    counts_.work.resize(components.size());
    for (unsigned p = 0; p < partition_.parts; ++p) {
        std::function<void()> launches;
        if (!partition_.leads) launches = [this] { check_notice(); };
        if (partition_.leads && p == 0) launches = [this] { gather(); };
        parts_.emplace_back(whole, std::move(launches));
    }
    for (const Component* c : components)
        if (const auto* gives = dynamic_cast<const GivesNotice*>(c); gives && !partition_.leads)
            announced_.emplace_back(c, gives);
    for (std::size_t i = 0; i < components.size(); ++i) {
        Component* const c = components[i];
        if (c->id() >= part_of_id_.size()) part_of_id_.resize(c->id() + 1);
        part_of_id_[c->id()] = partition_.part_of[i];
        parts_[partition_.part_of[i]].components.push_back(c);
    }
    for (Component* const c : components)
        for (const auto& [name, port] : c->ports())
            for (LinkBase* link : port->incoming()) {
                const std::uint32_t to = part_of_id_[c->id()];
                const std::uint32_t from = part_of_id_[link->sender()->id()];
                if (from == to)
                    inside_.emplace_back(link, to);
                else
                    cut_.push_back({link, from, to});
            }
    const auto [seed, one_in] = whole.perturbation();
    for (std::uint32_t p = 0; one_in && p < parts_.size(); ++p)
        parts_[p].sim.perturb(seed + p, one_in, parts_[p].components);
}

Windows::~Windows() = default;

// ---- division ----------------------------------------------------------------------------------

void Windows::divide() {
    for (Part& p : parts_) p.sim.join(whole_), p.wakes = p.sim.wakes_of_part();
    for (const PendingEvent& e : whole_.queue().pending()) {
        const std::uint32_t id = static_cast<const Component*>(e.object)->id();
        schedule_copy(parts_[part_of_id_[id]].sim.queue(), e);
    }
    for (Part& p : parts_)
        for (Component* c : p.components) c->move_to(p.sim);
    for (const auto& [link, part] : inside_) link->move_to(parts_[part].sim);
    for (const Cut& c : cut_) {
        Part &from = parts_[c.sender], &to = parts_[c.receiver];
        c.link->divide(from.sim, from.used, to.sim, to.used);
    }
    for (const Component* c : components_)
        for (const auto& [name, port] : c->ports()) port->use_sending_sides();
    whole_.clear_queue();
}

void Windows::join() {
    deliver();
    for (Part& p : parts_) whole_.take_over(p.sim);
    for (Part& p : parts_)
        for (const PendingEvent& e : p.sim.queue().pending()) schedule_copy(whole_.queue(), e);
    for (Component* c : components_) c->move_to(whole_);
    for (const auto& [link, part] : inside_) link->move_to(whole_);
    for (const Cut& c : cut_) c.link->rejoin(whole_);
    for (const Component* c : components_)
        for (const auto& [name, port] : c->ports()) port->use_sending_sides();
    for (Part& p : parts_) p.sim.clear_queue(), p.used = {};
    whole_.set_now(whole_.now());
    ComponentWork work(part_of_id_.size());
    for (Part& p : parts_) p.sim.take_work(work);
    for (std::size_t i = 0; i < components_.size(); ++i)
        counts_.work[i] += work[components_[i]->id()];
}

void Windows::deliver() {
    for (Part& p : parts_) {
        for (LinkBase* link : p.used.sent) link->deliver();
        for (LinkBase* link : p.used.popped) link->deliver();
        p.used.sent.clear(), p.used.popped.clear();
    }
}

// ---- windows -----------------------------------------------------------------------------------

std::optional<Stop> Windows::run(Tick until, std::uint64_t most, std::uint64_t most_wakes) {
    whole_.begin_parts();
    const double began = host_seconds();
    order_parts();
    divide();
    attend_at_ = began + 100 * (host_seconds() - began);
    crew_ = std::make_unique<Crew>(options_.threads - 1,
                                   [this](unsigned thread) { run_parts_of(thread); });
    std::optional<Stop> stop;
    std::exception_ptr error;
    try {
        stop = run_windows(until, most, most_wakes);
    } catch (...) {
        error = std::current_exception();
    }
    crew_.reset();
    join();
    if (stop == Stop::limit) whole_.set_now(until);
    if (error) std::rethrow_exception(error);
    return stop;
}

Tick Windows::next_of_others() {
    Tick next = never;
    for (std::size_t p = partition_.leads; p < parts_.size(); ++p)
        next = std::min(next, parts_[p].sim.next_work());
    return next;
}

std::optional<Stop> Windows::run_windows(Tick until, std::uint64_t most, std::uint64_t most_wakes) {
    const Tick w = partition_.sets.window;
    led_ = partition_.leads ? 0 : never;
    together_ = false;
    for (std::uint64_t done = 0;; ++done) {
        deliver();
        const Tick lead = partition_.leads ? parts_[0].sim.next_work() : never;
        const Tick others = next_of_others();
        const bool attention = whole_.attention().load(std::memory_order_relaxed) &&
                               whole_.attention().exchange(false, std::memory_order_relaxed) &&
                               (options_.fewest == 0 || host_seconds() >= attend_at_);
        if (attention || done == most || counts_.wakes >= most_wakes) {
            if (partition_.leads) catch_up(led_);
            return attention ? std::optional(Stop::attention) : std::nullopt;
        }
        const Tick cap = std::min(until, whole_.boundary());
        if (const Tick next = std::min(lead, others); next >= cap) {
            if (const auto stop = pass(next, until)) return stop;
            continue;
        }
        if (!partition_.leads) {
            const Tick quiet = quiet_until(others);
            if (quiet > others)
                execute(never, std::min({cap, quiet, later(others, w)}));
            else if (execute_together(others))
                return Stop::exit;
            continue;
        }
        // See Leading in the header. A window of the others is w / 2 long, so that the leading
        // partition runs at the same time as they do.
        const Tick reached = led_;
        led_ = std::max(led_, std::min(cap, later(std::min(lead, others), w)));
        execute(led_, std::min(reached, later(others, w - w / 2)));
        if (parts_[0].sim.exit_requested()) {
            catch_up(parts_[0].sim.now() + 1);
            return Stop::exit;
        }
    }
}

/// No partition has work before the end of the stretch or before a boundary.
std::optional<Stop> Windows::pass(Tick next, Tick until) {
    if (next == never) return Stop::idle;
    while (whole_.boundary() <= std::min(next, until)) {
        for (Part& p : parts_) p.sim.set_now(whole_.boundary());
        whole_.pass_boundary();
    }
    return next >= until ? std::optional(Stop::limit) : std::nullopt;
}

/// Executes one window: the ticks before `lead` in the leading partition, those before `others` in
/// the others.
void Windows::execute(Tick lead, Tick others) {
    constexpr unsigned period = 64; // its last two windows are for comparison
    const bool work_for_crew = options_.threads > 1 && beside_ >= options_.fewest &&
                               (beside_ >= least_gain * wakes_ || options_.fewest == 0);
    const bool compared = work_for_crew && options_.fewest > 0;
    const unsigned turn = compared ? turn_++ % period : 0;
    crew_works_ = work_for_crew && turn < period - 2;
    const bool timed = compared && turn != period - 2; // the first one moves data between caches
    const double began = timed ? options_.clock() : 0;

    limit_ = others, followed_ = false;
    if (crew_works_) {
        for (const std::uint32_t p : order_) parts_[p].taken.store(0, std::memory_order_relaxed);
        crew_->begin();
    }
    if (partition_.leads) {
        parts_[0].taken.store(1, std::memory_order_relaxed);
        run_part(0, lead);
    }
    follow();
    rethrow();
    const std::uint64_t wakes = count_wakes();
    ++counts_.windows, counts_.of_crew += crew_works_;
    if (timed) {
        TimedWakes& of = crew_works_ ? counts_.crew : counts_.alone;
        of.wakes += wakes, of.seconds += options_.clock() - began;
    }
    if (partition_.leads) return;
    for (const Part& p : parts_)
        if (p.sim.exit_requested()) check_notice();
}

void Windows::halve_times() {
    for (TimedWakes* of : {&counts_.crew, &counts_.alone}) of->wakes /= 2, of->seconds /= 2;
}

/// Counts the wakes of all partitions since the last call. Returns their sum.
std::uint64_t Windows::count_wakes() {
    std::uint64_t most = 0, sum = 0;
    std::fill(wakes_of_thread_.begin(), wakes_of_thread_.end(), 0);
    for (Part& p : parts_) {
        const std::uint64_t wakes = p.sim.wakes_of_part() - p.wakes;
        if (wakes == 0) continue;
        p.wakes += wakes, p.worked += wakes;
        sum += wakes;
        most = std::max(most, wakes);
        if (crew_works_) wakes_of_thread_[p.taken.load(std::memory_order_relaxed) - 1] += wakes;
    }
    counts_.wakes += sum;
    counts_.longest += crew_works_ ? *std::ranges::max_element(wakes_of_thread_) : sum;
    const std::uint64_t alone = std::max(most, sum / options_.threads);
    wakes_ += (static_cast<double>(sum) - wakes_) / 4;
    beside_ += (static_cast<double>(sum - alone) - beside_) / 4;
    return sum;
}

// ---- notice ------------------------------------------------------------------------------------

/// See GivesNotice::quiet_until().
Tick Windows::quiet_until(Tick next) const {
    Tick quiet = never;
    for (const auto& [component, gives] : announced_)
        quiet = std::min(quiet, gives->quiet_until(next));
    return quiet;
}

void Windows::check_notice() const {
    MEMSIM_ASSERT(together_, "a component that ends runs or counts launches acted without notice");
}

/// Executes one tick, before which no partition has another one. Each component that may act is
/// woken when all components before it have been, as in a serial run. Returns whether the run is to
/// end.
bool Windows::execute_together(Tick tick) {
    together_ = true, crew_works_ = false;
    Simulation* ends = nullptr; // the first one that requests it, which has the cause
    for (const auto& [component, notice] : announced_) {
        for (Part& p : parts_) p.sim.run_to(tick, component->id());
        Simulation& sim = parts_[part_of_id_[component->id()]].sim;
        sim.run_to(tick, component->id() + 1);
        if (!ends && sim.exit_requested()) ends = &sim;
        if (&sim != ends) sim.begin_parts();
    }
    for (Part& p : parts_) p.sim.run_to(tick, ~0u);
    together_ = false;
    count_wakes();
    return ends != nullptr;
}

// ---- partitions --------------------------------------------------------------------------------

/// The partitions with most work in the last run() come first.
void Windows::order_parts() {
    std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) {
        return parts_[a].worked > parts_[b].worked;
    });
    for (Part& p : parts_) p.worked = 0;
}

/// All partitions but a leading one execute the present window, once.
void Windows::follow() {
    if (std::exchange(followed_, true)) return;
    if (crew_works_) {
        run_parts_of(0);
        crew_->end();
    } else
        for (const std::uint32_t p : order_) run_part(p, limit_);
}

/// A thread begins with partitions of its own, which are mostly the same in each window, so that
/// their components are in its core's caches. Then it takes those that other threads have not
/// begun, which are their last ones.
void Windows::run_parts_of(unsigned thread) {
    const std::size_t n = order_.size();
    for (std::size_t i = thread; i < n; i += options_.threads) take(order_[i], thread);
    for (std::size_t i = n; i-- > 0;) take(order_[i], thread);
}

/// Executes a partition in the present window unless a thread has taken it.
void Windows::take(std::uint32_t number, unsigned thread) {
    std::atomic<unsigned>& taken = parts_[number].taken;
    unsigned free = 0;
    if (taken.load(std::memory_order_relaxed) == 0 &&
        taken.compare_exchange_strong(free, thread + 1, std::memory_order_relaxed))
        run_part(number, limit_);
}

void Windows::run_part(std::uint32_t number, Tick until) {
    try {
        parts_[number].sim.run_window(until);
    } catch (...) {
        parts_[number].error = std::current_exception();
    }
}

/// Of several errors, the first one in simulated time.
void Windows::rethrow() {
    const Part* first = nullptr;
    for (const Part& p : parts_)
        if (p.error && (!first || p.sim.now() < first->sim.now())) first = &p;
    if (first) std::rethrow_exception(first->error);
}

/// Called by the leading partition in the wake of a component that is about to read statistics of
/// all components. Afterwards all partitions are in the state in which a serial run reads them.
void Windows::gather() {
    follow();
    rethrow();
    deliver();
    const Simulation& lead = parts_[0].sim;
    for (std::size_t p = 1; p < parts_.size(); ++p) parts_[p].sim.run_to(lead.now(), lead.waking());
}

/// The other partitions execute all ticks before `tick`, as the leading one did.
void Windows::catch_up(Tick tick) {
    deliver();
    for (std::size_t p = 1; p < parts_.size(); ++p) parts_[p].sim.run_window(tick);
}

} // namespace memsim
