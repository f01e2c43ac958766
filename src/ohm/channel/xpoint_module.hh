#pragma once

#include "ohm/channel/page_swapper.hh"
#include "ohm/channel/snarf_register.hh"
#include "xpoint/figures.hh"

namespace memsim::ohm {

using namespace memsim::literals;

/// The XPoint module of Ohm-GPU: xpoint.Module with an autonomous controller in its logic layer.
/// The controller snarfs DRAM lines that pass on the channel (auto-read/write,
/// ohm/channel/snarf_register.hh). With `swaps` it exchanges pages with the DRAM over the memory
/// route (the swap function, ohm/channel/page_swapper.hh).
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
            "Capacity of the register for snarfed lines in front of the device",
            stated("Ohm-GPU III-A: 16 KB")};
        Param<unsigned> swaps {0,
                               {0, 64},
                               "Concurrent swaps by the module, with a register of two pages each "
                               "(0: no swap function)",
                               switched_off()};
    };
    struct Ports {
        xpoint::DevicePorts<Params> device;
        Many<Requester<DdrSequence>> dram {
            +[](const void* p) { return static_cast<const Params*>(p)->swaps() ? 1u : 0u; },
            {.depth = +[](const void* p) { return 32 * static_cast<const Params*>(p)->swaps(); },
             .latency = from<&Params::device, &xpoint::DeviceParams::channel_latency>},
            "DDR sequences to the DRAM over the memory route; one port with the swap function"};
    };
    struct Stats {
        xpoint::DeviceStats device;
        xpoint::MediaStats media;
        xpoint::WearStats wear;
        Counter snarfs {Unit::count,
                        "DRAM lines that passed on the channel and whose tags were compared"};
        Counter snarfed {Unit::count, "Lines on the channel whose dirty victims were taken over"};
        Level in_register {Unit::count, "Snarfed lines that wait for the write buffer"};
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
