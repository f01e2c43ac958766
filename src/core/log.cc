#include "core/log.hh"

namespace memsim {

namespace {
std::vector<const DebugFlag*>& registered() {
    static std::vector<const DebugFlag*> flags;
    return flags;
}
} // namespace

DebugFlag::DebugFlag(const char* name, const char* doc)
    : name_(name), doc_(doc), index_(registered().size()) {
    registered().push_back(this);
}

const std::vector<const DebugFlag*>& DebugFlag::all() { return registered(); }

} // namespace memsim
