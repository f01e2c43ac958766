#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/// The process that simulates a run. It holds a POSIX lock on one byte, the run's, of the file
/// `<database>-owners`. The kernel releases the lock when the process ends for any reason; a file
/// server releases it when it loses contact with the machine. A stopped process (SIGSTOP) still
/// holds it.
/// SQLite needs the same locks, so this works on every file system that a database may be on.
namespace memsim::stats {

class Ownership {
  public:
    /// Acquires the run for this process; nothing if this or another process holds it.
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

/// Describes this process (its number, host and the time) for messages to processes that find the
/// run in use.
std::string describe_process(const std::string& now);

} // namespace memsim::stats
