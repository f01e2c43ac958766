#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/// Which process simulates a run. It holds a POSIX lock on one byte, the run's, of the file
/// `<database>-owners`. The kernel frees the lock when the process ends, however it ends; a server
/// of files frees it when it has lost the machine. A stopped process (SIGSTOP) still holds it.
///
/// SQLite needs the same locks, so this works on every file system that a database may be on.
namespace memsim::stats {

class Ownership {
  public:
    /// Takes the run for this process; nothing if this or another process holds it.
    static std::optional<Ownership> take(const std::string& database, const std::string& run);
    /// Whether a process other than this one holds the run.
    static bool elsewhere(const std::string& database, const std::string& run);

    Ownership(Ownership&& other) noexcept
        : file_(std::exchange(other.file_, -1)), byte_(other.byte_) {}
    Ownership& operator=(Ownership&& other) noexcept {
        std::swap(file_, other.file_);
        std::swap(byte_, other.byte_);
        return *this;
    }
    ~Ownership();

  private:
    Ownership(int file, std::int64_t byte) : file_(file), byte_(byte) {}
    int file_;
    std::int64_t byte_;
};

/// This process in words, for those who find a run in its hands: its number, host and the moment.
std::string describe_process(const std::string& now);

} // namespace memsim::stats
