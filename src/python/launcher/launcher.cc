// build/memsim: `python3 -m memsim` with the system's Python and this build's package.
// Built beside python/ (the package with its compiled module), which it finds through its own
// real path, so it may be called by a link and from any directory.

#include <Python.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <malloc.h>
#include <string>
#include <sys/mman.h>

// Under sanitizers: Python frees little at its end, so only the unit tests look for leaks.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
    return "detect_leaks=0";
}

namespace {
/// A run goes round through the memory of its whole machine, of which the processor knows few small
/// pages at a time. Where the system gives large ones on request, the heap asks for them: it is
/// made one region for good, of which only what is touched costs memory. Where not, nothing
/// changes.
void ask_for_large_pages() {
    constexpr std::size_t region = std::size_t {1} << 30, page = std::size_t {2} << 20;
    constexpr int usual_pad = 128 << 10, no_trim = std::numeric_limits<int>::max();
    mallopt(M_MMAP_THRESHOLD, 16 << 20); // all but the largest vectors lie in the heap
    mallopt(M_TRIM_THRESHOLD, no_trim);
    mallopt(M_TOP_PAD,
            static_cast<int>(region)); // by which the heap grows beyond what is asked for
    void* const first = std::malloc(page);
    mallopt(M_TOP_PAD, usual_pad);
    if (!first) return; // so much is not to be had
    const auto from = (reinterpret_cast<std::uintptr_t>(first) + page - 1) & ~(page - 1);
    madvise(reinterpret_cast<void*>(from), region, MADV_HUGEPAGE); // NOLINT: an address
    std::free(first);
}
} // namespace

int main(int argc, char** argv) {
    ask_for_large_pages();
    // Ctrl-C waits until memsim listens (cli.py): a half-loaded Python would print a traceback.
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, nullptr);

    const auto home = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::string path = (home / "python").string();
    if (const char* users = std::getenv("PYTHONPATH"); users && *users)
        path += ":" + std::string(users);

    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0; // every argument is memsim's, none the interpreter's
    config.safe_path = 1;  // neither build/ nor the current directory is searched for modules

    // sys.executable is a real interpreter: multiprocessing starts its children with it.
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, MEMSIM_PYTHON);
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.pythonpath_env, path.c_str());
    if (!PyStatus_Exception(status))
        status = PyConfig_SetBytesString(&config, &config.run_module, "memsim");
    if (!PyStatus_Exception(status)) status = PyConfig_SetBytesArgv(&config, argc, argv);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) Py_ExitStatusException(status);
    return Py_RunMain();
}
