#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace memsim {

/// The file of a timeline: a JSON array.
///
/// Guarantees   The file is a whole array after each flush(), also when the process is killed
/// later:
///              a batch is written together with the end of the array, over the former end. A
///              batch that cannot be written leaves the array as it was.
class TimelineFile {
  public:
    /// Makes the file, or empties it. Throws ConfigError.
    explicit TimelineFile(const std::string& path);
    ~TimelineFile();
    TimelineFile(const TimelineFile&) = delete;
    TimelineFile& operator=(const TimelineFile&) = delete;

    /// Adds an element; a full batch is flushed.
    void append(std::string_view element);
    void flush();

  private:
    [[noreturn]] void fail() const;

    static constexpr std::size_t batch = 1 << 16; ///< bytes
    static constexpr std::string_view end = "\n]\n";

    std::string path_;
    int file_;
    std::string pending_; ///< elements that are not in the file, each behind its separator
    off_t end_at_ = 0;    ///< where the file's end begins; at 0 nothing is written
};

} // namespace memsim
