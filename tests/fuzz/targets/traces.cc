#include "../target.hh"

#include "workload/recording.hh"
#include "workload/traces/trace_encoder.hh"
#include "workload/traces/trace_source.hh"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

/// Traces: of addresses (every registered format), of instructions (Accel-Sim),
/// and recordings of steps.
namespace memsim::test {

namespace {

using namespace memsim::literals;
using workload::TraceReader;
using workload::TraceRecord;

constexpr std::size_t most_records = 1 << 16; ///< a byte of a column may stand for a million

std::unique_ptr<TraceReader> opened(const std::string& path) {
    workload::TraceOptions options;
    options.unit = 1_ns;
    options.geometry = {2, 1, 4, 4, 1024, 64};
    return workload::open_trace(path, options);
}

/// Reads the trace from the beginning, and again from the middle, as a resumed run does: both read
/// the same records.
void read_addresses(const std::string& path) {
    const auto reader = opened(path);
    (void)reader->about();
    workload::TracePlace middle;
    TraceRecord r, behind_middle;
    for (std::size_t n = 0; n < most_records && reader->next(r); ++n) {
        if (n == 2) middle = reader->place();
        if (n == 3) behind_middle = r;
    }
    if (behind_middle.bytes == 0) return;
    const auto again = opened(path);
    again->go_to(middle);
    MEMSIM_ASSERT(again->next(r) && r.address == behind_middle.address &&
                      r.time == behind_middle.time && r.command == behind_middle.command,
                  "a reader that continues reads something else");
}

const FuzzTargetFor addresses {"addresses",
                               [](std::string_view bytes) { read_addresses(file_of(bytes)); }};

/// A frame's size and bytes, many of them; they are packed and get their checksums here, since no
/// mutation finds those. Bit 31 of a size: the frame stands as it is.
const FuzzTargetFor columns {
    "columns", [](std::string_view bytes) {
        std::string file(workload::memsim_magic.data(), workload::magic_bytes);
        while (bytes.size() >= 4) {
            std::uint32_t size = 0;
            std::memcpy(&size, bytes.data(), 4);
            const bool raw = size >> 31;
            const std::string_view frame = bytes.substr(4, size & 0x7fffffff);
            bytes.remove_prefix(4 + frame.size());
            std::string packed(frame);
            if (!raw) {
                packed.resize(ZSTD_compressBound(frame.size()));
                packed.resize(
                    ZSTD_compress(packed.data(), packed.size(), frame.data(), frame.size(), 1));
            }
            const std::uint32_t head[] {
                static_cast<std::uint32_t>(packed.size()),
                static_cast<std::uint32_t>(XXH3_64bits(packed.data(), packed.size()))};
            file.append(reinterpret_cast<const char*>(head), sizeof head).append(packed);
        }
        read_addresses(file_of(file.append(bytes)));
    }};

/// Every launch and block of an application, as a dispatcher asks for them.
void play(gpu_program::KernelSource& source) {
    constexpr std::uint32_t most_blocks = 64;
    gpu_program::Launch launch;
    gpu_program::BlockStreams out;
    out.with_values = true;
    while (source.next_launch(launch))
        for (std::uint32_t block = 0; block < launch.blocks(); ++block) {
            if (block == most_blocks) return;
            source.run_block(block, out);
            for (const auto& stream : out.warps) {
                gpu_program::u64 position = 0;
                gpu_program::WarpOp op;
                gpu_program::WarpStreamReader reader(stream, position);
                while (reader.next(op) && op.kind != gpu_program::WarpOpKind::exit)
                    ;
            }
        }
}

/// A kernel, or the list of some; the same folder has kernel-1.traceg, a kernel without
/// instructions.
const FuzzTargetFor accelsim {
    "accelsim", [](std::string_view bytes) {
        (void)file_of("-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n"
                      "-accelsim tracer version = 5\n#\n#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n",
                      "kernel-1.traceg");
        workload::TraceSource source(file_of(bytes), {.page = 4096, .memory = 1 << 24});
        play(source);
    }};

const FuzzTargetFor steps {"steps", [](std::string_view bytes) {
                               workload::Recording source(file_of(bytes));
                               play(source);
                           }};

/// Streams of warps are part of checkpoints.
const FuzzTargetFor streams {"streams", [](std::string_view bytes) {
                                 const std::vector<gpu_program::u8> stream(bytes.begin(),
                                                                           bytes.end());
                                 as_of_a_checkpoint([&] {
                                     gpu_program::u64 position = 0;
                                     gpu_program::WarpOp op;
                                     gpu_program::WarpStreamReader reader(stream, position);
                                     do (void)gpu_program::peek(stream, position);
                                     while (reader.next(op));
                                 });
                             }};

} // namespace

} // namespace memsim::test
