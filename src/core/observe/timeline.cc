#include "core/observe/timeline.hh"

#include "core/machine/machine.hh"

namespace memsim {

namespace {
enum Process : unsigned { requests = 1, launches = 2, activity = 3 };

constexpr Tick nanosecond = 1'000'000;

/// In microseconds, as the format requires, with three decimals: viewers read whole nanoseconds.
std::string microseconds(Tick ns) {
    const std::string rest = std::to_string(ns % 1000);
    return std::to_string(ns / 1000) + '.' + std::string(3 - rest.size(), '0') + rest;
}

/// Quotes a JSON string. Bytes that are not ASCII would be valid only as UTF-8.
std::string quoted(std::string_view text) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string all = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            all += '\\', all += c;
        else if (byte >= 0x20 && byte < 0x7f)
            all += c;
        else
            all += "\\u00", all += digits[byte / 16], all += digits[byte % 16];
    }
    return all + '"';
}

std::string process_name(unsigned process, const char* name) {
    return "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(process) +
           ",\"args\":{\"name\":" + quoted(name) + "}}";
}

/// Both ends are rounded down, so that a nested slice stays within its parent.
std::string slice(unsigned process, std::uint32_t track, std::string_view name, Tick from, Tick to,
                  const std::string& arguments) {
    return "{\"ph\":\"X\",\"pid\":" + std::to_string(process) +
           ",\"tid\":" + std::to_string(track) + ",\"name\":" + quoted(name) +
           ",\"ts\":" + microseconds(from / nanosecond) +
           ",\"dur\":" + microseconds(to / nanosecond - from / nanosecond) + ",\"args\":{" +
           arguments + "}}";
}

/// One track for each stream of each of at most 64 applications: launches of a stream do not
/// overlap.
std::uint32_t track_of(const Launch& l) { return l.application + 64 * l.stream; }

constexpr const char* unfinished = "\"unfinished\":true";

std::string request_slice(std::uint32_t slot, std::uint64_t number, std::uint64_t address,
                          Tick from, Tick to, const char* more = "") {
    return slice(requests, slot, "request " + std::to_string(number), from, to,
                 "\"address\":" + std::to_string(address) + more);
}

} // namespace

Timeline::Timeline(const std::string& file, std::vector<std::string> paths,
                   const TimelineLimits& limits)
    : file_(file), paths_(std::move(paths)), limits_(limits), wakes_(paths_.size()),
      before_(paths_.size()) {
    file_.append(process_name(requests, "stamped requests"));
    file_.append(process_name(launches, "kernel launches"));
    file_.append(process_name(activity, "wakes in a microsecond"));
    file_.flush();
}

TimelineLeftOut Timeline::complete(const Simulation& sim) {
    TimelineLeftOut left_out = left_out_;
    Elements all;
    std::size_t bytes = 0;
    const auto add = [&](const Elements& elements, std::uint64_t& count) {
        if (elements.empty()) return;
        if (left_out.since != never || !has_room(elements, bytes)) {
            ++count;
            left_out.since = std::min(left_out.since, sim.now());
            return;
        }
        bytes += TimelineFile::bytes_of(elements);
        all.insert(all.end(), elements.begin(), elements.end());
    };
    sim.launches().each_under_way([&](const Launch& l) {
        if (shows(l.started, sim.now()))
            add({slice(launches, track_of(l), l.kernel, l.started, sim.now(),
                       "\"launch\":" + std::to_string(l.number) + ',' + unfinished)},
                left_out.launches);
    });
    sim.stamps().each_open([&](const Stamps::Open& r) {
        if (shows(r.record.opened, sim.now())) add(under_way(r, sim.now()), left_out.requests);
    });
    for (const std::string& counter : wakes_of_window()) add({counter}, left_out.wakes);
    file_.flush(all);
    return left_out;
}

