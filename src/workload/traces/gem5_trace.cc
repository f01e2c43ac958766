#include "core/legible.hh"
#include "workload/traces/readers.hh"

#include <limits>

namespace memsim::workload {

namespace {

/// Fields of a protobuf message, by hand: a header and five numbers do not need the whole schema,
/// and unknown fields of later versions are passed over as the encoding says.
class Message {
  public:
    Message(const InputFile& file, std::string_view bytes)
        : file_(file), at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    /// The next field's number; 0 at the end. Its value is in `number` or in `text`.
    unsigned next() {
        if (at_ == end_) return 0;
        const std::uint64_t key = varint();
        text = {};
        number = 0;
        switch (key & 7) {
        case 0:
            number = varint();
            break;
        case 1:
            take(8);
            break;
        case 2:
            text = take(varint());
            break;
        case 5:
            take(4);
            break;
        default:
            damaged();
        }
        if (key >> 3 == 0 || key >> 3 > 1u << 29) damaged();
        return static_cast<unsigned>(key >> 3);
    }
    std::uint64_t number = 0;
    std::string_view text;

  private:
    std::uint64_t varint() {
        std::uint64_t v = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == end_) damaged();
            const auto byte = static_cast<unsigned char>(*at_++);
            v |= std::uint64_t {byte & 0x7fu} << shift;
            if (byte < 0x80) return v;
        }
        damaged();
    }
    std::string_view take(std::uint64_t n) {
        if (n > static_cast<std::uint64_t>(end_ - at_)) damaged();
        at_ += n;
        return {at_ - n, static_cast<std::size_t>(n)};
    }
    [[noreturn]] void damaged() const {
        file_.refuse_byte("the message that ends here is damaged");
    }

    const InputFile& file_;
    const char* at_;
    const char* end_;
};

class Gem5 final : public TraceReader {
  public:
    explicit Gem5(std::unique_ptr<InputFile> file) : file_(std::move(file)) {
        char magic[4];
        file_->read(magic, sizeof magic, "the magic number");
        if (std::string_view(magic, 4) != gem5_magic)
            file_->refuse("is no packet trace of gem5: it does not begin with 'gem5'");
        if (!read_message()) file_->refuse_byte("the trace is cut off: its header is missing");
        Message m(*file_, bytes_);
        std::uint64_t version = 0;
        while (const unsigned field = m.next()) {
            if (field == 1) about_.emplace_back("object", legible(m.text));
            if (field == 2) version = m.number;
            if (field == 3) frequency_ = m.number;
        }
        if (version != 0)
            file_->refuse("is of version " + std::to_string(version) +
                          " of gem5's packet traces; version 0 is read");
        if (frequency_ == 0) file_->refuse("does not state the frequency of its ticks");
        about_.emplace_back("ticks a second", std::to_string(frequency_));
        place_.byte = file_->place().byte;
    }
    void go_to(const TracePlace& place) override {
        file_->go_to({place.line, place.byte});
        place_ = place;
    }
    std::vector<std::pair<std::string, std::string>> about() const override { return about_; }

  private:
    bool read(TraceRecord& r) override {
        if (!read_message()) return false;
        r = {};
        bool tick = false, command = false, address = false, size = false;
        for (Message m(*file_, bytes_); const unsigned field = m.next();) {
            switch (field) {
            case 1: {
                const Int128 t = Int128 {m.number} * 1'000'000'000'000'000 / frequency_;
                if (m.number >> 63 || t > Int128 {std::numeric_limits<std::int64_t>::max()})
                    file_->refuse_byte("the packet that ends here is at a tick beyond the end of "
                                       "simulated time");
                r.time = static_cast<std::int64_t>(t);
                tick = true;
                break;
            }
            case 2:
                if (m.number != 1 && m.number != 4)
                    file_->refuse_byte("the packet that ends here has command " +
                                       std::to_string(m.number) +
                                       "; only 1 (ReadReq) and 4 (WriteReq) mean the same in all "
                                       "versions of gem5");
                r.command = m.number == 4 ? TraceCommandKind::write : TraceCommandKind::read;
                command = true;
                break;
            case 3:
                r.address = m.number;
                address = true;
                break;
            case 4:
                if (m.number == 0 || m.number > 1u << 31)
                    file_->refuse_byte("the packet that ends here has " + std::to_string(m.number) +
                                       " bytes");
                r.bytes = static_cast<std::uint32_t>(m.number);
                size = true;
                break;
            case 7:
                r.pc = m.number;
                break;
            default:
                break;
            }
        }
        if (!tick || !command || !address || !size)
            file_->refuse_byte("the packet that ends here has no tick, command, address or size");
        place_.byte = file_->place().byte;
        return true;
    }
    bool read_message() {
        if (file_->at_end()) return false;
        std::uint64_t size = 0;
        for (unsigned shift = 0;; shift += 7) {
            unsigned char byte;
            file_->read(&byte, 1, "the length of a packet");
            size |= std::uint64_t {byte & 0x7fu} << shift;
            if (byte < 0x80) break;
            if (shift == 28) file_->refuse_byte("the length of a packet has more than 32 bits");
        }
        if (size > 1 << 20) file_->refuse_byte("a packet of over 1 MiB, so the trace is damaged");
        bytes_.resize(size);
        file_->read(bytes_.data(), size, "a packet");
        return true;
    }

    std::unique_ptr<InputFile> file_;
    std::string bytes_;
    std::uint64_t frequency_ = 0;
    std::vector<std::pair<std::string, std::string>> about_;
};

} // namespace

std::unique_ptr<TraceReader> gem5_reader(std::unique_ptr<InputFile> file) {
    return std::make_unique<Gem5>(std::move(file));
}

} // namespace memsim::workload
