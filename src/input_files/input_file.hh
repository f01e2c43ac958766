#pragma once

#include "core/base/error.hh"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace memsim::input_files {

/// A source of decoded bytes. The first bytes of a file select the implementation.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// Reads up to `size` bytes; returns 0 only at the end.
    virtual std::size_t read(char* to, std::size_t size) = 0;
    /// Continues at this byte, if the source can do so without reading the bytes before it.
    virtual bool seek(std::uint64_t) { return false; }
};

/// Refuses an existing path that is not a regular file: a directory opens without an error, a pipe
/// may block, and a device may have no end.
void check_regular(const std::string& path);

/// Reads a file once from front to back, in pieces. gzip and xz (detected by their first bytes) are
/// decoded, also several streams in a row. Every error is a ConfigError that names the file and,
/// from refuse_line() and refuse_byte(), the line or byte of the decoded text; quoted bytes are
/// made legible. A process that is asked to end does so between two pieces.
class InputFile {
  public:
    explicit InputFile(const std::string& path);

    /// The next bytes, without consuming them; fewer than `size` only at the end of the file.
    std::string_view peek(std::size_t size);
    /// Consumes the next line; `line` excludes its end (LF or CR LF). False at the end of the file.
    bool next_line(std::string_view& line);
    /// Consumes exactly `size` bytes; `what` names them in the error if the file ends before.
    void read(void* to, std::size_t size, std::string_view what);
    /// Consumes an array of `count` elements. It grows with the bytes read, so a header with a
    /// wrong count costs no memory.
    template <class T>
    std::vector<T> read_array(std::uint64_t count, std::string_view what) {
        static_assert(std::is_trivially_copyable_v<T>);
        constexpr std::uint64_t step = (1 << 20) / sizeof(T);
        std::vector<T> all;
        while (all.size() < count) {
            const std::size_t held = all.size();
            all.resize(held + static_cast<std::size_t>(std::min(step, count - held)));
            read(all.data() + held, (all.size() - held) * sizeof(T), what);
        }
        return all;
    }
    bool at_end() { return peek(1).empty(); }

    /// The position reached, in lines and bytes of the decoded text.
    struct Place {
        std::uint64_t line = 0;
        std::uint64_t byte = 0;
    };
    Place place() const { return {line_, byte_}; }
    /// Continues at an earlier position. Compressed data is decoded again up to there; a position
    /// before the current one then needs a new InputFile.
    void go_to(const Place& place);

    [[noreturn]] void refuse_line(const std::string& what) const;
    /// Columns count from 1.
    [[noreturn]] void refuse_column(std::size_t column, const std::string& what) const;
    [[noreturn]] void refuse_byte(const std::string& what) const;
    /// Reports an error in the file as a whole.
    [[noreturn]] void refuse(const std::string& what) const;

    const std::string& path() const { return path_; }

  private:
    bool fill();

    std::string path_;
    std::unique_ptr<ByteSource> source_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;     ///< bytes of the buffer that were consumed
    std::uint64_t line_ = 0; ///< lines consumed
    std::uint64_t byte_ = 0; ///< bytes consumed
};

} // namespace memsim::input_files
