#include "core/object.hh"

namespace memsim {

std::vector<Object::Resolved> Object::resolved_params() const {
    std::vector<Resolved> all;
    for (const ParamRef& p : param_refs())
        all.push_back({std::string(p.name), p.text(), p.operations->number(p.param)});
    return all;
}

void Object::reset_stats(Tick now) {
    for (const StatField& f : stat_fields()) f.operations->reset(*f.stat, now);
}

void Object::find_stats(const void* ports) {
    for (const auto& [name, stat, of] : stat_fields()) {
        if (!of->each()) {
            stats_.push_back({std::string(name), stat, of->kind, of->read});
            continue;
        }
        of->resize(*stat, params_address(), ports);
        for (unsigned i = 0; i < of->size(*stat); ++i)
            stats_.push_back({std::string(name) + "[" + of->label(i) + "]", &of->one(*stat, i),
                              of->kind, of->read});
    }
}

} // namespace memsim
