#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memsim::checkpoint {

/// A file that appears whole or not at all: written under another name in the same folder, flushed
/// to the disk, then renamed. Abandoned (and removed) unless publish() came back.
class AtomicFile {
  public:
    explicit AtomicFile(const std::string& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void append(std::string_view bytes);
    void overwrite(std::uint64_t offset, std::string_view bytes);
    void publish();

  private:
    [[noreturn]] void fail(const std::string& what) const;
    std::string path_, temporary_;
    int file_;
};

/// A whole file, mapped for reading.
class MappedFile {
  public:
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    std::string_view bytes() const { return bytes_; }

  private:
    std::string_view bytes_;
};

} // namespace memsim::checkpoint
