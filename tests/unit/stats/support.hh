#pragma once

#include "core/machine/machine.hh"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include <csignal>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// What the tests of stats/ and checkpoint/ share.
namespace memsim::results_test {

/// A folder that lasts as long as the object.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "memsim-XXXXXX").string();
        path = mkdtemp(name.data());
        chmod(path.c_str(), 0755); // for tests that lay down their rights
    }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path),
                                                      std::filesystem::directory_iterator()));
    }
};

inline std::string slurp(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
}
inline void spill(const std::string& path, const std::string& bytes) {
    std::filesystem::remove(path); // some file systems flush a file that is truncated
    std::ofstream(path, std::ios::binary) << bytes;
}

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

/// What f() returned in a process of its own.
inline std::string in_child(const std::function<std::string()>& f) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        std::string message;
        try {
            message = f();
        } catch (const std::exception& e) {
            message = std::string("uncaught: ") + e.what();
        }
        _exit(::write(ends[1], message.data(), message.size()) < 0);
    }
    close(ends[1]);
    std::string message;
    char some[4096];
    for (ssize_t n; (n = ::read(ends[0], some, sizeof some)) > 0;)
        message.append(some, static_cast<std::size_t>(n));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return message;
}

/// in_child with `folder` on a disk of so many bytes; nothing (and a message) where this process
/// may not mount one.
inline std::optional<std::string> on_small_disk(const std::string& folder, unsigned bytes,
                                                const std::function<std::string()>& f) {
    const std::string message = in_child([&] {
        const std::string size = "size=" + std::to_string(bytes);
        if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
            mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            mount("none", folder.c_str(), "tmpfs", 0, size.c_str()) != 0)
            return std::string("no mount");
        return f();
    });
    if (message != "no mount") return message;
    WARN("skipped: this process may not mount a small disk");
    return {};
}

/// From here on no file of this process may grow beyond so many bytes.
inline void limit_files(unsigned bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
}

/// Random traffic through a monitor into a memory.
inline void assemble(Machine& m, const std::string& outstanding = "16") {
    m.add("gen", "mem.TrafficGen",
          {{"requests", "2000"}, {"outstanding", outstanding}, {"read_share", "70%"}});
    m.add("monitor", "mem.Monitor", {{"outstanding", outstanding}});
    m.add("memory", "mem.SimpleMemory", {{"queue", "16"}});
    m.bind("gen", "mem_side", "monitor", "cpu_side");
    m.bind("monitor", "mem_side", "memory", "cpu_side");
    m.build();
}

/// A sink for dumps that are made for the digest alone.
struct Nowhere final : StatSink {
    void stat(const std::string&, const std::string&, const Stat&, std::string_view) override {}
    void integer(std::string_view, Int128, Unit) override {}
    void derived(std::string_view, double, Unit) override {}
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

} // namespace memsim::results_test
