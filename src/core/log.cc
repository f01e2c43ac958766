#include "core/log.hh"

namespace memsim {

namespace {
std::vector<const DebugFlag*>& registered() {
    static std::vector<const DebugFlag*> flags;
    return flags;
}
} // namespace

DebugFlag::DebugFlag(std::string name, std::string doc)
    : name_(std::move(name)), doc_(std::move(doc)), index_(registered().size()) {
    registered().push_back(this);
}

const std::vector<const DebugFlag*>& DebugFlag::all() { return registered(); }

} // namespace memsim
