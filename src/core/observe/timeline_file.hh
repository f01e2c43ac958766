#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace memsim {

/// The file of a timeline: a JSON array.
///
/// Guarantees    The file is a complete array after each flush(), even if the process is killed
///               later: a batch is written together with the end of the array, over the former end.
///               A batch that cannot be written leaves the array unchanged.
class TimelineFile {
  public:
    /// Creates or empties the file. Throws ConfigError.
    explicit TimelineFile(const std::string& path);
    ~TimelineFile();
    TimelineFile(const TimelineFile&) = delete;
    TimelineFile& operator=(const TimelineFile&) = delete;

    /// Adds an element; a full batch is flushed.
    void append(std::string_view element);
    /// Writes the added elements. `provisional` elements follow them until the next flush.
    void flush(const std::vector<std::string>& provisional = {});
    /// The size with all added elements and the end of the array.
    std::size_t size() const {
        return static_cast<std::size_t>(end_at_) + pending_.size() + end.size();
    }
    /// The size of elements to be added, each with its separator.
    static std::size_t bytes_of(const std::vector<std::string>& elements);

  private:
    [[noreturn]] void fail() const;
    std::string_view separator(const std::string& before) const {
        return end_at_ == 0 && before.empty() ? "[\n" : ",\n";
    }

    static constexpr std::size_t batch = 1 << 16; ///< bytes
    static constexpr std::string_view end = "\n]\n";

    std::string path_;
    int file_;
    std::string pending_; ///< elements that are not in the file yet, each after its separator
    off_t end_at_ = 0;    ///< where the array's end or the provisional elements begin; 0: empty
    off_t size_ = 0;      ///< of the file
};

} // namespace memsim
