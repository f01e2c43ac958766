#pragma once

#include "ohm/channel/page_swapper.hh"
#include "ohm/channel/snarf_register.hh"
#include "xpoint/figures.hh"

namespace memsim::ohm {

using namespace memsim::literals;

/// The XPoint module of Ohm-GPU: the device of xpoint.Module with what the controller in its logic
/// layer does by itself. It snarfs lines of DRAM that it sees pass (auto-read/write,
/// ohm/channel/snarf_register.hh), and with `swaps` it exchanges pages with the DRAM over the
/// memory route (the swap function, ohm/channel/page_swapper.hh).
class XpointModule final : public Model<XpointModule>,
                           public Functional,
                           public xpoint::HasFigures {
  public:
    struct Params {
        xpoint::MediaParams media;
        xpoint::DeviceParams device;
        Param<Bytes> snarf_register {
            16_KiB,
            {128_B, 1_MiB},
            "Capacity of the register in front of the device, for snarfed lines",
            stated("Ohm-GPU III-A: 16 KB")};
        Param<unsigned> swaps {
            0, {0, 64}, "Swaps by itself at most, two pages of register each; 0: no swap function"};
    };
    struct Ports {
        xpoint::DevicePorts<Params> device;
        Many<Requester<DdrSequence>> dram {
            +[](const void* p) { return static_cast<const Params*>(p)->swaps() ? 1u : 0u; },
            {.depth = +[](const void* p) { return 32 * static_cast<const Params*>(p)->swaps(); },
             .latency = from<&Params::device, &xpoint::DeviceParams::channel_latency>},
            "DDR sequences to the DRAM over the memory route; one with the swap function"};
    };
    struct Stats {
        xpoint::DeviceStats device;
        xpoint::MediaStats media;
        xpoint::WearStats wear;
        Counter snarfs {Unit::count, "Lines of DRAM seen passing, and their tags compared"};
        Counter snarfed {Unit::count,
                         "Lines seen on the channel whose dirty victims were taken over"};
        Level in_register {Unit::count, "Snarfed lines waiting for the write buffer"};
        Counter swaps {Unit::count, "Pages exchanged with the DRAM by the swap function"};
    };
    struct State {
        xpoint::DeviceState device;
        SnarfRegister snarfed;
        PageSwapperState swapper;
        Timer next;
    };

    explicit XpointModule(const Params& p) : params(p) {}
    xpoint::Figures figures() const override {
        return {params.media, params.device, params.snarf_register(), params.swaps()};
    }
    void init() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override { return device_->imbalance(); }
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void take_grants();
    bool accept(const protocol::DdrtCommand& c);
    void snarf(const protocol::DdrtCommand& c);
    void empty_register();
    void loaded(std::uint32_t load);

    std::optional<xpoint::Device> device_;
    std::optional<PageSwapper> swapper_; ///< with the swap function
};

} // namespace memsim::ohm
