#pragma once

#include "core/base/error.hh"

#include <string>
#include <string_view>
#include <vector>

/// Fuzz targets: readers of bytes of unknown origin. libfuzzer.cc passes them the inputs of
/// libFuzzer, corpus_test.cc the files of corpus/<name>/. See tests/fuzz/README.md.
namespace memsim::test {

/// Reads the bytes. An error in them is a ConfigError. A crash, another exception, a leak, a hang
/// or memory that the bytes do not justify is a finding.
struct FuzzTarget {
    std::string name;
    void (*read)(std::string_view bytes);
};
std::vector<FuzzTarget>& fuzz_targets();

/// `static const FuzzTargetFor graph {"graph", [](std::string_view bytes) { ... }};`
struct FuzzTargetFor {
    FuzzTargetFor(std::string name, void (*read)(std::string_view)) {
        fuzz_targets().push_back({std::move(name), read});
    }
};

/// The sentence by which the target refuses the bytes; empty if it takes them.
std::string refusal(const FuzzTarget& target, std::string_view bytes);

/// The path of a file that holds the bytes, in a folder of this process. The next call with the
/// name replaces it.
std::string file_of(std::string_view bytes, const std::string& name = "input");

/// For bytes that come out of a checkpoint only: an invariant that they break ends a resumed run by
/// a sentence (Machine::run).
template <class F>
void as_of_a_checkpoint(F&& read) {
    try {
        read();
    } catch (const Panic& broken) {
        throw ConfigError(broken.what());
    }
}

} // namespace memsim::test
