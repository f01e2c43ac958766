#include "core/base/reflect.hh"

#include "core/base/error.hh"

namespace memsim::reflect::detail {

void read_names(std::string_view printed, std::string_view* names, std::size_t count) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        at = printed.find("fake", printed.find('&', at));
        MEMSIM_ASSERT(at != printed.npos,
                      "this compiler prints addresses of fields in an unknown form");
        const std::size_t round = printed.find(")}", at), end = printed.find('}', at);
        // gcc may print {anonymous} before the name; clang prints no type there.
        at = round != printed.npos ? round : end;
        names[i] = last_identifier(printed.substr(0, at));
    }
}

EnumNames::EnumNames(std::string_view printed) {
    std::size_t at = printed.find("V = ") + 5; // also skips the bracket
    for (std::string_view& name : names) {
        // A name ends at a comma or bracket outside of brackets of its own, such as those of gcc's
        // <unnamed>.
        std::size_t end = at;
        for (int open = 0; open > 0 || printed[end] != ','; ++end) {
            if (std::string_view("({[<").find(printed[end]) != std::string_view::npos) ++open;
            if (std::string_view(")}]>").find(printed[end]) != std::string_view::npos && --open < 0)
                break;
        }
        const std::string_view one = printed.substr(at, end - at);
        const std::size_t cast = one.rfind(')');
        const bool number = cast != one.npos && one[cast + 1] != ':';
        if (!number) name = last_identifier(one);
        at = end + 2; // ", "
    }
}

std::string type_name_in(std::string_view printed) {
    const std::size_t begin = printed.find("T = ") + 4;
    std::string_view s = printed.substr(begin, printed.find_first_of(";]", begin) - begin);
    if (s.starts_with("memsim::")) s.remove_prefix(8);
    std::string name;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == ':')
            name += '.', ++i;
        else
            name += s[i];
    }
    return name;
}

std::string member_name_in(std::string_view printed) {
    const std::string_view s = printed.substr(printed.find("= ") + 2);
    return std::string(last_identifier(s.substr(0, s.find_first_of(";]"))));
}

} // namespace memsim::reflect::detail
