#include "core/parallel/by_hand.hh"

#include "core/base/error.hh"
#include "core/kernel/component.hh"

#include <algorithm>
#include <unordered_map>

namespace memsim {

namespace {

/// Signals are seen between windows, which end even if no link connects the partitions.
constexpr Tick longest_window = 1'000'000'000'000; // 1 ms

bool contains(const std::string& path, const std::string& of) {
    return of == path || (of.starts_with(path) && of[path.size()] == '.');
}

[[noreturn]] void refuse(const std::string& sentence) {
    throw ConfigError("partitions: " + sentence);
}

[[noreturn]] void refuse_pair(const Component& a, const Component& b, const std::string& why) {
    refuse(a.path() + " and " + b.path() + " " + why + ": put both into one partition");
}

/// The components of a machine with the partition of each.
class Division {
  public:
    Division(const std::vector<Component*>& components, const std::vector<std::uint32_t>& part_of)
        : components_(components) {
        for (std::size_t i = 0; i < components.size(); ++i) part_of_[components[i]] = part_of[i];
    }

    /// The least latency of a link between two partitions. Refuses connections that cannot be cut.
    Tick least_cut() const {
        Tick least = never;
        const Component* first = nullptr; // that names records
        for (const Component* c : components_)
            for (const auto& [name, port] : c->ports()) {
                const Component& other = port->peer()->owner();
                if (port->names_records() && !first) first = c;
                if (port->names_records() && part_of(*first) != part_of(*c))
                    refuse_pair(*first, *c,
                                "send CXL flits, which refer to one store of bytes in all links");
                if (part_of(*c) == part_of(other)) continue;
                if (port->calls_neighbour()) refuse_pair(*c, other, "call each other directly");
                for (const LinkBase* link : port->outgoing()) {
                    if (link->latency() <= 1)
                        refuse_pair(*c, other, "have a link without latency (" + name + ")");
                    least = std::min(least, link->latency());
                }
            }
        return least;
    }
    /// Whether all EndsRuns are in one partition, whose number is stored in `part`. Refuses
    /// EndsRuns in several partitions if they give no notice.
    bool one_ends(std::uint32_t& part) const {
        const Component* first = nullptr;
        for (const Component* c : components_) {
            if (!dynamic_cast<const EndsRuns*>(c)) continue;
            if (!first) first = c;
            if (part_of(*c) == part_of(*first)) continue;
            if (least_notice(components_) <= 1)
                refuse_pair(*first, *c,
                            "count launches without notice (sm.report_latency and the program's "
                            "launch_latency give it, limits of instructions prevent it)");
            return false;
        }
        if (first) part = part_of(*first);
        return true;
    }

  private:
    std::uint32_t part_of(const Component& c) const { return part_of_.at(&c); }

    const std::vector<Component*>& components_;
    std::unordered_map<const Component*, std::uint32_t> part_of_;
};

} // namespace

std::vector<std::uint32_t> parts_of(const std::vector<Component*>& components,
                                    const std::vector<std::vector<std::string>>& groups) {
    constexpr std::uint32_t none = ~0u;
    std::vector<std::uint32_t> part_of(components.size(), none);
    for (std::uint32_t g = 0; g < groups.size(); ++g)
        for (const std::string& path : groups[g]) {
            bool found = false;
            for (std::size_t i = 0; i < components.size(); ++i) {
                if (!contains(path, components[i]->path())) continue;
                if (part_of[i] != none && part_of[i] != g)
                    refuse(components[i]->path() + " is in two of them, " +
                           std::to_string(part_of[i]) + " and " + std::to_string(g) +
                           ": name each object once");
                part_of[i] = g, found = true;
            }
            if (!found)
                refuse(path + " has no component: name a component or a System that has some");
        }
    for (std::uint32_t& part : part_of)
        if (part == none) part = static_cast<std::uint32_t>(groups.size());
    return part_of;
}

Partition divide_as(const std::vector<Component*>& components,
                    const std::vector<std::uint32_t>& part_of) {
    const Division division(components, part_of);
    const Tick notice = least_notice(components);
    if (std::ranges::all_of(part_of, [&](auto part) { return part == part_of[0]; }))
        refuse("all components are in one: name a group that leaves some out, or a second one");
    Tick window = std::min(division.least_cut(), longest_window);
    std::uint32_t leader = 0;
    const bool leads = division.one_ends(leader) && notice < window;
    if (!leads) window = std::min(window, notice);

    Partition p;
    p.sets = sets_of(components, window);
    p.leads = leads;
    constexpr std::uint32_t none = ~0u;
    std::vector<std::uint32_t> number(*std::max_element(part_of.begin(), part_of.end()) + 1, none);
    if (leads) number[leader] = p.parts++;
    for (const std::uint32_t part : part_of) {
        if (number[part] == none) number[part] = p.parts++;
        p.part_of.push_back(number[part]);
    }
    return p;
}

} // namespace memsim
