#include "core/base/legible.hh"
#include "workload/traces/address_trace.hh"

#include <limits>

namespace memsim::workload {

namespace {

/// Decodes the fields of a protobuf message. A hand-written decoder suffices for a header and five
/// numbers. Unknown fields of later versions are skipped as the encoding defines.
class Message {
  public:
    Message(const InputFile& file, std::string_view bytes)
        : file_(file), at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    /// The number of the next field; 0 at the end. Its value is in `number` or `text`.
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

constexpr std::string_view magic_word = "gem5";

/// The memory effect of a packet's command; `passed_over`: no data is moved, as by an upgrade.
enum class Effect : std::uint8_t { read, write, passed_over, refused };

/// The commands of gem5's MemCmd by number in versions 20 to 25. After StoreCondReq the numbers
/// differ between these versions, too.
constexpr std::array<Effect, 28> effects_v20 = [] {
    std::array<Effect, 28> effects;
    effects.fill(Effect::refused); // responses, and requests that no monitor observes
    // ReadReq, SoftPFReq, SoftPFExReq, HardPFReq, ReadExReq, ReadCleanReq, ReadSharedReq,
    // LoadLockedReq
    for (const unsigned n : {1u, 11u, 12u, 13u, 22u, 24u, 25u, 26u}) effects[n] = Effect::read;
    // WriteReq, WritebackDirty, WritebackClean, WriteClean, WriteLineReq, StoreCondReq
    for (const unsigned n : {4u, 7u, 8u, 9u, 16u, 27u}) effects[n] = Effect::write;
    // CleanEvict, UpgradeReq, SCUpgradeReq
    for (const unsigned n : {10u, 17u, 18u}) effects[n] = Effect::passed_over;
    return effects;
}();

class Gem5 final : public TraceReader {
  public:
    Gem5(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : file_(std::move(file)), commands_(options.gem5) {
        char magic[4];
        file_->read(magic, sizeof magic, "the magic number");
        if (std::string_view(magic, 4) != magic_word)
            file_->refuse("is no packet trace of gem5: it does not begin with 'gem5'");
        if (!read_message()) file_->refuse_byte("the trace is truncated: its header is missing");
        Message m(*file_, bytes_);
        std::uint64_t version = 0;
        while (const unsigned field = m.next()) {
            if (field == 1) about_.emplace_back("object", legible(m.text));
            if (field == 2) version = m.number;
            if (field == 3) frequency_ = m.number;
        }
        if (version != 0)
            file_->refuse("is of version " + std::to_string(version) +
                          " of gem5's packet traces; only version 0 is supported");
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
        do
            if (!read_message()) return false;
        while (!parse(r));
        place_.byte = file_->place().byte;
        return true;
    }
    /// Returns false if the packet moves no data.
    bool parse(TraceRecord& r) {
        r = {};
        Effect effect = Effect::refused;
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
                effect = effect_of(m.number);
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
        r.command = effect == Effect::write ? TraceCommandKind::write : TraceCommandKind::read;
        return effect != Effect::passed_over;
    }
    Effect effect_of(std::uint64_t command) const {
        if (command == 1) return Effect::read;
        if (command == 4) return Effect::write;
        const std::string what = "the packet that ends here has command " + std::to_string(command);
        if (commands_ == Gem5Commands::common)
            file_->refuse_byte(what + "; only 1 (ReadReq) and 4 (WriteReq) mean the same in all "
                                      "versions of gem5: if one from 20 to 25 wrote the trace, "
                                      "state gem5 as v20");
        if (command >= effects_v20.size() || effects_v20[command] == Effect::refused)
            file_->refuse_byte(what + ", which is no request to a memory in gem5 20 to 25");
        return effects_v20[command];
    }
    void refuse(const std::string& what) const override { file_->refuse_byte(what); }
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
        if (size > 1 << 20) file_->refuse_byte("a packet of more than 1 MiB: the trace is damaged");
        bytes_.resize(size);
        file_->read(bytes_.data(), size, "a packet");
        return true;
    }

    std::unique_ptr<InputFile> file_;
    Gem5Commands commands_;
    std::string bytes_;
    std::uint64_t frequency_ = 0;
    std::vector<std::pair<std::string, std::string>> about_;
};

const Named<TraceFormat> gem5 {
    "gem5",
    {.title = "gem5",
     .notes = "packet trace, plain or gzip; write-backs and prefetches with `gem5=\"v20\"`",
     .written = true,
     .detect = [](const FileHead& h) { return h.bytes.starts_with(magic_word); },
     .open = [](std::unique_ptr<InputFile> file,
                const TraceOptions& options) -> std::unique_ptr<TraceReader> {
         return std::make_unique<Gem5>(std::move(file), options);
     }}};

} // namespace

} // namespace memsim::workload
