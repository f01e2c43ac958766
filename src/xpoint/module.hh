#pragma once

#include "xpoint/device.hh"
#include "xpoint/figures.hh"

namespace memsim::xpoint {

/// One 3D XPoint module: the media and the controller in its logic layer (Ohm-GPU III-A), behind
/// DDR-T. Its parts are loads, read buffer and write buffer (xpoint/device.hh), and partitions,
/// Start-Gap and wear (xpoint/media.hh).
///
/// Ordering      Reads and writes of a line take effect in order of arrival: a write to a line
///               being read stalls the queue.
/// Not modelled  ECC and its failures, bit-level write schemes, media power limits, refresh of
///               disturbed lines, energy of the controller and its buffers.
class Module final : public Model<Module>, public Functional, public HasFigures {
  public:
    struct Params {
        MediaParams media;
        DeviceParams device;
    };
    struct Ports {
        DevicePorts<Params> device;
    };
    struct Stats {
        DeviceStats device;
        MediaStats media;
        WearStats wear;
    };
    struct State {
        DeviceState device;
        Timer next;
    };

    explicit Module(const Params& p) : params(p) {}
    Figures figures() const override { return {params.media, params.device}; }
    void init() override;
    void wake() override;
    bool pending() const override { return device_->pending(); }
    void waits_on(WaitReport& report) const override { device_->waits_on(path(), report); }
    void check_loaded(Loader& l) const override { device_->check_loaded(l); }
    std::optional<std::string> imbalance() const override { return device_->imbalance(); }
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::optional<Device> device_;
};

} // namespace memsim::xpoint
