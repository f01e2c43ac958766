#include "core/observe/message_log.hh"

#include "core/machine/machine.hh"

namespace memsim {

MessageLog::MessageLog(const Machine& machine) {
    for (const auto& o : machine.objects())
        for (const DebugFlag* flag : DebugFlag::all())
            if (flag->name() == machine.schema_of(*o).name) flags_.push_back(flag);
}

void MessageLog::before(const Component& c) {
    waiting_.clear();
    if (!c.sim().debugs(*flags_[c.id()])) return;
    for (const auto& [name, port] : c.ports())
        for (const LinkBase* link : port->incoming()) waiting_.push_back(link->arrived_in_words());
}

/// Messages that left the front of a queue were taken.
void MessageLog::after(const Component& c) {
    if (waiting_.empty()) return;
    auto was = waiting_.begin();
    for (const auto& [name, port] : c.ports())
        for (const LinkBase* link : port->incoming()) {
            const std::size_t left = link->arrived_in_words().size();
            for (std::size_t i = 0; i + left < was->size(); ++i)
                c.sim().debug(*flags_[c.id()], c.path(), name + " takes " + (*was)[i]);
            ++was;
        }
}

} // namespace memsim
