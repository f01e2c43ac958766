#include "core/base/host_memory.hh"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include <sys/resource.h>

namespace memsim {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number after a word in a file of the kernel, in the file's unit; `otherwise` if it is
/// missing.
std::uint64_t field(const std::string& file, const std::string& word, std::uint64_t otherwise) {
    std::ifstream in(file);
    std::string name;
    for (std::uint64_t value = 0; in >> name; std::getline(in, name))
        if (name == word) return in >> value ? value : otherwise;
    return otherwise;
}

std::uint64_t number_in(const std::string& file, std::uint64_t otherwise) {
    std::ifstream in(file);
    std::uint64_t value = 0;
    return in >> value ? value : otherwise; // 'max' is not a number
}

std::uint64_t rest(std::uint64_t limit, std::uint64_t used) {
    return limit - std::min(limit, used);
}

/// The memory files of one version of control groups.
struct GroupFiles {
    std::string mount, limit, used, reclaimable;
};

/// The memory that a control group and its ancestors leave. The kernel reclaims memory in which it
/// caches files.
std::uint64_t left_in_group(std::string group, const GroupFiles& files) {
    std::uint64_t least = unlimited;
    while (true) {
        const std::string folder = files.mount + group + "/memory.";
        const std::uint64_t limit = number_in(folder + files.limit, unlimited);
        const std::uint64_t reclaimable = field(folder + "stat", files.reclaimable, 0);
        if (limit != unlimited)
            least =
                std::min(least, rest(limit, rest(number_in(folder + files.used, 0), reclaimable)));
        if (group.find('/') == std::string::npos) return least;
        group.resize(group.rfind('/'));
    }
}

std::uint64_t left_in_groups() {
    std::ifstream in("/proc/self/cgroup"); // lines such as '4:memory:/jobs/7' and '0::/jobs/7'
    std::uint64_t least = unlimited;
    for (std::string line; std::getline(in, line);) {
        const std::string group = line.substr(line.find(':', line.find(':') + 1) + 1);
        if (line.starts_with("0::"))
            least = std::min(
                least, left_in_group(group, {"/sys/fs/cgroup", "max", "current", "inactive_file"}));
        if (line.find(":memory:") != std::string::npos)
            least =
                std::min(least, left_in_group(group, {"/sys/fs/cgroup/memory", "limit_in_bytes",
                                                      "usage_in_bytes", "total_inactive_file"}));
    }
    return least;
}

std::uint64_t in_use(const char* what) { return field("/proc/self/status", what, 0) * 1024; }

std::uint64_t left_of(decltype(RLIMIT_AS) resource, const char* used) {
    rlimit limit {};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    return rest(limit.rlim_cur, in_use(used));
}

} // namespace

std::uint64_t available_memory() {
    const std::uint64_t machine = (field("/proc/meminfo", "MemAvailable:", unlimited / 2048) +
                                   field("/proc/meminfo", "SwapFree:", 0)) *
                                  1024;
    return std::min({machine, left_in_groups(), left_of(RLIMIT_AS, "VmSize:"),
                     left_of(RLIMIT_DATA, "VmData:")});
}

void limit_memory(bool on) {
    rlimit limit {};
    if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
    const std::uint64_t most = in_use("VmData:") + available_memory();
    limit.rlim_cur = on ? std::min<std::uint64_t>(most, limit.rlim_max) : limit.rlim_max;
    setrlimit(RLIMIT_DATA, &limit);
}

std::string show_bytes(std::uint64_t bytes) {
    constexpr double GiB = 1 << 30, MiB = 1 << 20;
    const auto n = static_cast<double>(bytes);
    return n >= GiB ? fmt::format("{:.1f} GiB", n / GiB) : fmt::format("{:.1f} MiB", n / MiB);
}

std::string out_of_memory() {
    return "out of memory: this process uses " + show_bytes(in_use("VmRSS:")) + ", and " +
           show_bytes(available_memory()) +
           " more are available; make the machine or its inputs smaller, or run it where there is "
           "more memory";
}

} // namespace memsim
