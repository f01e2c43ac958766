#pragma once

#include "device_parts/residency.hh"
#include "mem/page_cache/drive_units.hh"
#include "mem/page_cache/paged_dram.hh"

namespace memsim::mem {

/// Writes units of a DRAM to a drive in groups. A group is an aligned range of the drive. When one
/// of its dirty units is evicted, the others are read out of the DRAM with it and stay as clean
/// units, pinned until the drive has them. Consecutive units of a group are written by one request.
/// A part: its owner reads out the evicted unit.
class WriteGroups {
  public:
    struct Config {
        std::uint64_t units = 1;        ///< of a group, at most 64
        std::uint32_t unit_sectors = 0; ///< sectors of the contents of a unit
    };
    struct Cleaning { ///< a frame whose unit is read out and stays
        PagedDram::Transfer transfer;
        std::uint64_t group = 0;
    };
    struct Group {               ///< units written to the drive together
        std::uint64_t first = 0; ///< first unit of the range
        std::uint64_t units = 0; ///< bit i: the i-th unit of the range
        std::uint32_t left = 0;  ///< units not yet read out
        Contents::Id contents;   ///< of the units already read out
    };
    struct State {
        HashMap<Cleaning> cleaning; ///< by frame
        HashMap<Group> groups;      ///< by number
        std::uint64_t last = 0;     ///< number of the last group
        std::uint64_t units_cleaned = 0;
    };
    /// What a group is read from and written to.
    struct Path {
        Contents& contents;
        device_parts::Residency& resident;
        PagedDram& dram;
        DriveUnits& drive;
    };
    WriteGroups(const Config& config, const Path& path, State& state)
        : config_(config), path_(path), state_(state) {}

    /// Starts to write the dirty units of the group of an evicted unit. Returns the number of the
    /// group. The caller reads out the evicted unit.
    std::uint64_t begin(std::uint64_t victim);
    /// The transfer of a unit that stays; null for other frames.
    PagedDram::Transfer* transfer(std::uint32_t frame) {
        Cleaning* const c = state_.cleaning.find(frame);
        return c ? &c->transfer : nullptr;
    }
    bool cleans(std::uint32_t frame) const { return state_.cleaning.find(frame); }
    /// A frame has been read out. Returns false if its unit does not stay.
    bool copied_out(std::uint32_t frame);
    /// A unit of a group has been read out. After the last one the group is written to the drive.
    void read_out(std::uint64_t group, std::uint64_t unit, Contents::Id contents);
    /// `evicted`: the number of evicted units of each group that are being read out.
    void check_loaded(Loader& l, std::uint64_t frames, HashMap<std::uint32_t> evicted) const;

  private:
    void write(const Group& group);

    Config config_;
    Path path_;
    State& state_;
};

} // namespace memsim::mem