/// A request in progress, up to now; marks may lie in the future.
Timeline::Elements Timeline::under_way(const Stamps::Open& request, Tick now) const {
    const Stamps::Record& r = request.record;
    Elements all {
        request_slice(request.slot, r.number, r.address, r.opened, now, ",\"unfinished\":true")};
    const auto stage = [&](std::string_view name, Tick from, Tick to, bool over) {
        if (from < now)
            all.push_back(slice(requests, request.slot, name, from, std::min(to, now),
                                over ? "" : unfinished));
    };
    if (request.slot < stages_.size())
        for (const Stage& s : stages_[request.slot]) stage(s.name, s.from, s.to, s.to <= now);
    stage("unfinished", r.last, now, false); // the stage is not known before its end
    return all;
}

void Timeline::stage(std::uint32_t slot, std::string_view name, Tick from, Tick to) {
    if (from == to || left_out_.since != never) return;
    if (slot >= stages_.size()) stages_.resize(slot + 1);
    stages_[slot].push_back({name, from, to});
}

void Timeline::request(std::uint32_t slot, std::uint64_t number, std::uint64_t address, Tick from,
                       Tick to) {
    if (shows(from, to)) {
        Elements all {request_slice(slot, number, address, from, to)};
        if (slot < stages_.size())
            for (const Stage& s : stages_[slot])
                all.push_back(slice(requests, slot, s.name, s.from, s.to, ""));
        write(all, left_out_.requests, to);
    }
    if (slot < stages_.size()) stages_[slot].clear();
}

void Timeline::launch(const Launch& l) {
    if (!shows(l.started, l.ended)) return;
    write({slice(launches, track_of(l), l.kernel, l.started, l.ended,
                 "\"launch\":" + std::to_string(l.number) + ",\"instructions\":" +
                     std::to_string(l.instructions) + ",\"cycles\":" + std::to_string(l.cycles))},
          left_out_.launches, l.ended);
}

void Timeline::after(const Component& c) {
    if (!shows(c.now(), c.now())) return;
    if (c.now() - window_ >= window) {
        close_window(c.now());
        if (c.now() - window_ >= 2 * window) { // viewers keep a value until the next one
            window_ += window;
            close_window(c.now());
        }
        window_ = c.now() - c.now() % window;
    }
    ++wakes_[c.id()];
}

/// Writes the counters of the window, and begins to count the next one.
void Timeline::close_window(Tick now) {
    for (const std::string& counter : wakes_of_window()) write({counter}, left_out_.wakes, now);
    before_.swap(wakes_);
    std::fill(wakes_.begin(), wakes_.end(), 0);
}

/// A component's counter is written when it changes.
Timeline::Elements Timeline::wakes_of_window() const {
    Elements all;
    for (std::size_t i = 0; i < paths_.size(); ++i)
        if (wakes_[i] != before_[i])
            all.push_back("{\"ph\":\"C\",\"pid\":" + std::to_string(activity) + ",\"name\":" +
                          quoted(paths_[i]) + ",\"ts\":" + microseconds(window_ / nanosecond) +
                          ",\"args\":{\"wakes\":" + std::to_string(wakes_[i]) + "}}");
    return all;
}

bool Timeline::has_room(const Elements& elements, std::size_t beside) const {
    return file_.size() + beside + TimelineFile::bytes_of(elements) <= limits_.bytes;
}

/// Writes all elements, or none if they do not fit. Afterwards nothing else is written, so that the
/// file is complete up to that time.
void Timeline::write(const Elements& elements, std::uint64_t& left_out, Tick now) {
    if (left_out_.since == never && !has_room(elements)) left_out_.since = now;
    if (left_out_.since != never) {
        ++left_out;
        return;
    }
    for (const std::string& e : elements) file_.append(e);
}

Timeline& show_on_timeline(Machine& machine, const std::string& file,
                           const TimelineLimits& limits) {
    std::vector<std::string> paths;
    for (const auto& o : machine.objects()) paths.push_back(o->path());
    auto timeline = std::make_unique<Timeline>(file, std::move(paths), limits);
    machine.sim().stamps().show_on(timeline.get());
    machine.sim().launches().show_on(timeline.get());
    Timeline& made = *timeline;
    machine.sim().watch(std::move(timeline));
    return made;
}

} // namespace memsim
