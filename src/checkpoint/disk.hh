#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memsim::checkpoint {

/// A file that appears complete or not at all: it is written under another name in the same folder,
/// flushed to the disk, then renamed. Abandoned and removed unless publish() returned.
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

/// All bytes of a file. They are copied: truncation of a mapped file would end the process.
std::string read_file(const std::string& path);

} // namespace memsim::checkpoint
