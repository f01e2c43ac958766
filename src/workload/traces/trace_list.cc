#include "workload/traces/trace_list.hh"

#include "input_files/words.hh"

#include <algorithm>
#include <filesystem>

namespace memsim::workload {

namespace fs = std::filesystem;

using input_files::InputFile;
using input_files::Words;

namespace {

/// 'MemcpyHtoD,0x<to>,<bytes>'
TraceCommand read_copy(InputFile& file, std::string_view line) {
    std::string text(line);
    for (char& c : text)
        if (c == ',') c = ' ';
    Words words(file, text);
    words.word("MemcpyHtoD");
    TraceCommand copy;
    copy.address = words.hex("the address of the copy");
    copy.bytes = words.number("the bytes of the copy", std::uint64_t {1} << 57);
    if (copy.address >= std::uint64_t {1} << 57)
        words.refuse("the copy leaves the address space of 2^57 bytes");
    words.end("MemcpyHtoD,address,bytes");
    return copy;
}

bool lies_in(const fs::path& folder, const fs::path& file) {
    std::error_code gone; // a file removed meanwhile
    const fs::path above = fs::canonical(folder.empty() ? "." : folder, gone);
    const fs::path real = fs::canonical(file, gone);
    return !above.empty() &&
           std::mismatch(above.begin(), above.end(), real.begin(), real.end()).first == above.end();
}

/// The path of a kernel's file: as written, or a compressed file next to it.
std::string find_kernel(const InputFile& list, std::string_view name, bool outside) {
    const fs::path folder = fs::path(list.path()).parent_path(), path = folder / name;
    for (const char* packed : {"", ".xz", ".gz"}) {
        std::string file = path.string() + packed;
        std::error_code why_not; // for example, a name that is too long
        if (!fs::is_regular_file(file, why_not)) continue;
        if (!outside && !lies_in(folder, file))
            list.refuse_line("'" + file +
                             "' lies outside of the list's folder: copy it there, or set "
                             "outside=True of workload.TraceProgram");
        return file;
    }
    list.refuse_line("'" + path.string() + "' does not exist (nor does its .xz or .gz file)");
}

} // namespace

std::vector<TraceCommand> read_trace_list(const std::string& path, bool outside) {
    InputFile file(path);
    if (file.peek(1) == "-") return {{path, 0, 0}};
    std::vector<TraceCommand> commands;
    std::string_view line;
    bool kernels = false;
    while (file.next_line(line)) {
        Words words(file, line);
        if (words.empty()) continue;
        const std::string_view text = words.word("a command");
        if (text.starts_with("MemcpyHtoD")) {
            commands.push_back(read_copy(file, line));
        } else if (text.find(".traceg") != text.npos) {
            words.end("kernel-N.traceg");
            commands.push_back({find_kernel(file, text, outside), 0, 0});
            kernels = true;
        } else if (text.find(".tracez") != text.npos) {
            words.refuse("'" + std::string(text.substr(0, 60)) +
                         "' is a binary trace (.tracez), which is not supported: trace as text");
        } else if (!text.starts_with("Memcpy")) {
            words.wrong("a command", "'MemcpyHtoD,address,bytes' or 'kernel-N.traceg'");
        }
    }
    if (!kernels) file.refuse("names no kernel; a kernelslist.g of Accel-Sim was expected");
    return commands;
}

} // namespace memsim::workload
