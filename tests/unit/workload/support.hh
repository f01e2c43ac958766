#pragma once

#include "core/base/error.hh"
#include "workload/graph/input/csr.hh"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

/// What the tests of this folder share.
namespace memsim::workload {

/// A file that lasts as long as the object.
struct TemporaryFile {
    std::string path;

    TemporaryFile(const std::string& name, const std::string& bytes) {
        static int number = 0;
        const auto folder = std::filesystem::temp_directory_path();
        path = (folder / ("memsim-" + std::to_string(getpid()) + "-" + std::to_string(number++) +
                          "-" + name))
                   .string();
        std::ofstream(path, std::ios::binary) << bytes;
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
    TemporaryFile(const TemporaryFile&) = delete;
};

/// The sentence that f() fails with, or "" if it does not.
template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

/// The path of a file of shared data, or "" (with a message) where it is absent.
inline std::string shared_data(const std::string& name) {
    const std::string path = "../shared/data/" + name;
    if (std::filesystem::exists(path)) return path;
    WARN("skipped: " << path << " is not there");
    return "";
}

inline Csr graph_of(std::uint32_t vertices, const std::vector<Arc>& arcs) {
    return rows_of(vertices, arcs);
}

} // namespace memsim::workload
