#pragma once

#include "core/machine/functional.hh"
#include "xpoint/media.hh"

#include <functional>

namespace memsim::xpoint {

struct DeviceParams {
    using group = void;
    Param<unsigned> loads {64,
                           {1, 64},
                           "Reads accepted and not sent",
                           cited("VANS (MICRO'20), config/vans.cfg, [rmw]: lsq_entries 64")};
    Param<unsigned> read_buffer {
        64,
        {1, 64},
        "Lines of the read buffer",
        cited("VANS (MICRO'20), config/vans.cfg, [rmw]: buffer_entries 64; range 16 to 64")};
    Param<unsigned> write_buffer {
        64,
        {1, 64},
        "Lines of the write buffer",
        cited("VANS (MICRO'20), config/vans.cfg, [rmw]: buffer_entries 64; range 16 to 64")};
    Param<unsigned> drain_high {48,
                                {1, 64},
                                "Lines in the write buffer at which draining begins",
                                assumed("3/4; range 1-64")};
    Param<unsigned> drain_low {16,
                               {0, 63},
                               "Lines in the write buffer at which draining ends",
                               assumed("1/4; range 0-63")};
    Param<unsigned> queue {8, {1, 4096}, "Commands in flight or waiting to be accepted", assumed()};
    Param<Time> ready_latency {5_ns,
                               {1_fs, 1_us},
                               "Time from data in the read buffer until the controller is "
                               "informed: half of the DDR-T handshake of 10 ns",
                               assumed("below Optane's 305 ns random read; range 0-75 ns in all")};
    Param<Time> channel_latency {3300_ps,
                                 {1_fs, 1_us},
                                 "Time from the module to the controller; equal to the "
                                 "controller's (see ohm.PlanarController)",
                                 derived_from("2 x serdes + flight of an optical channel")};
};

/// `Params` has a member `device`.
template <class Params>
struct DevicePorts {
    using group = void;
    template <auto M>
    static constexpr auto of = from<&Params::device, M>;

    Responder<protocol::Ddrt> commands {
        {.depth = of<&DeviceParams::queue>, .latency = of<&DeviceParams::ready_latency>},
        "Commands, answered by ready"};
    Responder<protocol::DdrtTransfer> transfers {
        {.depth = of<&DeviceParams::loads>, .latency = of<&DeviceParams::channel_latency>},
        "Grants, answered by data"};
};

struct DeviceStats {
    using group = void;
    Counter reads {Unit::count, "Read commands accepted"};
    Counter writes {Unit::count, "Write commands accepted"};
    Counter read_bytes {Unit::byte, "Bytes requested by accepted read commands"};
    Counter sent_bytes {Unit::byte, "Bytes sent to the memory controller"};
    Counter write_bytes {Unit::byte, "Bytes received with write commands"};
    Counter read_buffer_hits {Unit::count, "Reads that hit the read buffer"};
    Counter read_merges {Unit::count, "Reads that joined a media read in progress"};
    Counter forwarded {Unit::count, "Reads served from the write buffer"};
    Counter coalesced {Unit::count, "Writes that joined a line in the write buffer"};
    Counter reverse_writes {Unit::count, "Lines sent to the DRAM while the controller snarfs them"};
    Counter stalls {Unit::count, "Commands that waited at the head of the queue"};
    ElapsedTime stall_time {"Time that commands waited at the head of the queue"};
    Distribution read_latency {Unit::time, "Time from a read command's acceptance to its ready"};
};

struct DeviceState {
    /// An accepted read whose data were not sent.
    struct Load {
        std::uint64_t address = 0;
        std::uint32_t id = 0;
        std::uint32_t bytes = 0;
        std::uint16_t sectors = 0; ///< as in the command
        std::uint8_t entry = 0;    ///< of the read buffer, if it waits for the media or holds data
        bool holds_entry = false;
        bool ready = false;
        Tick accepted = 0;
        Contents::Id contents; ///< when ready, if the machine carries contents

