#pragma once

#include "files/input_file.hh"
#include "workload/device_memory.hh"

namespace memsim::workload {

using files::InputFile;

/// A picture: three bytes a pixel, red, green, blue, rows from the top.
struct Picture {
    u32 width = 0, height = 0;
    std::vector<u8> rgb;
};

/// A Windows bitmap of 24 bits a pixel, not compressed; anything else is refused.
Picture read_bitmap(InputFile& file);

/// Smooth colours between random ones 16 pixels apart, the two lowest bits grain [A].
Picture drawn_picture(u32 side, u64 seed);

} // namespace memsim::workload
