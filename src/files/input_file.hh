#pragma once

#include "core/base/error.hh"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace memsim::files {

/// Where decoded bytes come from; chosen by a file's first bytes.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// Up to `size` bytes; 0 only at the end.
    virtual std::size_t read(char* to, std::size_t size) = 0;
    /// Goes on at this byte, if the source can without reading what lies before.
    virtual bool seek(std::uint64_t) { return false; }
};

/// Refuses what is there and is no regular file: a directory opens without complaint, a pipe waits,
/// and a device may have no end.
void check_regular(const std::string& path);

/// A file that is read once from front to back, in pieces; gzip and xz (known by their first bytes)
/// are decoded on the way, several streams in a row included. What is wrong with it is one
/// ConfigError that names the file and, from refuse(), the line or byte (of the decoded text)
/// reached, legible whatever bytes it quotes. A process that is told to end does so between two
/// pieces.
class InputFile {
  public:
    explicit InputFile(const std::string& path);

    /// The next bytes without taking them; fewer than `size` only at the end of the file.
    std::string_view peek(std::size_t size);
    /// Takes the next line without its end (LF or CR LF). False at the end of the file.
    bool next_line(std::string_view& line);
    /// Takes exactly `size` bytes; `what` names them if they are not there.
    void read(void* to, std::size_t size, std::string_view what);
    /// Takes an array of `count` elements; it grows as the file does, so a header that lies about
    /// the count costs no memory.
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

    /// How far it was read: lines and bytes of the decoded text.
    struct Place {
        std::uint64_t line = 0;
        std::uint64_t byte = 0;
    };
    Place place() const { return {line_, byte_}; }
    /// Goes on at a place where it was before. What is packed is decoded again up to there, so a
    /// place before this one takes a new InputFile.
    void go_to(const Place& place);

    [[noreturn]] void refuse_line(const std::string& what) const;
    /// Columns count from 1.
    [[noreturn]] void refuse_column(std::size_t column, const std::string& what) const;
    [[noreturn]] void refuse_byte(const std::string& what) const;
    /// For what is wrong with the file as a whole.
    [[noreturn]] void refuse(const std::string& what) const;

    const std::string& path() const { return path_; }

  private:
    bool fill();

    std::string path_;
    std::unique_ptr<ByteSource> source_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;     ///< bytes of the buffer that were taken
    std::uint64_t line_ = 0; ///< lines taken
    std::uint64_t byte_ = 0; ///< bytes taken
};

} // namespace memsim::files
