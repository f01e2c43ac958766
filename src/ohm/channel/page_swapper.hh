#pragma once

#include "ohm/channel/ddr_sequence.hh"
#include "xpoint/device.hh"

namespace memsim::ohm {

struct PageSwapperState {
    using Mask = std::uint16_t; ///< one bit per line
    /// A page of the media and a row of the DRAM being exchanged.
    struct Job {
        std::uint64_t xpoint = 0, dram = 0;
        std::uint32_t id = 0;
        bool live = false;
        bool ready = false; ///< reported as ready, not yet confirmed
        Mask all = 0;
        Mask media_asked = 0, media_read = 0, written = 0;
        Mask dram_asked = 0, dram_read = 0, write_asked = 0, dram_written = 0;

        /// Whether page and row are in the register.
        bool has_both() const { return (media_read & dram_read) == all; }
    };
    std::vector<Job> jobs;
    device_parts::SectorStore registers; ///< by job: the page of the media, followed by the row
};

/// The DDR sequence generator of an XPoint module (Ohm-GPU IV-B, V-A). On SWAP-CMD it reads a page
/// of the media and, over the memory route, a row of the DRAM into a register and writes them back
/// exchanged. It reports ready when the row is written and the write buffer holds the page. The
/// register is free again when the memory controller confirms.
class PageSwapper {
  public:
    using Dram = Requester<DdrSequence>;
    using Job = PageSwapperState::Job;

    /// All references must outlive the object.
    PageSwapper(xpoint::Device& device, Dram& dram, Contents& contents, PageSwapperState& state)
        : device_(device), dram_(dram), contents_(contents), state_(state) {}

    /// Whether a load of the device belongs to a swap rather than to the memory controller.
    static bool owns(const xpoint::Device::Load& load) { return load.id & own_load; }

    /// Accepts SWAP-CMD. Returns false if all registers are in use.
    bool accept(const protocol::DdrtCommand& c);
    /// Stores a line read from the media.
    void line_read(const xpoint::Device::Load& load);
    /// Processes answers of the DRAM.
    void take_answers();
    /// Advances all swaps. Calls ready(id) for each one that completes.
    template <class F>
    void run(Tick now, F&& ready) {
        for (Job& job : state_.jobs)
            if (job.live && !job.ready && advance(job, now)) ready(job.id);
    }
    void confirm(std::uint32_t id);

    bool pending() const;
    void check_loaded(Loader& l) const;
    void waits_on(const std::string& path, WaitReport& report) const;

  private:
    static constexpr std::uint32_t own_load = 1u << 30;
    static constexpr std::uint32_t write_mark = 16; ///< in the id of an access to the DRAM
    static constexpr unsigned job_shift = 5;

    bool advance(Job& job, Tick now);
    void read(Job& job, Tick now);
    void write(Job& job);
    std::uint32_t number(const Job& job) const {
        return static_cast<std::uint32_t>(&job - state_.jobs.data());
    }
    /// Offset of a line in the register contents, in sectors.
    static std::uint64_t place(std::uint32_t job, bool row, std::uint32_t piece) {
        return ((job * 2u + row) * 16u + piece) * xpoint::line_sectors;
    }
    Contents::Id from_register(std::uint64_t place);

    xpoint::Device& device_;
    Dram& dram_;
    Contents& contents_;
    PageSwapperState& state_;
};

} // namespace memsim::ohm
