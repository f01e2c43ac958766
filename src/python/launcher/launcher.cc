// build/memsim: `python3 -m memsim` with the system's Python and this build's package.
// Built beside python/ (the package with its compiled module), which it finds through its own
// real path, so it may be called by a link and from any directory.

#include <Python.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

// Under sanitizers: Python frees little at its end, so only the unit tests look for leaks.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
    return "detect_leaks=0";
}

int main(int argc, char** argv) {
    // Signals wait until memsim listens (signals.py): a half-loaded Python would end of them,
    // without a word or with a traceback. What is ignored stays so: a mask is no handler.
    sigset_t waiting;
    sigemptyset(&waiting);
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&waiting, number);
    sigprocmask(SIG_BLOCK, &waiting, nullptr);

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
