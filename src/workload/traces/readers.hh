#pragma once

#include "files/input_file.hh"
#include "workload/traces/address_trace.hh"

/// The readers behind open_trace().
namespace memsim::workload {

using files::InputFile;

/// Which text format this line, the first that is not a comment, is of.
TraceFormat text_format(InputFile& file, const std::string& first);
std::unique_ptr<TraceReader> text_reader(std::unique_ptr<InputFile> file,
                                         const TraceOptions& options);

inline constexpr std::string_view gem5_magic = "gem5";
std::unique_ptr<TraceReader> gem5_reader(std::unique_ptr<InputFile> file);

inline constexpr std::string_view memsim_magic = "memsim-trace\x1a\n\x01\0"; // 16 with its end
inline constexpr std::size_t magic_bytes = 16;
std::unique_ptr<TraceReader> memsim_reader(std::unique_ptr<InputFile> file);

} // namespace memsim::workload
