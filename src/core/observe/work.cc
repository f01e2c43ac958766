#include "core/observe/work.hh"

#include "core/machine/machine.hh"

#include <algorithm>
#include <iterator>

namespace memsim {

std::vector<Work> work_of(const Machine& machine) {
    std::vector<Work> all;
    for (const Component* c : machine.components())
        if (const auto* reports = dynamic_cast<const ReportsWork*>(c))
            std::ranges::move(reports->work(), std::back_inserter(all));
    return all;
}

std::vector<std::string> endless_of(const Machine& machine) {
    std::vector<std::string> all;
    for (const Component* c : machine.components())
        if (const auto* reports = dynamic_cast<const ReportsWork*>(c))
            if (reports->is_endless()) all.push_back(c->path());
    return all;
}

} // namespace memsim
