#include "core/declare/param.hh"

namespace memsim {

std::string name_of_param(const std::vector<ParamRef>& params, const void* address) {
    for (const ParamRef& p : params)
        if (p.param == address) return std::string(p.name);
    return {};
}

void check_others(const ParamRef& p, const std::vector<ParamRef>& params) {
    for (const Constraint& c : p.operations->constraints(p.param))
        if (c.other()) p.operations->check(p.param, c, name_of_param(params, c.other()));
}

template class Param<bool>;
template class Param<unsigned>;
template class Param<std::uint64_t>;
template class Param<std::string>;
template class Param<Bytes>;
template class Param<Time>;
template class Param<Frequency>;
template class Param<Rate>;
template class Param<Fraction>;

} // namespace memsim
