#include "core/observe/timeline_file.hh"

#include "core/base/error.hh"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace memsim {

namespace {

/// False, with errno set, if not all bytes could be written.
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
                      "): name a writable file, on a disk with free space");
}

void TimelineFile::append(std::string_view element) {
    pending_.append(separator(pending_)).append(element);
    if (pending_.size() >= batch) flush();
}

std::size_t TimelineFile::bytes_of(const std::vector<std::string>& elements) {
    std::size_t bytes = 0;
    for (const std::string& e : elements) bytes += 2 + e.size();
    return bytes;
}

void TimelineFile::flush(const std::vector<std::string>& provisional) {
    if (pending_.empty() && provisional.empty()) return;
    const auto bytes = static_cast<off_t>(pending_.size());
    for (const std::string& e : provisional) pending_.append(separator(pending_)).append(e);
    pending_ += end;
    // Overwrites the former provisional elements: spaces after an array are ignored.
    if (const off_t after = end_at_ + static_cast<off_t>(pending_.size()); after < size_)
        pending_.append(static_cast<std::size_t>(size_ - after), ' ');
    if (!write_at(file_, pending_, end_at_)) {
        const int error = errno;
        // The former end is on the disk already: overwriting it needs no space.
        if (end_at_ != 0) write_at(file_, end, end_at_);
        size_ = end_at_ + (end_at_ != 0 ? static_cast<off_t>(end.size()) : 0);
        if (ftruncate(file_, size_) != 0) errno = error; // no further recovery is possible
        pending_.clear();
        errno = error;
        fail();
    }
    size_ = end_at_ + static_cast<off_t>(pending_.size());
    end_at_ += bytes;
    pending_.clear();
}

} // namespace memsim
