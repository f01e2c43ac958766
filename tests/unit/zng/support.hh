#pragma once

#include "../flash/support.hh"

/// A small machine of ZnG's flash.
namespace memsim::test_zng {

using test_flash::error_of;
using test_flash::ns;
using test_flash::pick;
using test_flash::run;
using test_flash::us;
using test_flash::value;
using test_flash::with;

inline std::string at(const char* name, unsigned i) {
    return std::string(name) + "[" + std::to_string(i) + "]";
}

/// Host, controllers, a mesh, packages of two ports. `package`, `controller` and `host` replace
/// parameters; geometry is the host's.
inline void add_flash(Machine& m, unsigned controllers, unsigned packages,
                      const Arguments& package = {}, const Arguments& controller = {},
                      const Arguments& host = {}) {
    const Arguments geometry {{"dies", "2"},   {"planes", "2"},      {"blocks", "20"},
                              {"pages", "16"}, {"data_blocks", "4"}, {"log_ratio", "2"}};
    m.add(
        "host", "test_zng.Host",
        with({{"controllers", std::to_string(controllers)}, {"packages", std::to_string(packages)}},
             host));
    m.add("mesh", "zng.Mesh", {{"columns", "3"}, {"rows", "2"}});
    const auto bind = [&](const std::string& component, const std::string& out,
                          const std::string& in, unsigned endpoint) {
        m.bind(component, out, "mesh", at("input", endpoint));
        m.bind("mesh", at("output", endpoint), component, in);
    };
    for (unsigned c = 0; c < controllers; ++c) {
        const std::string path = at("controller", c);
        m.add(path, "zng.FlashController",
              with(with(geometry, {{"packages", std::to_string(packages)},
                                   {"endpoint", std::to_string(c)},
                                   {"first_package", std::to_string(controllers)},
                                   {"window", "32"}}),
                   controller));
        bind(path, "output", "input", c);
        m.bind("host", at("mem", c), path, "mem[0]");
        m.bind("host", at("collect", c), path, "collector");
        m.bind(path, "log_low", "host", at("low", c));
    }
    for (unsigned p = 0; p < packages; ++p) {
        const std::string path = at("package", p);
        const unsigned endpoint = controllers + 2 * p;
        m.add(path, "zng.Package",
              with(with(geometry, {{"registers", "2"},
                                   {"log_reserve", "1"},
                                   {"endpoint", std::to_string(endpoint)},
                                   {"controller", std::to_string(p % controllers)},
                                   {"queue", std::to_string(32 * controllers)}}),
                   package));
        for (unsigned i = 0; i < 2; ++i) bind(path, at("output", i), at("input", i), endpoint + i);
    }
}

} // namespace memsim::test_zng
