#include "workload/profile.hh"

#include "gpu_program/local_memory.hh"

namespace memsim::workload {

namespace {

/// Counts the lines of 128 bytes that a warp touches, which are the requests of its SM's coalescer.
/// The lines of an operation are kept in a small table, whose entries are valid for one operation.
class Lines {
  public:
    u32 count(const gpu_program::WarpOp& op) {
        ++operation_;
        u32 n = 0;
        u64 last = ~u64 {0};
        for (u32 rest = op.mask; rest != 0; rest &= rest - 1) {
            const u64 address = op.address[static_cast<u32>(std::countr_zero(rest))];
            const u64 end = (address + op.width - 1) / 128; // an unaligned lane touches two
            for (u64 line = address / 128; line <= end; ++line) {
                if (line == last) continue;
                last = line;
                u64 at = line * 0x9e3779b97f4a7c15 >> 56;
                while (operation_of_[at] == operation_ && line_[at] != line)
                    [[unlikely]] at = (at + 1) % places;
                n += operation_of_[at] != operation_;
                operation_of_[at] = operation_;
                line_[at] = line;
            }
        }
        return n;
    }

  private:
    static constexpr u64 places = 256;
    u64 operation_ = 0;
    std::array<u64, places> line_ {}, operation_of_ {};
};

} // namespace

Profile profile_of(KernelSource& application, u64 limit) {
    Profile p;
    p.footprint = application.footprint_bytes();
    Lines lines;
    BlockStreams out;
    gpu_program::WarpOp op;
    for (Launch launch; application.next_launch(launch);) {
        ++p.launches;
        for (u32 block = 0; block < launch.blocks(); ++block) {
            if (limit && p.thread_instructions >= limit) return p;
            application.run_block(block, out);
            p.warp_instructions += out.counts.warp_instructions;
            p.thread_instructions += out.counts.thread_instructions;
            for (const auto& bytes : out.warps) {
                u64 position = 0;
                for (gpu_program::WarpStreamReader reader(bytes, position); reader.next(op);) {
                    p.loads += op.kind == WarpOpKind::load;
                    p.stores += op.kind == WarpOpKind::store;
                    p.atomics += op.kind == WarpOpKind::atomic || op.kind == WarpOpKind::reduce;
                    if (op.kind == WarpOpKind::shared)
                        ++(op.has_result ? p.shared_loads : p.shared_stores);
                    if (!touches_memory(op.kind)) continue;
                    u64& requests = op.kind == WarpOpKind::load    ? p.load_requests
                                    : op.kind == WarpOpKind::store ? p.store_requests
                                                                   : p.atomic_requests;
                    gpu_program::for_each_row(
                        op, 0, gpu_program::local_row_bytes,
                        [&](const gpu_program::WarpOp& row) { requests += lines.count(row); });
                }
            }
        }
    }
    return p;
}

} // namespace memsim::workload
