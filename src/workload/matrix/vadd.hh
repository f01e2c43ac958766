#pragma once

#include "workload/application.hh"

namespace memsim::workload {

/// out = x + y, one element per thread (CUDA samples' vectorAdd); saxpy: 2 x + y.
struct VectorSum {
    Array<float> x, y, out;
    bool saxpy = false;

    u32 size() const { return static_cast<u32>(x.size); }
    void add(Warp& w) const {
        enum class Site : u32 { x, y, out };
        const auto i = w.thread();
        w.if_(i < size(), [&] {
            const auto a = w.load(Site::x, x, i);
            const auto b = w.load(Site::y, y, i);
            w.store(Site::out, out, i, saxpy ? mad(a, 2.0f, b) : a + b);
        });
    }
};

} // namespace memsim::workload
