#include "checkpoint/disk.hh"

#include "core/base/error.hh"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memsim::checkpoint {

AtomicFile::AtomicFile(const std::string& path)
    : path_(path), temporary_(path + "." + std::to_string(getpid()) + ".tmp"),
      file_(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail("cannot be written here");
}

AtomicFile::~AtomicFile() {
    if (file_ < 0) return;
    close(file_);
    unlink(temporary_.c_str());
}

void AtomicFile::fail(const std::string& what) const {
    const int error = errno;
    throw ConfigError("checkpoint " + path_ + ": " + what + " (" + std::strerror(error) + "); " +
                      (error == ENOSPC || error == EDQUOT || error == EFBIG
                           ? "free some space or write it to another place; "
                           : "write it to an existing, writable folder; ") +
                      "an earlier file of that name is unchanged");
}

void AtomicFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file_, bytes.data(), bytes.size());
        if (n >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            fail("cannot be written completely");
    }
}

void AtomicFile::overwrite(std::uint64_t offset, std::string_view bytes) {
    // The range already exists and is short: no space is needed and no signal interrupts it.
    if (pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(bytes.size()))
        fail("cannot be written completely");
}

void AtomicFile::publish() {
    if (fsync(file_) != 0) fail("cannot be written completely");
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
        fail("cannot be renamed to its final name");
    close(file_);
    file_ = -1;
    // The name is durable once its folder is on the disk. On a file system that cannot flush a
    // folder, at most the rename is lost, never a file.
    const auto folder = std::filesystem::path(path_).parent_path();
    const int f = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (f < 0) return;
    (void)fsync(f);
    close(f);
}

std::string read_file(const std::string& path) {
    const auto refuse = [&] {
        throw ConfigError("checkpoint " + path + ": cannot be read (" + std::strerror(errno) +
                          "); name a file that `memsim` wrote, such as OUTDIR/*.ckpt");
    };
    struct Descriptor {
        int number;
        ~Descriptor() { close(number); }
    } const file {open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0) refuse();
    struct stat s {};
    if (fstat(file.number, &s) != 0) refuse();
    std::string bytes(static_cast<std::size_t>(s.st_size), '\0');
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t n = read(file.number, bytes.data() + have, bytes.size() - have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) refuse();
        if (n == 0) break; // the file has become shorter; its checksum will not match
        have += static_cast<std::size_t>(n);
    }
    bytes.resize(have);
    return bytes;
}

} // namespace memsim::checkpoint
