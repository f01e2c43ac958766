#include "workload/profile.hh"

#include "gpu/coalescer.hh"

namespace memsim::workload {

Profile profile_of(KernelSource& application, u64 limit) {
    Profile p;
    p.footprint = application.footprint_bytes();
    gpu::Coalescer coalescer(128, 32);
    BlockStreams out;
    protocol::WarpOp op;
    for (Launch launch; application.next_launch(launch);) {
        ++p.launches;
        for (u32 block = 0; block < launch.blocks(); ++block) {
            if (limit && p.thread_instructions >= limit) return p;
            application.run_block(block, out);
            p.warp_instructions += out.counts.warp_instructions;
            p.thread_instructions += out.counts.thread_instructions;
            for (const auto& bytes : out.warps) {
                u64 position = 0;
                for (protocol::WarpStreamReader reader(bytes, position); reader.next(op);) {
                    p.loads += op.kind == WarpOpKind::load;
                    p.stores += op.kind == WarpOpKind::store;
                    p.atomics += op.kind == WarpOpKind::atomic || op.kind == WarpOpKind::reduce;
                    if (op.kind == WarpOpKind::shared)
                        ++(op.has_result ? p.shared_loads : p.shared_stores);
                    if (!touches_memory(op.kind)) continue;
                    coalescer.run(op);
                    (op.kind == WarpOpKind::load    ? p.load_requests
                     : op.kind == WarpOpKind::store ? p.store_requests
                                                    : p.atomic_requests) += coalescer.size();
                }
            }
        }
    }
    return p;
}

} // namespace memsim::workload
