#include "core/state/archive.hh"

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

void Loader::refuse(std::string_view what) const {
    std::string where;
    for (const Place* p = place_; p; p = p->around) {
        const bool named = !p->name.empty();
        where.insert(0, named ? std::string(p->name) : "[" + std::to_string(p->index) + "]");
        if (named && p->around) where.insert(0, ".");
    }
    throw ConfigError(
        where + (where.empty() ? "" : " ") + std::string(what) +
        ": the checkpoint is damaged, or was written by a memsim whose state differs");
}

void ShapeText::put(std::string_view s) { text += s; }
void ShapeText::number(std::string_view kind, std::size_t bytes) {
    text.append(kind).append(std::to_string(8 * bytes));
}
void ShapeText::times(std::size_t n) { text.append("*").append(std::to_string(n)); }
void ShapeText::field(std::string_view name, bool first) {
    text.append(first ? "" : ",").append(name).append(":");
}

void Shower::put(std::string_view s) { text += s; }
void Shower::number(Int128 v) { text += to_text(v); }
void Shower::real(double v) { text += std::to_string(v); }
void Shower::comma(bool& first) {
    if (!std::exchange(first, false)) text += ", ";
}
void Shower::field(std::string_view name, bool& first) {
    comma(first);
    quote(name);
    text += ": ";
}
bool Shower::element(std::size_t i, std::size_t of) {
    if (i) text += ", ";
    if (i < most) return true;
    text += "\"... " + std::to_string(of - most) + " more\"";
    return false;
}
void Shower::Parts::raw(const void*, std::size_t n) { (*this)(std::to_string(n) + " bytes"); }

void Shower::quote(std::string_view s) {
    text += '"';
    for (char c : s) {
        if (c == '"' || c == '\\') text += '\\';
        text += c < ' ' ? ' ' : c;
    }
    text += '"';
}

} // namespace memsim
