#include "core/observe/series.hh"

#include "core/kernel/registry.hh"

#include <algorithm>

namespace memsim {

namespace {

/// Whether a statistic's name matches this pattern, where '[*]' stands for every index and '*' for
/// any text.
bool matches(std::string_view pattern, std::string_view name) {
    if (pattern.starts_with("[*]")) {
        const std::size_t end = name.find(']');
        return name.starts_with('[') && end > 1 && end != name.npos &&
               matches(pattern.substr(3), name.substr(end + 1));
    }
    if (pattern.starts_with('*'))
        return matches(pattern.substr(1), name) ||
               (!name.empty() && matches(pattern, name.substr(1)));
    if (pattern.empty() || name.empty()) return pattern.empty() && name.empty();
    return pattern[0] == name[0] && matches(pattern.substr(1), name.substr(1));
}

std::string with_every_index(std::string name) {
    for (std::size_t at = name.find('['); at != name.npos; at = name.find('[', at + 1))
        name.replace(at + 1, name.find(']', at) - at - 1, "*");
    return name;
}

[[noreturn]] void refuse_pattern(const std::vector<std::unique_ptr<Object>>& objects,
                                 const std::string& pattern) {
    std::vector<std::string> known;
    const bool every = pattern.find("[*]") != pattern.npos;
    for (const auto& o : objects)
        for (const Object::StatRef& s : o->stats())
            for (const std::string& name : {o->path() + "." + s.name, o->path() + ".*"})
                known.push_back(every ? with_every_index(name) : name);
    throw ConfigError("no statistic is named '" + pattern + "'" + nearest(pattern, known) +
                      ": write its path, such as 'gpu.l2[0].hits', with [*] for every index or * "
                      "for any text");
}

} // namespace

void Series::select(const std::vector<std::unique_ptr<Object>>& objects, Time every,
                    const std::vector<std::string>& which) {
    if (every.raw <= 0) throw ConfigError("a series needs a period of at least 1fs");
    std::vector<Sampled> selected;
    for (const std::string& pattern : which) {
        const std::size_t before = selected.size();
        for (const auto& o : objects)
            for (const Object::StatRef& s : o->stats())
                if (matches(pattern, o->path() + "." + s.name)) selected.push_back({o.get(), &s});
        if (selected.size() == before) refuse_pattern(objects, pattern);
    }
    sampled_ = std::move(selected);
    patterns = which;
    period = every.raw;
}

void Series::begin(Tick since, Tick now) {
    growth = {};
    std::vector<SeriesRow> unused;
    read(since, now, unused);
}

std::string Series::sample(Tick since, Tick at) {
    growth.next_sample();
    next = at + period;
    return "series " + std::to_string(at) + "\n" + read(since, at, rows_);
}

/// Appends the values of all sampled statistics; returns the values that belong to the digest.
std::string Series::read(Tick since, Tick at, std::vector<SeriesRow>& rows) {
    struct Collect final : StatReader {
        SeriesRow row;
        std::vector<SeriesRow>* to = nullptr;
        std::string record;
        void integer(std::string_view part, Int128 v, Unit u) override {
            record.append(part).append("=").append(to_text(v)).append(";");
            add(part, static_cast<double>(v) * unit_scale(u), u);
        }
        void integer_until_now(std::string_view part, Int128 stored, Int128 v, Unit u) override {
            record.append(part).append("=").append(to_text(stored)).append(";");
            add(part, static_cast<double>(v) * unit_scale(u), u);
        }
        void derived(std::string_view part, double v, Unit u) override { add(part, v, u); }
        void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
        void add(std::string_view part, double v, Unit u) {
            row.part = part, row.value = v, row.unit = u;
            to->push_back(row);
        }
    } collect;
    collect.to = &rows;
    const Window window {std::max(since, at - period), at, &growth};
    for (const Sampled& s : sampled_) {
        collect.row = {at, s.object->path(), s.stat->name, "", 0, Unit::count};
        s.stat->read(*s.stat->stat, collect, window);
    }
    return collect.record;
}

} // namespace memsim
