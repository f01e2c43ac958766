#pragma once

#include "core/base/error.hh"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace memsim::test {

/// A temporary folder of files, removed by the destructor.
class Folder {
  public:
    Folder() {
        static int n = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("memsim-traces-" + std::to_string(getpid()) + "-" + std::to_string(n++));
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string at(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(at(name), std::ios::binary) << text;
        return at(name);
    }
    static std::string read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::filesystem::path path_;
};

/// The sentence of the ConfigError that this ends with, without the folder of the file; empty if
/// it ends well.
inline std::string sentence_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const ConfigError& e) {
        const std::string text = e.what();
        const std::size_t end = text.find(':');
        const std::size_t slash = text.rfind('/', end);
        return slash == text.npos || text[0] != '/' ? text : text.substr(slash + 1);
    }
    return "";
}

/// ../shared/data of the project's folder, or empty where it is not there.
inline std::string shared_data(const std::string& path) {
    const std::string whole = "../shared/data/" + path;
    return std::filesystem::exists(whole) ? whole : "";
}

} // namespace memsim::test
