#pragma once

#include "core/kernel/component.hh"
#include "core/kernel/handler.hh"
#include "zng/package/plane_operations.hh"
#include "zng/package/write_path.hh"

#include <optional>

namespace memsim::zng {

/// A flash package of ZnG: Z-NAND planes with a programmable row decoder, and registers that cache
/// writes.
///
/// A line that is written goes to the register that holds its page, or to a free one, and is
/// answered. When less than `spare` registers are free, or a write finds none, the page written
/// longest ago is programmed to the next free page of its log block (the decoder's register of
/// in-order programming), and the LPMT names that page from then on. A page of which something is
/// missing is sensed and merged first. A read is served by registers as far as they hold its
/// sectors; for the rest the plane senses the page that the LPMT finds, or else the data page, and
/// the newest version of each byte wins. With `transfer` = page all other lines of the page that
/// was sensed follow those that were asked for, and hold the plane until they have left. A plane
/// has a data register besides: a page that is sensed, or on its way to be programmed from another
/// plane's register, holds it. It works for one page at a time. With nif the registers of a plane
/// share a bus to the ports: a line at a time crosses it, and an answer stays first of its port
/// until the bus of its plane is free. Reads go before programs unless
/// writes wait for a register or a program has waited for `patience`. Where nobody
/// `collects`, a full log block goes on in an erased block of its plane. Otherwise a page whose log
/// block is full stays in its register until a collector moves it: moves need no register, and what
/// comes for a page that has begun to move is forwarded to its new place, so writes that wait for
/// registers and a collector cannot wait for each other.
///
/// Its parts lie in zng/package/: registers, row decoders, reads and writes that wait, workers (the
/// planes, or dies), the wires between registers; the read path, the write path and the planes'
/// operations work on them.
///
/// Precondition: requests to one line come one after another, each when the one before was
/// answered. Not modelled: suspend, read retry, bad blocks, programming without merging, the time
/// of the LPMT's programming (within tPROG), the way from a plane to the ports in other networks.
class Package final : public Model<Package>,
                      public Functional,
                      public HasPackageGeometry,
                      private package::Alarm {
  public:
    using Params = package::Params;
    struct Ports {
        Many<In<FlashPacket>> input {from<&Params::ports>,
                                     {.depth = from<&Params::port_queue>},
                                     "Requests from the flash network"};
        Many<Out<FlashPacket>> output {
            from<&Params::ports>, {.latency = from<&Params::latency>}, "Answers to the network"};
    };
    using Stats = package::Stats;
    using State = package::State;
    struct Done {
        std::uint32_t worker = 0;
    };

    explicit Package(const Params& p) : params(p) {}
    const PackageGeometry& package_geometry() const override { return params.geometry; }
    unsigned network_ports() const override { return params.ports(); }
    void init() override;
    void wake() override;
    bool pending() const override { return state.answers.outstanding + state.workers.busy > 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const flash::NandTiming& timing() const { return timing_; }
    const flash::NandArray& array() const { return parts_->array; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void accept(const FlashPacket& p, unsigned from_port);
    void send_answers();
    void finish_in(Time t, std::uint32_t worker) override;
    void worker_done(const Done& d) { parts_->workers.mark_done(d.worker); }

    struct Parts : package::Core {
        package::ReadPath reading {*this};
        package::WritePath writing {*this};
        package::PlaneOperations planes {*this, reading};
        using Core::Core;
    };
    flash::NandTiming timing_ {};
    std::optional<Parts> parts_; ///< work on State
};

} // namespace memsim::zng
