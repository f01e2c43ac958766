#pragma once

#include "program/kernel_source.hh"

#include <memory>

namespace memsim::workload {

/// An application's functional side as a field of State: the object is built from parameters, its
/// state goes into the checkpoint.
class FunctionalState {
  public:
    static constexpr std::string_view archived_as = "KernelSource";

    std::unique_ptr<program::KernelSource> source;

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
            if (!source) return; // the state is only looked at
            source->load(inner);
            a.check(inner.done(), "is followed by more than there is");
        } else {
            a(std::string("functional memory of the application"));
        }
    }
};

} // namespace memsim::workload
