#include "target.hh"

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace memsim::test {

namespace {

/// Goes with the process. It is made before tests fork, as children end without destructors.
const struct Folder {
    const pid_t owner = getpid();
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("memsim-files-" + std::to_string(owner));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
        std::error_code ignored;
        if (getpid() == owner) std::filesystem::remove_all(path, ignored);
    }
} folder;

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
    const std::string path = (folder.path / name).string();
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
}

} // namespace memsim::test
