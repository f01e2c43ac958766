#include "stats/ownership.hh"

#include "core/base/error.hh"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace memsim::stats {

namespace {

[[noreturn]] void fail(const std::string& path) {
    throw ConfigError("results database: its lock file " + path + " cannot be used (" +
                      std::strerror(errno) +
                      "): choose with --stats-db a place that is writable and supports locks");
}

/// The open lock file of a database. A process loses all its locks on a file when it closes any
/// descriptor of the file, so an open descriptor stays open until the process ends. A file that was
/// deleted and created again counts as a new file.
int file_of_locks(const std::string& database) {
    static std::map<std::pair<dev_t, ino_t>, int> open_files;
    const std::string path = database + "-owners";
    struct stat s {};
    if (::stat(path.c_str(), &s) == 0)
        if (const auto found = open_files.find({s.st_dev, s.st_ino}); found != open_files.end())
            return found->second;
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || ::fstat(file, &s) != 0) fail(path);
    return open_files[{s.st_dev, s.st_ino}] = file;
}

/// The locks that this process holds: the process cannot see its own locks in the file. Entries
/// include the process id, because the child of a fork inherits the set but not the locks.
using Held = std::set<std::tuple<pid_t, int, std::int64_t>>;
Held& held() {
    static Held all;
    return all;
}

/// 60 of the 122 random bits of the run's UUID.
std::int64_t byte_of(const std::string& run) {
    std::string digits;
    for (const char c : run)
        if (c != '-' && digits.size() < 15) digits += c;
    return std::stoll(digits, nullptr, 16);
}

struct flock lock_of(short type, std::int64_t byte) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

} // namespace

std::optional<Ownership> Ownership::take(const std::string& database, const std::string& run) {
    const int file = file_of_locks(database);
    const std::int64_t byte = byte_of(run);
    if (!held().emplace(::getpid(), file, byte).second) return {};
    struct flock lock = lock_of(F_WRLCK, byte);
    if (::fcntl(file, F_SETLK, &lock) == 0) return Ownership(file, byte);
    const int why = errno;
    held().erase({::getpid(), file, byte});
    if (why == EACCES || why == EAGAIN) return {};
    errno = why;
    fail(database + "-owners");
}

bool Ownership::elsewhere(const std::string& database, const std::string& run) {
    struct flock lock = lock_of(F_WRLCK, byte_of(run));
    if (::fcntl(file_of_locks(database), F_GETLK, &lock) != 0) fail(database + "-owners");
    return lock.l_type != F_UNLCK;
}

Ownership::~Ownership() {
    if (file_ < 0 || !held().erase({::getpid(), file_, byte_})) return;
    struct flock lock = lock_of(F_UNLCK, byte_);
    ::fcntl(file_, F_SETLK, &lock);
}

std::string describe_process(const std::string& now) {
    std::array<char, 256> host {};
    ::gethostname(host.data(), host.size() - 1);
    return "process " + std::to_string(::getpid()) + " on " + host.data() + " since " + now;
}

} // namespace memsim::stats
