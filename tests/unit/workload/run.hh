#pragma once

#include "workload/catalogue.hh"

/// Running applications without a machine.
namespace memsim::workload {

inline std::vector<gpu_program::WarpOp> read_all(const std::vector<u8>& bytes) {
    std::vector<gpu_program::WarpOp> all;
    u64 position = 0;
    gpu_program::WarpOp op;
    for (gpu_program::WarpStreamReader reader(bytes, position); reader.next(op);) all.push_back(op);
    return all;
}

inline u64 digest_of(const BlockStreams& streams) {
    u64 hash = streams.counts.operations;
    for (const auto& bytes : streams.warps)
        for (u8 byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
    return hash;
}

/// Runs to the end and gives a digest of every block's streams.
inline std::vector<u64> run_to_end(KernelSource& application) {
    std::vector<u64> digests;
    BlockStreams out;
    for (Launch launch; application.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            application.run_block(block, out);
            digests.push_back(digest_of(out));
        }
    return digests;
}

/// Whether `first`, saved after so many launches and loaded into `second`, continues as `whole`,
/// which is equal to both, runs: equal streams and results.
inline bool continues(KernelSource& whole, KernelSource& first, KernelSource& second,
                      unsigned launches) {
    const std::vector<u64> digests = run_to_end(whole);
    std::vector<u64> parts;
    BlockStreams out;
    for (Launch launch; launches > 0 && first.next_launch(launch); --launches)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            first.run_block(block, out);
            parts.push_back(digest_of(out));
        }
    Saver saved;
    first.save(saved);
    Loader loader(saved.bytes);
    second.load(loader);
    for (const u64 digest : run_to_end(second)) parts.push_back(digest);
    return launches == 0 && parts == digests && second.result_digest() == whole.result_digest();
}

/// Runs to the end and gives a digest of all streams with values and of the result.
inline u64 run_digest(KernelSource& application) {
    u64 hash = 0;
    BlockStreams out;
    out.with_values = true;
    for (Launch launch; application.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            application.run_block(block, out);
            hash = hash * 0x9e3779b97f4a7c15 + digest_of(out);
        }
    return hash ^ application.result_digest();
}

/// Runs to the end and gives the words of the array of this name, as stores leave them.
inline std::vector<u32> stored(Application& application, const std::string& name) {
    Allocation array;
    for (const Allocation& a : application.allocations())
        if (a.name == name) array = a;
    std::vector<u32> words(array.bytes / 4);
    BlockStreams out;
    out.with_values = true;
    for (Launch launch; application.next_launch(launch);)
        for (u32 block = 0; block < launch.blocks(); ++block) {
            application.run_block(block, out);
            for (const auto& bytes : out.warps)
                for (const auto& op : read_all(bytes))
                    for (u32 lane = 0; lane < 32 && op.kind == WarpOpKind::store; ++lane)
                        if (const u64 at = op.address[lane] - array.base;
                            (op.mask >> lane & 1) != 0 && at < array.bytes)
                            words[at / 4] = static_cast<u32>(op.value[lane]);
        }
    return words;
}

} // namespace memsim::workload
