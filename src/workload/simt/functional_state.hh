#pragma once

#include "gpu_program/kernel_source.hh"

#include <memory>

namespace memsim::workload {

/// The functional state of an application as a field of State. Parameters determine the object; its
/// state is stored in the checkpoint.
class FunctionalState {
  public:
    static constexpr std::string_view archived_as = "KernelSource";

    std::unique_ptr<gpu_program::KernelSource> source;

    template <class Archive>
    void archive(Archive& a) {
        if constexpr (std::is_same_v<Archive, Saver>) {
            Saver inner;
            source->save(inner);
            a(inner.bytes);
        } else if constexpr (std::is_same_v<Archive, Loader>) {
            std::string bytes;
            a(bytes);
            Loader inner(bytes);
            if (!source) return; // the state is only inspected
            source->load(inner);
            a.check(inner.done(), "is followed by unexpected data");
        } else {
            a(std::string("functional memory of the application"));
        }
    }
};

} // namespace memsim::workload
