#include "core/declare/object.hh"

namespace memsim {

Object::~Object() = default;

void Object::refuse(const std::string& parameter, const std::string& why) const {
    throw ConfigError(path_ + "." + parameter + ": " + why);
}

std::vector<Object::Resolved> Object::resolved_params() const {
    std::vector<Resolved> all;
    for (const ParamRef& p : declared().params(*this))
        all.push_back({std::string(p.name), p.text(), p.operations->number(p.param)});
    return all;
}

void Object::reset_stats(Tick now) {
    for (const StatField& f : declared().stats(*this)) f.operations->reset(*f.stat, now);
}

void Object::find_stats(const void* ports) {
    for (const auto& [name, stat, of] : declared().stats(*this)) {
        if (!of->each()) {
            stats_.push_back({std::string(name), stat, of->kind, of->read});
            continue;
        }
        of->resize(*stat, declared().params_address(*this), ports);
        for (unsigned i = 0; i < of->size(*stat); ++i)
            stats_.push_back({std::string(name) + "[" + of->label(i) + "]", &of->one(*stat, i),
                              of->kind, of->read});
    }
}

} // namespace memsim
