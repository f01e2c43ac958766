#include "child.hh"

#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <new>
#include <string_view>

namespace memsim::test {

namespace {

// g++ defines a macro for AddressSanitizer, clang++ a feature.
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool address_sanitizer = true; // it reserves terabytes, and it is slow
#else
constexpr bool address_sanitizer = false;
#endif

void set_limit(decltype(RLIMIT_AS) of, rlim_t soft, rlim_t hard) {
    const rlimit limit {soft, hard};
    setrlimit(of, &limit);
}

void set_limits(const ChildLimits& limits) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM})
        std::signal(signal, SIG_DFL); // instead of Catch2's handlers
    const rlim_t seconds = limits.seconds * (address_sanitizer ? 10 : 1);
    set_limit(RLIMIT_CPU, seconds, seconds + 1);
    if (address_sanitizer) return;
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t memory =
        pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (limits.mebibytes << 20);
    set_limit(RLIMIT_AS, memory, memory);
}

void send(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = write(to, text.data(), text.size());
        if (n < 0) _exit(1); // which the parent reports
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

[[noreturn]] void run_child(const ChildLimits& limits,
                            const std::function<std::string()>& function) {
    set_limits(limits);
    try {
        send(STDERR_FILENO, function());
    } catch (const std::bad_alloc&) {
        send(STDERR_FILENO, "it takes more memory than the input justifies");
    } catch (const std::exception& e) {
        send(STDERR_FILENO, "it throws an exception: ");
        send(STDERR_FILENO, e.what());
    }
    _exit(0);
}

std::string received(int from) {
    std::string text;
    char piece[4096];
    for (ssize_t n; (n = read(from, piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<std::size_t>(n));
    return text;
}

} // namespace

std::string in_child(const ChildLimits& limits, const std::function<std::string()>& function) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]), close(ends[1]);
        run_child(limits, function);
    }
    close(ends[1]);
    std::string text = received(ends[0]);
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status)) text += std::string("it is ended by: ") + strsignal(WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        text += "it ends with exit code " + std::to_string(WEXITSTATUS(status));
    return text;
}

} // namespace memsim::test
