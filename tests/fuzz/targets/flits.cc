#include "../target.hh"

#include "cxl/flit/crc.hh"
#include "cxl/link/link_layer.hh"
#include "cxl/link/mode256.hh"

/// Flits as they come to one end of a CXL link, in each flit mode, between what that end does
/// itself. A flit whose check bytes are wrong is dropped at once: most of them get right ones here.
namespace memsim::test {

namespace {

using namespace cxl;

class Bytes {
  public:
    explicit Bytes(std::string_view all) : all_(all) {}
    bool empty() const { return all_.empty(); }
    std::uint8_t one() {
        if (all_.empty()) return 0;
        const auto byte = static_cast<std::uint8_t>(all_[0]);
        all_.remove_prefix(1);
        return byte;
    }
    /// Zeros where there are no more.
    void fill(std::span<std::uint8_t> to) {
        for (std::uint8_t& byte : to) byte = one();
    }

  private:
    std::string_view all_;
};

/// A flit with right check bytes.
void repair(std::span<std::uint8_t> bytes, bool large, bool optimised) {
    if (!large) {
        const Flit flit = read_bytes(bytes.data()).flit;
        write_bytes(flit, crc(flit.words), bytes.data());
        return;
    }
    const Layout256 layout(optimised);
    layout.write(layout.header(bytes.data()), layout.read(bytes.data()), bytes.data());
}

/// What the device sends, or the host.
Message message(Bytes& from, bool device) {
    constexpr Opcode down[] {Opcode::mem_rd, Opcode::mem_wr, Opcode::mem_wr_ptl, Opcode::atomic},
        up[] {Opcode::cmp, Opcode::mem_data};
    Message m;
    const std::uint8_t what = from.one();
    m.opcode = device ? up[what % 2] : down[what % 4];
    m.half = what & 16;
    m.tag = what;
    return m;
}

void receive_flits(std::string_view input) {
    Bytes bytes(input);
    const std::uint8_t kind = bytes.one();
    const bool device = kind & 1, large = kind & 2, optimised = kind & 4;
    LinkFigures figures;
    figures.device = device;
    figures.credits = {8, 8, 8};
    figures.flush = 100;
    figures.timeout = 1000;
    LinkMessages messages;
    LinkState state68;
    Mode256State state256;
    std::unique_ptr<FlitMode> end;
    if (large)
        end = std::make_unique<Mode256>(figures, messages, state256, optimised);
    else
        end = std::make_unique<LinkLayer>(figures, messages, state68);
    end->init();
    std::array<std::uint8_t, Flit256::bytes> flit {};
    const auto whole = std::span(flit).first(large ? Flit256::bytes : flit_bytes);
    static const std::array<Aside, Asides256::most> asides {};
    for (Tick now = 1; !bytes.empty(); ++now) {
        const std::uint8_t what = bytes.one();
        switch (what % 8) { // 4 to 7: a flit
        case 0:
            end->push(message(bytes, device));
            break;
        case 1:
            now += what * 10;
            if (end->run_timeout(now)) return;
            break;
        case 2:
            if (const auto next = end->next_piece(now)) (void)end->send_piece(next, now);
            break;
        case 3:
            while (end->arrived()) end->give_place(credit_class_of(end->pop().opcode), now);
            break;
        default:
            bytes.fill(whole);
            if (what & 3) repair(whole, large, optimised);
            const std::size_t headers = large ? bytes.one() % (asides.size() + 1) : most_headers;
            const std::span of_headers(asides.data(), headers);
            for (std::size_t at = 0; at < whole.size(); at += end->piece())
                (void)end->receive(now, whole.subspan(at, end->piece()), of_headers, !(what & 128));
        }
    }
}

const FuzzTargetFor flits {
    "flits", [](std::string_view bytes) { as_of_a_checkpoint([&] { receive_flits(bytes); }); }};

} // namespace

} // namespace memsim::test
