#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "flash/hbf/bank.hh"
#include "flash/hbf/base_buffer.hh"
#include "flash/hbf/cells.hh"
#include "flash/hbf/figures.hh"
#include "flash/hbf/share.hh"
#include "flash/hbf/wires.hh"
#include "protocol/block_refresh.hh"

#include <optional>

namespace memsim::flash {

/// A stack of High Bandwidth Flash (HBF), as the OCP architecture describes it: reads of 32 to 128
/// bytes over pages that are sensed as a whole, pages that the host programs and erases.
///
/// Models        Channels, dies, banks with two page buffers each, wires in blocks of 64 bytes,
///               senses with retries, programs and erases, wear, read disturb, energy; with
///               `buffer` an SRAM of the base die that keeps sensed pages.
/// Ordering      A bank serves the oldest request that needs its array. Reads of a page that a
///               buffer holds do not wait for it, and reads of a page that is being sensed join.
/// Requires      A read at `cpu_side` lies within a page and asks for written pages. The host
///               programs pages of an erased block in order: the device collects nothing.
/// Guarantees    Every request that expects a response is answered once. A program is answered
///               when the array has it.
/// Hints         A hint at `cpu_side` brings its page into a buffer; without room it is dropped.
/// Not modelled  Loss of data, suspension of programs, bad blocks, retention, limits of power,
///               energy of erases.
/// See           docs/models/hbf.md
class HbfStack final : public Model<HbfStack>,
                       public Functional,
                       public protocol::HasFlashTimes,
                       public protocol::HasFlashGeometry {
  public:
    struct Params {
        HbfShape shape;
        HbfShare share;
        HbfTimes times;
        HbfReliability reliability;
        HbfEnergies energies;
        Param<Bytes> buffer {
            0_B,
            {0_B, 1_GiB},
            "SRAM of the base die that keeps the pages sensed last; 0B: none",
            assumed("optional in the OCP architecture; H3 (IEEE CAL 2026) has 40 MB")
                .swept("8MiB", "40MiB")};
        Param<bool> written {
            true, "Whether all blocks hold data when the run begins, such as weights of a model"};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to a port"};
        Param<unsigned> requests {4096,
                                  {1, 1u << 20},
                                  "Reads accepted that wait for a sense",
                                  assumed("enough for a link")};
        Param<unsigned> commands {64, {1, 65536}, "Commands of the host accepted and not done"};
    };
    struct Ports {
        Optional<Responder<protocol::Mem>> cpu_side {
            {.depth = from<&Params::queue>,
             .latency = from<&Params::times, &HbfTimes::latency>,
             .hints = true},
            "Reads and hints"};
        Many<Responder<protocol::Flash>> host {
            {.depth = from<&Params::queue>, .latency = from<&Params::times, &HbfTimes::latency>},
            "Commands of the host to a channel each: pages to read and program, blocks to erase"};
        Optional<Out<protocol::BlockRefresh>> refreshes {
            {}, "Blocks that the host is asked to refresh"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads answered"};
        Counter bytes {Unit::byte, "Bytes of reads, as asked for"};
        Counter buffer_hits {Unit::count, "Reads whose page a page buffer held"};
        Counter base_hits {Unit::count, "Reads whose page the base die held"};
        Counter joined {Unit::count, "Reads that share the sense of another"};
        Counter hints {Unit::count, "Hints that a sense follows"};
        Counter dropped_hints {Unit::count,
                               "Hints of pages that are here or coming, or without room"};
        HbfCellStats cells;
        Counter stalls {Unit::count, "Times that a request waited for a free slot"};
        HbfWireStats wires;
        Distribution read_latency {Unit::time, "Time from a read's acceptance to its last byte"};
        PerSecond bandwidth {bytes, "Bytes asked for and moved a second of simulated time"};
        HbfFigures figures;
    };
    struct Read {
        protocol::MemRequest request;
        HbfPlace place;
        Tick since = 0;
    };
    struct HostCommand {
        protocol::FlashRequest request;
        HbfPlace place;
        Tick since = 0;
    };
    struct Due {
        std::uint32_t bank = 0;
    };
    struct State {
        std::vector<HbfBank> banks;
        std::vector<Read> reads;
        FreeList free_reads;
        std::vector<HostCommand> commands;
        FreeList free_commands;
        std::vector<std::uint32_t> due; ///< banks whose time has come in this tick
        bool stalled = false;           ///< the first request waits for a slot, which is counted
        HbfWiresState wires;
        HbfBaseBuffer base;
        HbfCellState cells;
    };

    explicit HbfStack(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return under_way() > 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::FlashTimes flash_times() const override;
    protocol::FlashGeometry flash_geometry() const override { return params.shape.of_host(); }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void bank_due(const Due& due) { state.due.push_back(due.bank); }
    bool take_read();
    bool take_command(std::uint32_t channel);
    bool stall();
    HbfPlace place_of(const protocol::MemRequest& r) const;
    void advance_bank(std::uint32_t bank);
    void begin_work(HbfBank& bank);
    void begin_sense(HbfBank& bank, const HbfPlace& at, std::uint8_t buffer);
    void begin_program(HbfBank& bank, const HostCommand& c, std::uint8_t buffer);
    void begin_erase(HbfBank& bank, const HostCommand& c);
    void finish_work(HbfBank& bank);
    Tick deliver(const protocol::MemRequest& r, const HbfPlace& at, Tick since);
    void answer_command(std::uint32_t command, Tick delay);
    Contents::Id data_of(const protocol::MemRequest& r, const HbfPlace& at);
    void report_refreshes();
    std::size_t under_way() const {
        return state.reads.size() - state.free_reads.size() + state.commands.size() -
               state.free_commands.size();
    }
    std::uint64_t within(std::uint64_t address) const {
        return dealt_ ? dealt_->within(address) : address;
    }

    HbfGeometry geometry_;
    std::optional<device_parts::HashedInterleave> dealt_; ///< of a share of the addresses
    std::optional<HbfCells> cells_;                       ///< these work on State
    std::optional<HbfWires> wires_;
};

} // namespace memsim::flash
