#include "core/timeline.hh"

#include "core/machine.hh"

namespace memsim {

namespace {
enum Process : unsigned { requests = 1, launches = 2, activity = 3 };

constexpr Tick nanosecond = 1'000'000;

/// In microseconds, as the format has it, with three decimals: readers count whole nanoseconds.
std::string microseconds(Tick ns) {
    const std::string rest = std::to_string(ns % 1000);
    return std::to_string(ns / 1000) + '.' + std::string(3 - rest.size(), '0') + rest;
}

std::string process_name(unsigned process, const char* name) {
    return "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(process) +
           ",\"args\":{\"name\":\"" + name + "\"}}";
}
} // namespace

Timeline::Timeline(const std::string& file, std::vector<std::string> paths)
    : file_(file), paths_(std::move(paths)), wakes_(paths_.size()), before_(paths_.size()) {
    file_.append(process_name(requests, "stamped requests"));
    file_.append(process_name(launches, "kernel launches"));
    file_.append(process_name(activity, "wakes in a microsecond"));
    file_.flush();
}

void Timeline::complete() {
    show_window();
    file_.flush();
}

void Timeline::stage(std::uint32_t slot, std::string_view name, Tick from, Tick to) {
    if (from == to) return;
    if (slot >= stages_.size()) stages_.resize(slot + 1);
    stages_[slot].push_back({name, from, to});
}

void Timeline::request(std::uint32_t slot, std::uint64_t number, std::uint64_t address, Tick from,
                       Tick to) {
    slice(requests, slot, "request " + std::to_string(number), from, to,
          "\"address\":" + std::to_string(address));
    if (slot >= stages_.size()) return;
    for (const Stage& s : stages_[slot]) slice(requests, slot, s.name, s.from, s.to, "");
    stages_[slot].clear();
}

void Timeline::launch(const Launch& l) {
    // A track for each stream of each of at most 64 applications: launches on it do not overlap.
    slice(launches, l.application + 64 * l.stream, l.kernel, l.started, l.ended,
          "\"launch\":" + std::to_string(l.number) + ",\"instructions\":" +
              std::to_string(l.instructions) + ",\"cycles\":" + std::to_string(l.cycles));
}

void Timeline::after(const Component& c) {
    if (c.now() - window_ >= window) {
        show_window();
        before_.swap(wakes_);
        std::fill(wakes_.begin(), wakes_.end(), 0);
        window_ = c.now() - c.now() % window;
    }
    ++wakes_[c.id()];
}

/// A component's counter is written when it changes.
void Timeline::show_window() {
    for (std::size_t i = 0; i < paths_.size(); ++i)
        if (wakes_[i] != before_[i]) counter(i, window_, wakes_[i]);
}

/// Both ends are rounded down, so that a slice within another stays within it.
void Timeline::slice(unsigned process, std::uint32_t track, std::string_view name, Tick from,
                     Tick to, const std::string& arguments) {
    file_.append("{\"ph\":\"X\",\"pid\":" + std::to_string(process) +
                 ",\"tid\":" + std::to_string(track) + ",\"name\":\"" + std::string(name) +
                 "\",\"ts\":" + microseconds(from / nanosecond) +
                 ",\"dur\":" + microseconds(to / nanosecond - from / nanosecond) + ",\"args\":{" +
                 arguments + "}}");
}

void Timeline::counter(std::size_t component, Tick at, std::uint32_t wakes) {
    file_.append("{\"ph\":\"C\",\"pid\":" + std::to_string(activity) + ",\"name\":\"" +
                 paths_[component] + "\",\"ts\":" + microseconds(at / nanosecond) +
                 ",\"args\":{\"wakes\":" + std::to_string(wakes) + "}}");
}

Timeline& show_on_timeline(Machine& machine, const std::string& file) {
    std::vector<std::string> paths;
    for (const auto& o : machine.objects()) paths.push_back(o->path());
    auto timeline = std::make_unique<Timeline>(file, std::move(paths));
    machine.sim().stamps().show_on(timeline.get());
    machine.sim().launches().show_on(timeline.get());
    Timeline& made = *timeline;
    machine.sim().watch(std::move(timeline));
    return made;
}

} // namespace memsim
