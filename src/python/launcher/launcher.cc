// build/memsim: `python3 -m memsim` with the system's Python and this build's package. It finds the
// package through its own real path (python/ next to it, with the compiled module), so it can be
// called through a link and from any directory.

#include <Python.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

// Under sanitizers, leaks are checked by the unit tests only, because Python frees little memory at
// its end.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
    return "detect_leaks=0";
}

int main(int argc, char** argv) {
    // Signals are blocked until memsim handles them (signals.py). A partly loaded Python would end
    // without a message or with a traceback. Ignored signals stay ignored, because a mask does not
    // change handlers.
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
    config.parse_argv = 0; // all arguments belong to memsim, none to the interpreter
    config.safe_path = 1;  // do not search build/ and the current directory for modules

    // sys.executable is a real interpreter, because multiprocessing starts child processes with it.
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
