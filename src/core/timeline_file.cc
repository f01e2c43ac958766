#include "core/timeline_file.hh"

#include "core/error.hh"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace memsim {

namespace {

/// False with errno if not all of it could be written.
bool write_at(int file, std::string_view bytes, off_t at) {
    while (!bytes.empty()) {
        const ssize_t n = pwrite(file, bytes.data(), bytes.size(), at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
        at += n;
    }
    return true;
}

} // namespace

TimelineFile::TimelineFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail();
}

TimelineFile::~TimelineFile() { close(file_); }

void TimelineFile::fail() const {
    throw ConfigError("cannot write the timeline '" + path_ + "' (" + std::strerror(errno) +
                      "): name a file that can be written, on a disk with room");
}

void TimelineFile::append(std::string_view element) {
    pending_.append(end_at_ == 0 && pending_.empty() ? "[\n" : ",\n").append(element);
    if (pending_.size() >= batch) flush();
}

void TimelineFile::flush() {
    if (pending_.empty()) return;
    const auto bytes = static_cast<off_t>(pending_.size());
    pending_ += end;
    if (!write_at(file_, pending_, end_at_)) {
        const int error = errno;
        // The former end lies on the disk already: to write over it takes no room.
        if (end_at_ != 0) write_at(file_, end, end_at_);
        if (ftruncate(file_, end_at_ + (end_at_ != 0 ? static_cast<off_t>(end.size()) : 0)) != 0)
            errno = error; // nothing more can be done
        pending_.clear();
        errno = error;
        fail();
    }
    end_at_ += bytes;
    pending_.clear();
}

} // namespace memsim
