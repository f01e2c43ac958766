#include "target.hh"

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace memsim::test {

namespace {

/// Goes with the process.
struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("memsim-fuzz-" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

} // namespace

std::vector<FuzzTarget>& fuzz_targets() {
    static std::vector<FuzzTarget> all;
    return all;
}

std::string refusal(const FuzzTarget& target, std::string_view bytes) {
    try {
        target.read(bytes);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

std::string file_of(std::string_view bytes, const std::string& name) {
    static const Folder folder;
    const std::string path = (folder.path / name).string();
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

} // namespace memsim::test
