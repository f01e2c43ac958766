#include "core/kernel/component.hh"

#include <charconv>

namespace memsim {

namespace {

/// The index that `text` names in the vector 'input': 3 for 'input[3]', `next` for 'input'. Nothing
/// for other names.
std::optional<unsigned> index_in(std::string_view text, std::string_view vector, unsigned next) {
    constexpr unsigned most = 1 << 16;
    if (!text.starts_with(vector)) return {};
    if (text.size() == vector.size()) return next;
    unsigned index = 0;
    const char *const begin = text.data() + vector.size() + 1, *const end =
                                                                   text.data() + text.size();
    const auto read = std::from_chars(begin, end, index);
    if (text[vector.size()] != '[' || read.ec != std::errc {} || read.ptr + 1 != end ||
        *read.ptr != ']' || index >= most)
        return {};
    return index;
}

} // namespace

void WaitReport::add(std::string sentence) { lines.push_back(std::move(sentence)); }

Component::Component() = default;
Component::~Component() = default;

void Component::add_port(std::string_view name, std::optional<unsigned> index, PortBase& p) {
    std::string all(name);
    if (index) all += "[" + std::to_string(*index) + "]";
    ports_.push_back({std::move(all), &p});
}

void Component::attach(std::string_view name, std::optional<unsigned> index, PortBase& p) {
    add_port(name, index, p);
    p.attach(*this, ports_.back().name, declared().params_address(*this));
}

void Component::set_up() {
    for (const PortField& f : declared().ports(*this)) {
        if (!f.many) {
            attach(f.name, {}, *f.one);
            continue;
        }
        f.many->resize(declared().params_address(*this));
        for (unsigned i = 0; i < f.many->count(); ++i) attach(f.name, i, f.many->at(i));
    }
}

PortBase* Component::grow_port(const std::string& name) {
    for (const PortField& f : declared().ports(*this)) {
        if (!f.many || !f.many->grows()) continue;
        const auto index = index_in(name, f.name, f.many->count());
        if (!index) continue;
        for (unsigned i = f.many->count(); i <= *index; ++i) {
            f.many->grow(i + 1u);
            attach(f.name, i, f.many->at(i));
        }
        return &f.many->at(*index);
    }
    return nullptr;
}

void Component::finish_set_up() {
    ports_.clear();
    for (const PortField& f : declared().ports(*this)) {
        if (f.many)
            for (unsigned i = 0; i < f.many->count(); ++i) add_port(f.name, i, f.many->at(i));
        else if (!f.optional || f.one->peer())
            add_port(f.name, {}, *f.one);
    }
    find_stats(declared().ports_address(*this));
}

void Component::save_state(Saver& s) { declared().save(*this, s); }

void Component::load_state(Loader& l) {
    for (Timer* t : declared().timers(*this)) cancel(*t);
    declared().load(*this, l);
    for (Timer* t : declared().timers(*this)) sim().rearm(*t, *this);
    state_loaded();
}

void Component::move_to(Simulation& part) {
    sim_ = &part;
    for (Timer* t : declared().timers(*this)) {
        Simulation::forget(*t);
        part.rearm(*t, *this);
    }
}

void Component::save_stats(Saver& s) {
    for (const StatField& f : declared().stats(*this)) f.operations->save(*f.stat, s);
}

void Component::load_stats(Loader& l) {
    for (const StatField& f : declared().stats(*this))
        l.within(f.name, [&] { f.operations->load(*f.stat, l); });
}

const std::string& PortBase::neighbour_path() const { return peer()->owner().path(); }

} // namespace memsim
