#include "core/archive.hh"

namespace memsim {

std::string to_text(Int128 v) {
    if (v == 0) return "0";
    const bool negative = v < 0;
    Uint128 rest = negative ? -static_cast<Uint128>(v) : static_cast<Uint128>(v);
    std::string s;
    for (; rest != 0; rest /= 10)
        s.insert(s.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    return negative ? "-" + s : s;
}

void Shower::quote(std::string_view s) {
    text += '"';
    for (char c : s) {
        if (c == '"' || c == '\\') text += '\\';
        text += c < ' ' ? ' ' : c;
    }
    text += '"';
}

} // namespace memsim
