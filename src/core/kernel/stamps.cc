#include "core/kernel/stamps.hh"

#include "core/observe/timeline.hh"

#include <algorithm>
#include <deque>

namespace memsim {

std::vector<Stage::Entry*>& Stage::all() {
    static std::vector<Entry*> sorted;
    return sorted;
}

Stage::Stage(const char* name) {
    static std::deque<Entry> owned; // entries keep their addresses
    auto& sorted = all();
    auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                               [](const Entry* e, const char* n) { return e->name < n; });
    if (at == sorted.end() || (*at)->name != name) {
        MEMSIM_ASSERT(sorted.size() < most, "there are more stages than a record has room for");
        at = sorted.insert(at, &owned.emplace_back(Entry {name}));
        for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i]->number = i;
    }
    entry_ = *at;
}

std::vector<Stage> Stage::known() {
    std::vector<Stage> found;
    for (const Entry* e : all()) found.push_back(Stage(e));
    return found;
}

Stage Stage::find(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Entry* e : all()) {
        if (e->name == name) return Stage(e);
        names.push_back(e->name);
    }
    throw ConfigError("'" + std::string(name) + "' is not one of " +
                      detail::list_words(names.data(), names.size()));
}

Stamps::Id Stamps::open_record(Tick now, std::uint64_t address) {
    return records_.create({seen_ - 1, address, now, now, {}});
}

void Stamps::mark_record(Id id, std::size_t stage, Tick now) {
    Record& r = records_[id];
    if (timeline_) show_stage(id, r, stage, now);
    r.spent[stage] += now - r.last;
    r.last = now;
}

void Stamps::close_record(Id id, std::size_t stage, Tick now) {
    mark_record(id, stage, now);
    count(id);
    records_.destroy(id);
}

void Stamps::reset() { stages_ = {}, lifetimes_ = {}, slowest_.clear(); }

void Stamps::count(Id id) {
    const Record& r = records_[id];
    for (std::size_t s = 0; s < Stage::most; ++s)
        if (r.spent[s] != 0) stages_[s].sample(static_cast<std::uint64_t>(r.spent[s]));
    lifetimes_.sample(static_cast<std::uint64_t>(r.life()));
    if (timeline_) timeline_->request(id.slot(), r.number, r.address, r.opened, r.last);
    if (slowest_.size() == most_slow && r.life() <= slowest_.back().life()) return;
    const auto place = std::find_if(slowest_.begin(), slowest_.end(),
                                    [&](const Record& slow) { return slow.life() < r.life(); });
    slowest_.insert(place, r);
    if (slowest_.size() > most_slow) slowest_.pop_back();
}

void Stamps::show_stage(Id id, const Record& r, std::size_t stage, Tick now) {
    timeline_->stage(id.slot(), Stage::known()[stage].name(), r.last, now);
}

} // namespace memsim
