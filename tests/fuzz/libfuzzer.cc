#include "target.hh"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// libFuzzer's side: `fuzz TARGET [its options] FOLDER...`. util/fuzz is what a person calls.
namespace {

using memsim::test::fuzz_targets;

const memsim::test::FuzzTarget* chosen = nullptr;

// A hang and too much memory are findings, as crashes are. The longest input is a few
// times the corpus' files.
char hang[] = "-timeout=10", memory[] = "-rss_limit_mb=1024", length[] = "-max_len=32768";

} // namespace

extern "C" [[gnu::visibility("default")]] int LLVMFuzzerInitialize(int* argc, char*** argv) {
    const std::string name = *argc > 1 ? (*argv)[1] : "";
    for (const auto& target : fuzz_targets())
        if (target.name == name) chosen = &target;
    if (!chosen) {
        std::fprintf(stderr, "memsim: there is no fuzz target '%s'; there are\n", name.c_str());
        for (const auto& target : fuzz_targets()) std::fprintf(stderr, "%s\n", target.name.c_str());
        std::exit(2);
    }
    static std::vector<char*> arguments {(*argv)[0], hang, memory, length};
    arguments.insert(arguments.end(), *argv + 2, *argv + *argc);
    *argc = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    *argv = arguments.data();
    return 0;
}

extern "C" [[gnu::visibility("default")]] int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                                                     std::size_t size) {
    const std::string message =
        memsim::test::refusal(*chosen, {reinterpret_cast<const char*>(data), size});
    if (!message.empty() && std::getenv("MEMSIM_FUZZ_ACCEPT")) { // set by test_fuzz.py
        std::fprintf(stderr, "memsim: refused: %s\n", message.c_str());
        std::_Exit(1);
    }
    return 0;
}
