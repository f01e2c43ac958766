#include "input_files/input_file.hh"

#include "core/base/heed.hh"
#include "core/base/legible.hh"

#include <lzma.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace memsim::input_files {

namespace {

constexpr std::size_t piece = 1 << 16;
constexpr std::uint64_t most_dictionary = 256 << 20; ///< of an xz file; xz -9 uses 64 MiB

[[noreturn]] void refuse_file(const std::string& path, const std::string& what) {
    throw ConfigError(legible(path + ": " + what));
}

class PlainSource final : public ByteSource {
  public:
    explicit PlainSource(const std::string& path) : path_(path) {
        check_regular(path);
        file_.reset(std::fopen(path.c_str(), "rb"));
        if (!file_)
            refuse_file(path, std::string("cannot be opened (") + std::strerror(errno) +
                                  "): name a file that can be read");
    }
    std::size_t read(char* to, std::size_t size) override {
        const std::size_t n = std::fread(to, 1, size, file_.get());
        if (n < size && std::ferror(file_.get()))
            refuse_file(path_, std::string("cannot be read: ") + std::strerror(errno));
        return n;
    }
    bool seek(std::uint64_t byte) override {
        return fseeko(file_.get(), static_cast<off_t>(byte), SEEK_SET) == 0;
    }
    std::string head(std::size_t size) {
        std::string bytes(size, '\0');
        bytes.resize(read(bytes.data(), size));
        std::rewind(file_.get());
        return bytes;
    }

  private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

class GzipSource final : public ByteSource {
  public:
    GzipSource(const std::string& path, std::unique_ptr<PlainSource> raw)
        : path_(path), raw_(std::move(raw)) {
        constexpr int gzip_header = 16; // added to the size of the window
        MEMSIM_ASSERT(inflateInit2(&zlib_, MAX_WBITS + gzip_header) == Z_OK,
                      "zlib refuses to start");
    }
    ~GzipSource() override { inflateEnd(&zlib_); }

    std::size_t read(char* to, std::size_t size) override {
        zlib_.next_out = reinterpret_cast<Bytef*>(to);
        zlib_.avail_out = static_cast<uInt>(size);
        while (zlib_.avail_out == size && !finished_) {
            if (zlib_.avail_in == 0) refill();
            if (finished_) break;
            if (zlib_.avail_in == 0) refuse_file(path_, "the gzip data is cut off; fetch it again");
            between_ = false;
            const int result = inflate(&zlib_, Z_NO_FLUSH);
            if (result == Z_STREAM_END) {
                between_ = true;
                inflateReset(&zlib_); // another member may follow
            } else if (result != Z_OK && result != Z_BUF_ERROR) {
                refuse_file(path_, "the gzip data is damaged; fetch it again");
            }
        }
        return size - zlib_.avail_out;
    }

  private:
    void refill() {
        zlib_.avail_in = static_cast<uInt>(raw_->read(in_, piece));
        zlib_.next_in = reinterpret_cast<Bytef*>(in_);
        finished_ = zlib_.avail_in == 0 && between_;
    }

    std::string path_;
    std::unique_ptr<PlainSource> raw_;
    z_stream zlib_ {};
    bool between_ = false; ///< a member has ended and the next has not begun
    bool finished_ = false;
    char in_[piece];
};

class XzSource final : public ByteSource {
  public:
    XzSource(const std::string& path, std::unique_ptr<PlainSource> raw)
        : path_(path), raw_(std::move(raw)) {
        MEMSIM_ASSERT(lzma_stream_decoder(&lzma_, most_dictionary, LZMA_CONCATENATED) == LZMA_OK,
                      "liblzma refuses to start");
    }
    ~XzSource() override { lzma_end(&lzma_); }

    std::size_t read(char* to, std::size_t size) override {
        lzma_.next_out = reinterpret_cast<std::uint8_t*>(to);
        lzma_.avail_out = size;
        while (lzma_.avail_out == size && !finished_) {
            if (lzma_.avail_in == 0 && !last_) {
                lzma_.avail_in = raw_->read(in_, piece);
                lzma_.next_in = reinterpret_cast<std::uint8_t*>(in_);
                last_ = lzma_.avail_in == 0;
            }
            const lzma_ret result = lzma_code(&lzma_, last_ ? LZMA_FINISH : LZMA_RUN);
            if (result == LZMA_STREAM_END)
                finished_ = true;
            else if (result == LZMA_BUF_ERROR && last_)
                refuse_file(path_, "the xz data is cut off; fetch it again");
            else if (result == LZMA_MEMLIMIT_ERROR)
                refuse_file(path_, "the xz data needs a dictionary of over 256 MiB; pack the file "
                                   "again with xz -9 or less");
            else if (result != LZMA_OK && result != LZMA_BUF_ERROR)
                refuse_file(path_, "the xz data is damaged; fetch it again");
        }
        return size - lzma_.avail_out;
    }

