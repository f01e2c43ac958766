#pragma once

#include "input_files/input_file.hh"
#include "workload/device_memory.hh"

namespace memsim::workload {

using input_files::InputFile;

/// A picture with three bytes per pixel (red, green, blue), rows from the top.
struct Picture {
    u32 width = 0, height = 0;
    std::vector<u8> rgb;
};

/// Reads an uncompressed Windows bitmap of 24 bits per pixel. Throws ConfigError for other files.
Picture read_bitmap(InputFile& file);

/// A picture of smooth colours interpolated between random ones 16 pixels apart, with noise in the
/// two lowest bits [A].
Picture drawn_picture(u32 side, u64 seed);

} // namespace memsim::workload
