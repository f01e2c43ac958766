#pragma once

#include "core/error.hh"
#include "protocol/kernel_source.hh"

#include <array>
#include <concepts>
#include <string>
#include <vector>

/// SIMT kernels as C++: what a kernel does is written per warp, over lanes; running it changes the
/// device arrays and writes the warp's instruction stream. A kernel names each access by a site (an
/// enumerator), from which its PC follows, and states the instructions between accesses by
/// compute(n). A block runs phase by phase: all of its warps to a barrier, in order, then on.
/// Not modelled: shared and local memory, instruction fetch, independent thread scheduling.
namespace memsim::workload {

using protocol::Allocation;
using protocol::BlockStreams;
using protocol::KernelSource;
using protocol::Launch;
using protocol::u32;
using protocol::u64;
using protocol::u8;
using protocol::warp_lanes;
using protocol::WarpOpKind;

/// An array in device memory.
template <class T>
struct Array {
    u64 base = 0;
    std::vector<T> data;
};

/// Device memory as cudaMalloc hands it out: in order, each allocation aligned to 256 bytes (CUDA
/// C++ Programming Guide, device memory accesses). Nothing is freed.
struct DeviceMemory {
    std::vector<Allocation> allocations;
    u64 next = 0;

    template <class T>
    Array<T> allocate(const std::string& name, std::vector<T> data) {
        const u64 bytes = data.size() * sizeof(T);
        allocations.push_back({name, next, bytes});
        Array<T> array {next, std::move(data)};
        next += (bytes + 255) / 256 * 256;
        return array;
    }
};

/// Bit i: lane i.
using Mask = u32;

/// A register: one value for each lane.
template <class T>
struct Lanes {
    std::array<T, warp_lanes> lane {};

    T& operator[](u32 i) { return lane[i]; }
    const T& operator[](u32 i) const { return lane[i]; }
};

template <class F>
Mask where(F holds) {
    Mask mask = 0;
    for (u32 i = 0; i < warp_lanes; ++i) mask |= Mask {holds(i)} << i;
    return mask;
}
template <class T>
Mask operator==(const Lanes<T>& a, T b) {
    return where([&](u32 i) { return a[i] == b; });
}
template <class T>
Mask operator<(const Lanes<T>& a, T b) {
    return where([&](u32 i) { return a[i] < b; });
}
template <class T>
Mask operator<(const Lanes<T>& a, const Lanes<T>& b) {
    return where([&](u32 i) { return a[i] < b[i]; });
}
template <class T>
Lanes<T> operator+(Lanes<T> a, T b) {
    for (T& v : a.lane) v += b;
    return a;
}
template <class T>
Lanes<T> all_lanes(T value) {
    Lanes<T> lanes;
    lanes.lane.fill(value);
    return lanes;
}

/// One block of a launch while it runs.
struct BlockRun {
    const Launch& launch;
    u32 kernel = 0; ///< number of the kernel in its application: the upper part of each PC
    u32 block = 0;
    u64 operation_limit = 0;
    BlockStreams& out;
};

[[noreturn]] void over_operation_limit(const BlockRun& run);

/// One warp while it runs. Its operations act on the active lanes; if_ and while_ narrow them.
class Warp {
  public:
    Warp(BlockRun& run, u32 index, Mask threads);

    Mask active() const { return active_; }
    /// The number of each lane's thread in the grid (of one dimension).
    const Lanes<u32>& thread() const { return thread_; }

    /// `n` instructions without access to memory.
    void compute(u32 n) {
        if (active_ != 0) stream_.compute(active_, n, wait_for_all());
    }

    template <class Site, class T>
    Lanes<T> load(Site site, const Array<T>& array, const Lanes<u32>& index) {
        Lanes<T> loaded;
        emit<Site, T>(WarpOpKind::load, site, array, index, nullptr);
        for_active([&](u32 i) { loaded[i] = array.data[index[i]]; });
        return loaded;
    }
    template <class Site, class T>
    void store(Site site, Array<T>& array, const Lanes<u32>& index, const Lanes<T>& value) {
        emit(WarpOpKind::store, site, array, index, &value);
        for_active([&](u32 i) { array.data[index[i]] = value[i]; });
    }
    /// Lane by lane in ascending order: becomes(old value, lane) is stored. Returns the old values.
    template <class Site, class T, class F>
    Lanes<T> atomic(Site site, Array<T>& array, const Lanes<u32>& index, F becomes) {
        check(array, index);
        Lanes<T> before, after;
        for_active([&](u32 i) {
            T& at = array.data[index[i]];
            before[i] = at;
            after[i] = at = becomes(at, i);
        });
        emit(WarpOpKind::atomic, site, array, index, &after);
        return before;
    }
    template <class Site, class T>
    Lanes<T> atomic_add(Site site, Array<T>& array, const Lanes<u32>& index, const Lanes<T>& term) {
        return atomic(site, array, index,
                      [&](T old, u32 i) { return static_cast<T>(old + term[i]); });
    }
    template <class Site, class T>
    Lanes<T> atomic_min(Site site, Array<T>& array, const Lanes<u32>& index, const Lanes<T>& with) {
        return atomic(site, array, index,
                      [&](T old, u32 i) { return old < with[i] ? old : with[i]; });
    }
    template <class Site, class T>
    Lanes<T> atomic_cas(Site site, Array<T>& array, const Lanes<u32>& index, T expected,
                        T desired) {
        return atomic(site, array, index,
                      [&](T old, u32) { return old == expected ? desired : old; });
    }
    /// One is added to a single counter for each active lane, as compilers do it: the lowest active
    /// lane adds their number, then each takes its place among them.
    template <class Site>
    Lanes<u32> atomic_count(Site site, Array<u32>& counter) {
        Lanes<u32> place;
        if (active_ == 0) return place;
        const Mask lanes = active_;
        const u32 first = std::countr_zero(lanes);
        active_ = Mask {1} << first;
        const u32 number = std::popcount(lanes);
        u32 next = atomic_add(site, counter, Lanes<u32> {}, all_lanes(number))[first];
        active_ = lanes;
        for_active([&](u32 i) { place[i] = next++; });
        return place;
    }

