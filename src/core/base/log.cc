#include "core/base/log.hh"

#include <array>
#include <charconv>

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

std::string nanoseconds(Tick time) {
    constexpr Tick scale = 1'000'000;
    const std::string rest = std::to_string(time % scale);
    return std::to_string(time / scale) + "." + std::string(6 - rest.size(), '0') + rest + "ns";
}

void detail::append_part(std::string& to, hex address) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), address.value, 16);
    to.append("0x").append(digits.data(), end.ptr);
}

} // namespace memsim
