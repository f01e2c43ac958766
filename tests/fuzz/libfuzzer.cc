#include "target.hh"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// libFuzzer's side: `fuzz TARGET [its options] FOLDER...`. util/fuzz is what a person calls.
namespace {

const memsim::test::FuzzTarget* chosen = nullptr;

} // namespace

extern "C" [[gnu::visibility("default")]] int LLVMFuzzerInitialize(int* argc, char*** argv) {
    const std::string name = *argc > 1 ? (*argv)[1] : "";
    for (const auto& target : memsim::test::fuzz_targets())
        if (target.name == name) chosen = &target;
    if (!chosen) {
        std::fprintf(stderr, "memsim: there is no fuzz target '%s'; there are\n", name.c_str());
        for (const auto& target : memsim::test::fuzz_targets())
            std::fprintf(stderr, "%s\n", target.name.c_str());
        std::exit(2);
    }
    for (int i = 1; i + 1 < *argc; ++i) (*argv)[i] = (*argv)[i + 1];
    --*argc;
    return 0;
}

extern "C" [[gnu::visibility("default")]] int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                                                     std::size_t size) {
    (void)memsim::test::refusal(*chosen, {reinterpret_cast<const char*>(data), size});
    return 0;
}
