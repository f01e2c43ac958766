#include "core/kernel/launches.hh"

#include "core/declare/object.hh"
#include "core/observe/timeline.hh"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace memsim {

namespace {

/// Replaces numeric indices by '*': 'gpu.l1[*]' for 'gpu.l1[3]'. Words as in 'commands[read]' stay.
std::string of_all_elements(const std::string& name) {
    std::string all;
    for (std::size_t i = 0; i < name.size(); ++i) {
        all += name[i];
        if (name[i] != '[' || i + 1 == name.size() || name[i + 1] < '0' || name[i + 1] > '9')
            continue;
        all += '*';
        i = name.find(']', i) - 1;
    }
    return all;
}

template <class S>
Uint128 count_of(const Stat& s, Tick) {
    return static_cast<const S&>(s).count();
}
template <class S>
Uint128 sum_of(const Stat& s, Tick) {
    return static_cast<const S&>(s).sum();
}
Uint128 value_of(const Stat& s, Tick) { return static_cast<const Counter&>(s).value(); }
Uint128 total_of(const Stat& s, Tick now) { return static_cast<const Elapsed&>(s).total(now); }

} // namespace

void Launches::watch(const std::vector<std::unique_ptr<Object>>& objects) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (const auto& o : objects)
        for (const Object::StatRef& s : o->stats()) {
            const std::string path = of_all_elements(o->path()), name = of_all_elements(s.name);
            const auto add = [&](const std::string& part, Unit unit,
                                 Uint128 (*read)(const Stat&, Tick)) {
                const auto number = static_cast<std::uint32_t>(totals_.size());
                const auto [total, fresh] = known.try_emplace(path + '\0' + name + part, number);
                if (fresh) totals_.push_back({path, name + part, o->path(), unit});
                sources_.push_back({s.stat, read, total->second});
            };
            if (s.kind == Counter::kind) add("", s.stat->unit(), &value_of);
            if (s.kind == Elapsed::kind) add("", s.stat->unit(), &total_of);
            if (s.kind == Average::kind) {
                add(".count", Unit::count, &count_of<Average>);
                add(".sum", s.stat->unit(), &sum_of<Average>);
            }
            if (s.kind == Distribution::kind) {
                add(".count", Unit::count, &count_of<Distribution>);
                add(".sum", s.stat->unit(), &sum_of<Distribution>);
            }
        }
}

std::vector<Uint128> Launches::read(Tick now) const {
    std::vector<Uint128> totals(totals_.size());
    for (const Source& s : sources_) totals[s.total] += s.read(*s.stat, now);
    return totals;
}

void Launches::begin(Launch launch) {
    const Tick now = launch.started;
    open_.push_back({std::move(launch), read(now)});
}

void Launches::end(std::uint32_t dispatcher, std::uint32_t application, std::uint32_t number,
                   Tick now, std::uint64_t instructions, std::uint64_t cycles) {
    const auto it = std::find_if(open_.begin(), open_.end(), [&](const Open& o) {
        return o.launch.dispatcher == dispatcher && o.launch.application == application &&
               o.launch.number == number;
    });
    MEMSIM_ASSERT(it != open_.end(), "a launch ends that has not begun");
    Row row {std::move(it->launch), {}};
    row.launch.ended = now;
    row.launch.instructions = instructions;
    row.launch.cycles = cycles;
    if (timeline_) timeline_->launch(row.launch);
    const std::vector<Uint128> totals = read(now);
    for (std::uint32_t t = 0; t < totals.size(); ++t)
        if (totals[t] != it->before[t]) row.counted.push_back({t, totals[t] - it->before[t]});
    ended_.push_back(std::move(row));
    open_.erase(it);
}

std::vector<Launches::Row> Launches::take_rows() { return std::exchange(ended_, {}); }

void Launches::before_reset(Tick now) {
    const std::vector<Uint128> totals = read(now);
    for (Open& o : open_)
        for (std::size_t t = 0; t < totals.size(); ++t) o.before[t] -= totals[t];
}

bool Launches::sound() const {
    return std::all_of(open_.begin(), open_.end(),
                       [&](const Open& o) { return o.before.size() == totals_.size(); }) &&
           std::all_of(ended_.begin(), ended_.end(), [&](const Row& r) {
               return std::all_of(r.counted.begin(), r.counted.end(),
                                  [&](const Counted& c) { return c.total < totals_.size(); });
           });
}

} // namespace memsim