  private:
    std::string path_;
    std::unique_ptr<PlainSource> raw_;
    lzma_stream lzma_ = LZMA_STREAM_INIT;
    bool last_ = false; ///< no more input
    bool finished_ = false;
    char in_[piece];
};

std::unique_ptr<ByteSource> open(const std::string& path) {
    auto raw = std::make_unique<PlainSource>(path);
    const std::string head = raw->head(6);
    if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipSource>(path, std::move(raw));
    if (head == std::string_view("\xfd"
                                 "7zXZ\0",
                                 6))
        return std::make_unique<XzSource>(path, std::move(raw));
    return raw;
}

} // namespace

void check_regular(const std::string& path) {
    std::error_code unknown;
    const auto status = std::filesystem::status(path, unknown);
    if (is_directory(status)) refuse_file(path, "is a directory: name a file");
    if (exists(status) && !is_regular_file(status))
        refuse_file(path, "is a pipe or a device: write its contents into a file");
}

InputFile::InputFile(const std::string& path) : path_(path), source_(open(path)) {}

bool InputFile::fill() {
    heed();
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const std::size_t held = buffer_.size();
    buffer_.resize(held + piece);
    buffer_.resize(held + source_->read(buffer_.data() + held, piece));
    return buffer_.size() > held;
}

std::string_view InputFile::peek(std::size_t size) {
    while (buffer_.size() - at_ < size && fill())
        ;
    return std::string_view(buffer_.data() + at_, std::min(size, buffer_.size() - at_));
}

bool InputFile::next_line(std::string_view& line) {
    constexpr std::size_t longest = 1 << 20; // no supported text format has longer lines
    std::size_t searched = 0;
    const char* end = nullptr;
    for (;;) {
        const char* from = buffer_.data() + at_;
        const std::size_t held = buffer_.size() - at_;
        if (held > searched)
            end = static_cast<const char*>(std::memchr(from + searched, '\n', held - searched));
        if (end != nullptr) break;
        searched = held;
        if (held > longest) {
            ++line_;
            refuse_line("a line of over 1 MiB, so this is not a text file");
        }
        if (!fill()) break;
    }
    const char* from = buffer_.data() + at_;
    std::size_t size = end != nullptr ? static_cast<std::size_t>(end - from) : buffer_.size() - at_;
    if (end == nullptr && size == 0) return false;
    ++line_;
    const std::size_t taken = size + (end != nullptr ? 1 : 0);
    at_ += taken;
    byte_ += taken;
    if (size > 0 && from[size - 1] == '\r') --size;
    line = std::string_view(from, size);
    return true;
}

void InputFile::read(void* to, std::size_t size, std::string_view what) {
    char* at = static_cast<char*>(to);
    while (size > 0) {
        if (at_ == buffer_.size() && !fill())
            refuse_byte("the file ends inside " + std::string(what) + ", " + std::to_string(size) +
                        " bytes too early; fetch it again");
        const std::size_t n = std::min(size, buffer_.size() - at_);
        std::memcpy(at, buffer_.data() + at_, n);
        at += n, at_ += n, byte_ += n, size -= n;
    }
}

void InputFile::go_to(const Place& place) {
    if (source_->seek(place.byte)) {
        buffer_.clear();
        at_ = 0;
    } else {
        MEMSIM_ASSERT(byte_ <= place.byte, "a packed file is read forwards");
        for (std::uint64_t left = place.byte - byte_; left > 0;) {
            if (at_ == buffer_.size() && !fill())
                refuse("is shorter than when it was read last: put the file back as it was");
            const std::uint64_t n = std::min<std::uint64_t>(left, buffer_.size() - at_);
            at_ += n, left -= n;
        }
    }
    byte_ = place.byte;
    line_ = place.line;
}

void InputFile::refuse_column(std::size_t column, const std::string& what) const {
    refuse_file(path_, "line " + std::to_string(line_) + ", column " + std::to_string(column) +
                           ": " + what);
}
void InputFile::refuse_line(const std::string& what) const {
    refuse_file(path_, "line " + std::to_string(line_) + ": " + what);
}
void InputFile::refuse_byte(const std::string& what) const {
    refuse_file(path_, "byte " + std::to_string(byte_) + ": " + what);
}
void InputFile::refuse(const std::string& what) const { refuse_file(path_, what); }

} // namespace memsim::input_files
