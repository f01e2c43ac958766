#pragma once

#include "core/kernel/component.hh"
#include "core/kernel/handler.hh"
#include "zng/package/plane_operations.hh"
#include "zng/package/write_path.hh"

#include <optional>

namespace memsim::zng {

/// A flash package of ZnG: Z-NAND planes with programmable row decoders, and registers that cache
/// writes.
///
/// Models        writes: a line is written to the register that holds its page, or to a free one,
///               and answered. If fewer than `spare` registers are free, or a write finds none, the
///               page written longest ago is programmed to the next free page of its log block
///               (in-order programming by the row decoder), and the LPMT then names that page. An
///               incomplete page is sensed and merged first. Reads: registers supply the sectors
///               that they hold. For the rest the plane senses the page that the LPMT names, or
///               else the data page; the newest version of each byte is returned. With `transfer` =
///               page, the other lines of the sensed page follow the requested ones and occupy the
///               plane until they have left. A plane has a data register for one page: a page being
///               sensed, or a page from a register of another plane that is to be programmed. With
///               nif, the registers of a plane share a bus to the ports: it carries one line at a
///               time, and an answer blocks its port until the bus of its plane is free.
/// Ordering      Reads precede programs unless writes wait for a register or a program has waited
///               for `patience`.
/// Guarantees    Writes that wait for registers and a collector cannot wait for each other. A page
///               whose log block is full stays in its register until a collector extends the log
///               block or moves the page. Moves need no register, and requests for a moving page
///               are forwarded to its new place.
/// Requires      Requests to one line are sent one at a time, each after the previous answer.
/// Not modelled  Suspend; read retry; bad blocks; programming without merging; the time to program
///               the LPMT (hidden by tPROG); the path from a plane to the ports in networks other
///               than nif.
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
        Many<Out<FlashPacket>> output {from<&Params::ports>,
                                       {.latency = from<&Params::latency>},
                                       "Answers to the flash network"};
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
    std::optional<Parts> parts_; ///< operate on State
};

} // namespace memsim::zng
