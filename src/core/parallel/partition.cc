#include "core/parallel/partition.hh"

#include "core/base/rng.hh"
#include "core/kernel/component.hh"
#include "core/kernel/notice.hh"

#include <algorithm>
#include <numeric>

namespace memsim {

namespace {

/// Disjoint sets of components, which are joined step by step.
class Joined {
  public:
    explicit Joined(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
    std::uint32_t find(std::uint32_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

  private:
    std::vector<std::uint32_t> parent_;
};

std::vector<std::uint32_t> positions_of(const std::vector<Component*>& components) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < components.size(); ++i) {
        if (components[i]->id() >= all.size()) all.resize(components[i]->id() + 1);
        all[components[i]->id()] = i;
    }
    return all;
}

/// Every latency of a link between two components, in ascending order, each once.
std::vector<Tick> latencies_of(const std::vector<Component*>& components) {
    std::vector<Tick> all;
    for (const Component* c : components)
        for (const auto& [name, port] : c->ports())
            for (const LinkBase* link : port->outgoing()) all.push_back(link->latency());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

ComponentWork work_of_sets(const Sets& sets, const ComponentWork& work) {
    ComponentWork all(sets.count);
    for (std::size_t i = 0; i < sets.set_of.size(); ++i) all[sets.set_of[i]] += work[i];
    return all;
}

/// Assigns sets to parts: the largest first, each to the part with the least work so far.
std::vector<std::uint32_t> assign(const ComponentWork& work, unsigned parts, ComponentWork& load) {
    std::vector<std::uint32_t> order(work.size()), part_of(work.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return work[a] > work[b]; });
    load.assign(parts, 0);
    for (const std::uint32_t set : order) {
        const auto least = std::min_element(load.begin(), load.end());
        part_of[set] = static_cast<std::uint32_t>(least - load.begin());
        *least += work[set] + 1; // sets without work are distributed, too
    }
    return part_of;
}

/// Gives each part sets that follow each other. Components that were built one after the other lie
/// side by side in memory, where threads that write to one cache line delay each other.
std::vector<std::uint32_t> assign_in_order(const ComponentWork& work, unsigned parts,
                                           ComponentWork& load) {
    load.assign(parts, 0);
    const std::uint64_t total =
        std::accumulate(work.begin(), work.end(), std::uint64_t {work.size()});
    std::vector<std::uint32_t> part_of;
    std::uint64_t before = 0;
    for (const std::uint64_t of_set : work) {
        const std::uint64_t middle = 2 * before + of_set + 1; // in halves
        part_of.push_back(static_cast<std::uint32_t>(middle * parts / (2 * total)));
        before += of_set + 1;
        load[part_of.back()] += of_set + 1;
    }
    return part_of;
}

/// The better of two assignments; one in order may have a part with 1/32 more work. Each set is a
/// part if there are not too many.
std::vector<std::uint32_t> assign_best(const ComponentWork& work, unsigned parts) {
    if (work.size() <= parts) {
        std::vector<std::uint32_t> each(work.size());
        std::iota(each.begin(), each.end(), 0u);
        return each;
    }
    ComponentWork load, load_in_order;
    auto best = assign(work, parts, load);
    auto in_order = assign_in_order(work, parts, load_in_order);
    const std::uint64_t most = *std::max_element(load.begin(), load.end());
    const std::uint64_t most_in_order =
        *std::max_element(load_in_order.begin(), load_in_order.end());
    return most_in_order <= most + most / 32 ? in_order : best;
}

/// Numbers the parts in use from 0; part 0 has the set that may end the run.
Partition make_partition(Sets sets, const std::vector<std::uint32_t>& part_of_set) {
    constexpr std::uint32_t none = ~0u;
    std::vector<std::uint32_t> number(*std::max_element(part_of_set.begin(), part_of_set.end()) + 1,
                                      none);
    Partition p;
    if (sets.ends_runs) number[part_of_set[*sets.ends_runs]] = p.parts++;
    for (const std::uint32_t part : part_of_set)
        if (number[part] == none) number[part] = p.parts++;
    for (const std::uint32_t set : sets.set_of) p.part_of.push_back(number[part_of_set[set]]);
    p.leads = sets.ends_runs.has_value();
    p.sets = std::move(sets);
    return p;
}

} // namespace

Tick least_notice(const std::vector<Component*>& components) {
    Tick least = never;
    for (const Component* c : components)
        if (dynamic_cast<const EndsRuns*>(c)) {
            const auto* gives = dynamic_cast<const GivesNotice*>(c);
            least = std::min(least, gives ? gives->notice().raw : 0);
        }
    return least;
}

Sets sets_of(const std::vector<Component*>& components, Tick window) {
    const std::vector<std::uint32_t> position = positions_of(components);
    const bool leads = least_notice(components) < window;
    Joined joined(components.size());
    std::optional<std::uint32_t> ends, records;
    for (std::uint32_t i = 0; i < components.size(); ++i) {
        const auto join_first = [&](std::optional<std::uint32_t>& first) {
            if (first) joined.join(*first, i);
            first = i;
        };
        if (leads && dynamic_cast<const EndsRuns*>(components[i])) join_first(ends);
        for (const auto& [name, port] : components[i]->ports()) {
            if (port->names_records()) join_first(records);
            const std::uint32_t neighbour = position[port->peer()->owner().id()];
            if (port->calls_neighbour()) joined.join(i, neighbour);
            for (const LinkBase* link : port->outgoing())
                if (link->latency() < window) joined.join(i, neighbour);
        }
    }
    Sets sets {window, std::vector<std::uint32_t>(components.size()), 0, {}};
    std::vector<std::uint32_t> number(components.size(), ~0u);
    for (std::uint32_t i = 0; i < components.size(); ++i) {
        std::uint32_t& n = number[joined.find(i)];
        if (n == ~0u) n = sets.count++;
        sets.set_of[i] = n;
    }
    if (ends) sets.ends_runs = sets.set_of[*ends];
    return sets;
}

namespace {

/// Wakes of a machine in a femtosecond.
double rate_of(const MeasuredWork& work) {
    const auto wakes = std::accumulate(work.wakes.begin(), work.wakes.end(), std::uint64_t {1});
    return static_cast<double>(wakes) / static_cast<double>(std::max<Tick>(work.time, 1));
}

/// The ends of all windows, as a share of a serial run's time.
double cost_of_ends(const Sets& sets, const MeasuredWork& work) {
    const double windows = sets.ends_runs ? 2 : 1; // in the time of one
    return windows * wakes_of_an_end / (rate_of(work) * static_cast<double>(sets.window));
}

} // namespace

double most_speed_up(const Sets& sets, const ComponentWork& work, unsigned threads) {
    ComponentWork load;
    assign(work_of_sets(sets, work), threads, load);
    const auto sum =
        static_cast<double>(std::accumulate(load.begin(), load.end(), std::uint64_t {}));
    const auto most = static_cast<double>(*std::max_element(load.begin(), load.end()));
    return most > 0 ? sum / most : 1;
}

std::optional<Choice> choose(const std::vector<Component*>& components, const MeasuredWork& work,
                             unsigned threads, unsigned parts) {
    std::optional<Sets> chosen;
    double least = 0;
    for (const Tick window : latencies_of(components)) { // a longer window joins more components
        Sets sets = sets_of(components, window);
        if (sets.count < 2) break;
        const double cost = 1 / most_speed_up(sets, work.wakes, threads) + cost_of_ends(sets, work);
        if (chosen && cost >= least) continue;
        chosen = std::move(sets), least = cost;
    }
    if (!chosen) return {};
    const auto part_of = assign_best(work_of_sets(*chosen, work.wakes), parts);
    return Choice {make_partition(std::move(*chosen), part_of), least};
}

std::optional<Partition> divide_at_longest(const std::vector<Component*>& components) {
    std::optional<Sets> longest;
    for (const Tick window : latencies_of(components)) {
        Sets sets = sets_of(components, window);
        if (sets.count < 2) break;
        longest = std::move(sets);
    }
    if (!longest) return {};
    ComponentWork load;
    const auto part_of = assign(ComponentWork(longest->count, 1), 2, load);
    return make_partition(std::move(*longest), part_of);
}

std::optional<Partition> divide_at_random(const std::vector<Component*>& components,
                                          std::uint64_t seed) {
    Rng rng(seed, "partition");
    std::vector<Sets> possible;
    for (const Tick window : latencies_of(components)) {
        possible.push_back(sets_of(components, window));
        if (possible.back().count < 2) possible.pop_back();
    }
    if (possible.empty()) return {};
    Sets sets = possible[rng.below(possible.size())];
    const std::uint64_t parts = 2 + rng.below(std::min<std::uint64_t>(7, sets.count - 1));
    std::vector<std::uint32_t> part_of(sets.count);
    for (std::uint32_t& part : part_of) part = static_cast<std::uint32_t>(rng.below(parts));
    part_of.front() = 0, part_of.back() = 1;
    return make_partition(std::move(sets), part_of);
}

} // namespace memsim
