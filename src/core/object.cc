#include "core/object.hh"

namespace memsim {

std::vector<Object::Resolved> Object::resolved(const std::vector<ParamRef>& params) {
    std::vector<Resolved> all;
    for (const ParamRef& p : params)
        all.push_back({std::string(p.name), p.text(), p.operations->number(p.param)});
    return all;
}

void Object::add_stat(std::vector<StatRef>& all, std::string_view name, const Stat& stat,
                      std::string_view kind, void (*read)(const Stat&, StatReader&, Window)) {
    all.push_back({std::string(name), &stat, kind, read});
}

void Object::add_stat(std::vector<StatRef>& all, std::string_view name, const std::string& index,
                      const Stat& stat, std::string_view kind,
                      void (*read)(const Stat&, StatReader&, Window)) {
    all.push_back({std::string(name) + "[" + index + "]", &stat, kind, read});
}

} // namespace memsim