        std::uint32_t payload() const { return protocol::payload(*this); }
    };
    struct Grant {
        Tick at = 0;
        std::uint32_t load = 0;
    };
    std::vector<Load> loads;
    std::uint64_t free_loads = 0; ///< bit per free load
    HashMap<std::uint32_t> load_of;
    ReadBuffer read_buffer;
    WriteBuffer write_buffer;
    MediaState media;
    std::uint64_t order = 0;
    Tick stalled_since = never;
    std::vector<Grant> granted; ///< in order of time
    // For the balance check; unlike statistics, these are not reset.
    std::uint64_t accepted_bytes = 0;
    std::uint64_t sent_bytes = 0;
};

/// The media and the controller in a module's logic layer, without the DDR-T ports: loads, read
/// buffer, write buffer.
///
/// Models        A line stays in the read buffer until its place is needed. Writes to one line
///               coalesce in the write buffer, which also serves reads; it drains to the media from
///               drain_high lines down to drain_low. A write is complete when the write buffer has
///               it.
/// Ordering      Reads and writes of a line take effect in the order of their acceptance: a write
///               to a line being read is refused until the read is complete.
/// Not modelled  See xpoint/module.hh.
class Device {
  public:
    using Load = DeviceState::Load;
    using Ready = std::function<void(std::uint32_t load)>;

    /// All arguments outlive it. `ready` is called when the data of a load are available.
    Device(const DeviceParams& params, const MediaParams& media_params, DeviceStats& stats,
           MediaStats& media_stats, WearStats& wear, DeviceState& state, Contents& contents,
           Ready ready);
    /// The first invalid parameter and an error sentence, if any.
    static std::optional<std::pair<const char*, std::string>> wrong(const DeviceParams& params,
                                                                    const MediaParams& media);
    void init();

    /// Return false if there is no space or an earlier operation must complete first; the caller
    /// retries.
    bool read(const protocol::DdrtCommand& c, Tick now);
    bool write(const protocol::DdrtCommand& c);
    Load& load(std::uint32_t slot) { return state_.loads[slot]; }
    /// The data of the load were sent.
    void release(std::uint32_t load);

    /// The media completes and starts operations; next() is the time of the next completion.
    void finish(Tick now);
    void start(Tick now) { media_.start(now); }
    Tick next() const {
        return std::min(media_.next_done(),
                        state_.granted.empty() ? never : state_.granted.front().at);
    }

    // Commands of a memory controller.
    void check_address(const std::string& path, const protocol::DdrtCommand& c) const;
    bool accept(const protocol::DdrtCommand& c, Tick now);
    /// Reports that a load is ready.
    template <class Port>
    void say_ready(std::uint32_t slot, Port& commands, Tick now) {
        stats_.read_latency.sample(Time {now - state_.loads[slot].accepted});
        commands.send({state_.loads[slot].id});
    }
    void grant(const protocol::DdrtGrant& g);
    /// Sends the data of grants whose slot ends now.
    template <class Port>
    void send_granted(Port& transfers, Tick now) {
        while (!state_.granted.empty() && state_.granted.front().at <= now) {
            const std::uint32_t slot = state_.granted.front().load;
            state_.granted.erase(state_.granted.begin());
            const Load& l = state_.loads[slot];
            transfers.send({l.id, l.contents});
            stats_.sent_bytes += l.payload();
            state_.sent_bytes += l.payload();
            release(slot);
        }
    }

    // Functional access: the newest copy of a sector, or a write by the host.
    SectorBytes newest(std::uint64_t line, std::uint64_t sector) const;
    void copy_in(std::uint64_t line, std::uint64_t sector, const SectorBytes& data);

    std::uint64_t lines() const { return media_.lines(); }
    bool pending() const;
    void check_loaded(Loader& l) const;
    void waits_on(const std::string& path, WaitReport& report) const;
    std::optional<std::string> imbalance() const;

  private:
    void become_ready(std::uint32_t slot, const device_parts::SectorStore& buffer,
                      std::size_t entry);
    void take_contents(std::uint8_t entry, const protocol::DdrtCommand& c);

    const DeviceParams& params_;
    const MediaParams& media_params_;
    DeviceStats& stats_;
    DeviceState& state_;
    Contents& contents_;
    Ready ready_;
    Media media_;
};

} // namespace memsim::xpoint