    template <class Body>
    void if_(Mask condition, Body body) {
        const Mask outer = active_;
        active_ &= condition;
        if (active_ != 0) body();
        active_ = outer;
    }
    /// `condition()` gives the lanes that go round again; a lane that has left stays out.
    template <class Condition, class Body>
    void while_(Condition condition, Body body) {
        const Mask outer = active_;
        for (active_ &= condition(); active_ != 0; active_ &= condition()) body();
        active_ = outer;
    }
    /// A register of f(lane) for each active lane.
    template <class T, class F>
    Lanes<T> map(F f) const {
        Lanes<T> lanes;
        for_active([&](u32 i) { lanes[i] = f(i); });
        return lanes;
    }
    template <class F>
    void for_active(F f) const {
        if (active_ == ~Mask {0})
            for (u32 i = 0; i < warp_lanes; ++i) f(i);
        else
            for (Mask rest = active_; rest != 0; rest &= rest - 1)
                f(static_cast<u32>(std::countr_zero(rest)));
    }

    void end_phase(bool last);

  private:
    template <class T>
    void check(const Array<T>& array, const Lanes<u32>& index) const {
        for_active([&](u32 i) {
            MEMSIM_ASSERT(index[i] < array.data.size(),
                          "a kernel indexes past the end of an array");
        });
    }
    template <class Site, class T>
    void emit(WarpOpKind kind, Site site, const Array<T>& array, const Lanes<u32>& index,
              const Lanes<T>* value) {
        if (active_ == 0) return;
        check(array, index);
        std::array<u64, warp_lanes> address, values;
        for_active([&](u32 i) { address[i] = array.base + sizeof(T) * u64 {index[i]}; });
        const bool with_values = run_.out.with_values && value != nullptr;
        if (with_values) for_active([&](u32 i) { values[i] = static_cast<u64>((*value)[i]); });
        stream_.access(kind, pc_of(static_cast<u32>(site)), active_, sizeof(T), address,
                       with_values ? &values : nullptr,
                       kind == WarpOpKind::load ? u64 {in_flight_ != 0} : wait_for_all());
        if (kind != WarpOpKind::store) ++in_flight_;
        if (run_.out.counts.operations > run_.operation_limit) over_operation_limit(run_);
    }
    /// Conservative dependences: a load needs the latest result (its address hangs on it), whatever
    /// is no load needs all that may be in flight.
    u64 wait_for_all() {
        const u64 all = in_flight_ < 64 ? (u64 {1} << in_flight_) - 1 : ~u64 {0};
        in_flight_ = 0;
        return all;
    }
    /// Kernels stand 4 KiB apart and sites 16 bytes, the length of a machine instruction since
    /// Volta.
    u32 pc_of(u32 site) const { return run_.kernel << 12 | site << 4; }

    BlockRun& run_;
    protocol::WarpStreamWriter stream_;
    Mask threads_;
    Mask active_;
    u32 in_flight_ = 0; ///< results that no operation has waited for
    Lanes<u32> thread_;
};

/// Runs a block of one phase after another; the phases meet at barriers. Registers do not outlive a
/// phase: what a thread must keep over a barrier belongs into an array of the kernel.
template <class... Phase>
void run_phases(BlockRun run, Phase... phases) {
    const u32 threads = run.launch.threads_per_block();
    const u32 warps = run.launch.warps_per_block();
    run.out.warps.resize(warps);
    for (auto& bytes : run.out.warps) bytes.clear();
    run.out.counts = {};
    u32 left = sizeof...(phases);
    const auto phase_of_all = [&](auto& phase) {
        --left;
        for (u32 w = 0; w < warps; ++w) {
            const u32 in_warp = threads - w * warp_lanes;
            Warp warp(run, w, in_warp >= warp_lanes ? ~Mask {0} : (Mask {1} << in_warp) - 1);
            phase(warp);
            warp.end_phase(left == 0);
        }
    };
    (phase_of_all(phases), ...);
}

} // namespace memsim::workload
