#include "workload/traces/accelsim_kernel.hh"

#include "core/base/legible.hh"
#include "core/base/units.hh"

#include <bit>

namespace memsim::workload {

namespace {
constexpr unsigned oldest = 3, newest = 6;
// NVIDIA's virtual addresses have at most 57 bits (Hopper; 49 before).
constexpr std::uint64_t address_space = std::uint64_t {1} << 57;

std::string name_of(const std::array<std::uint32_t, 3>& of) {
    return std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]);
}
} // namespace

AccelSimKernel::AccelSimKernel(const std::string& path) : file_(path) { read_header(); }

bool AccelSimKernel::next_text(std::string_view& line) {
    while (file_.next_line(line))
        if (line.find_first_not_of(" \t") != line.npos) return true;
    return false;
}

void AccelSimKernel::cut_off(const std::string& what) const {
    file_.refuse_line("the trace is truncated: " + what + " is missing after this line");
}

std::string_view AccelSimKernel::need_text(const char* what) {
    std::string_view line;
    if (!next_text(line)) cut_off(what);
    return line;
}

void AccelSimKernel::read_dimensions(Words& words, std::array<std::uint32_t, 3>& to) {
    // (x,y,z), in one word
    const std::string_view text = words.word("the dimensions");
    std::uint64_t product = 1;
    std::size_t at = 0;
    bool good = text.size() > 2 && text.front() == '(' && text.back() == ')';
    for (unsigned i = 0; i < 3 && good; ++i) {
        std::uint64_t n = 0;
        const std::size_t from = ++at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && n < 1u << 31; ++at)
            n = n * 10 + static_cast<unsigned>(text[at] - '0');
        good = at > from && at < text.size() && text[at] == (i < 2 ? ',' : ')') && n > 0 &&
               (product *= n) < std::uint64_t {1} << 32;
        to[i] = static_cast<std::uint32_t>(n);
    }
    if (!good || at + 1 != text.size())
        words.wrong("the size", "(x,y,z) of three whole numbers from 1, their product below 2^32,");
}

void AccelSimKernel::read_header() {
    HeaderLines found;
    std::string_view line;
    for (;;) {
        line = need_text("the kernel's header, up to a line that begins with '#',");
        if (line[0] == '#') break;
        if (line[0] != '-')
            Words(file_, line)
                .refuse("a line of a kernel's header begins with '-' (or '#' at its end): this is "
                        "no .traceg file of Accel-Sim");
        const std::size_t equals = line.find('=');
        if (equals == line.npos) continue;
        std::size_t n = equals;
        while (n > 1 && line[n - 1] == ' ') --n;
        const std::string_view key = line.substr(1, n - 1);
        Words words(file_, line);
        while (!words.empty() && words.rest()[0] != '=') words.word("");
        words.word("'='");
        read_value(key, words, found);
    }
    note_format(line);
    constexpr std::string_view begin = "#BEGIN_TB";
    for (std::string_view next = file_.peek(begin.size());
         !next.empty() && next != begin && (next[0] == '#' || next[0] == '\n' || next[0] == '\r');
         next = file_.peek(begin.size())) {
        file_.next_line(line);
        note_format(line);
    }
    if (!found.version)
        file_.refuse("the header has no 'accelsim tracer version', so it is older than 3; versions "
                     "3 to 6 are read");
    if (!found.grid || !found.block)
        file_.refuse(std::string("the header has no '") + (found.grid ? "block" : "grid") +
                     " dim'");
}

/// Reads the value of a line '-key = value' of the header. Unknown keys are ignored, as newer
/// tracers add some.
void AccelSimKernel::read_value(std::string_view key, Words& words, HeaderLines& found) {
    if (key == "kernel name") {
        header_.name = legible(words.rest());
    } else if (key == "grid dim") {
        read_dimensions(words, header_.grid);
        found.grid = true;
    } else if (key == "block dim") {
        read_dimensions(words, header_.block);
        found.block = true;
        if (header_.block[0] * header_.block[1] * header_.block[2] > 1024)
            words.wrong("the block", "a block of at most 1024 threads");
    } else if (key == "shmem") {
        header_.shared_bytes =
            static_cast<std::uint32_t>(words.number("shmem", std::uint64_t {1} << 31));
    } else if (key == "nregs") {
        header_.registers = static_cast<std::uint32_t>(words.number("nregs", 1024));
    } else if (key == "cuda stream id") {
        header_.stream = words.number("the stream");
    } else if (key == "shmem base_addr") {
        header_.shared_base = words.hex("shmem base_addr");
    } else if (key == "local mem base_addr") {
        header_.local_base = words.hex("local mem base_addr");
    } else if (key == "enable lineinfo") {
        header_.line_numbers = words.number("enable lineinfo", 1) == 1;
    } else if (key == "accelsim tracer version") {
        header_.version = static_cast<std::uint32_t>(words.number("the version", 1'000'000));
        if (header_.version < oldest || header_.version > newest)
            words.refuse("version " + std::to_string(header_.version) +
                         " of Accel-Sim's tracer; versions 3 to 6 are read");
        found.version = true;
    }
}

/// '#traces format = [line_num] PC ... immediate': defines the last words of an instruction's line,
/// and whether a source line number precedes it where 'enable lineinfo' is 1. The version does not
/// define this.
void AccelSimKernel::note_format(std::string_view line) {
    if (!line.starts_with("#traces format") || line.find(" PC ") == line.npos) return;
    header_.line_numbers &= line.find("line_num") != line.npos;
    header_.immediate =
        line.find("imm") != line.npos ? Header::Immediate::one : Header::Immediate::none;
}

void AccelSimKernel::begin_block(std::uint32_t block) {
    const auto& g = header_.grid;
    const std::string right = name_of({block % g[0], block / g[0] % g[1], block / g[0] / g[1]});
    for (;;) {
        std::string_view line;
        if (!next_text(line)) cut_off("block " + right + " of a grid of " + name_of(g));
        if (line.starts_with("#BEGIN_TB")) break;
        if (line[0] != '#') Words(file_, line).refuse("'#BEGIN_TB' was expected here");
    }
    Words words(file_, need_text("'thread block = x,y,z'"));
    if (words.word("'thread'") != "thread" || words.word("'block'") != "block" ||
        words.word("'='") != "=")
        words.refuse("'thread block = " + right + "' was expected here");
    if (words.word("the block's place") != right)
        words.wrong("the block", right +
                                     " (blocks must be complete and in linear order: a trace that "
                                     "is still interleaved must be processed by the tracer's "
                                     "post-processing first)");
    words.end("thread block = x,y,z");
    warp_ = -1;
    left_ = 0;
}

std::optional<std::uint32_t> AccelSimKernel::next_warp() {
    MEMSIM_ASSERT(left_ == 0, "a warp begins inside another one");
    const std::string_view line = need_text("'#END_TB'");
    if (line.starts_with("#END_TB")) return {};
    Words words(file_, line);
    if (words.word("'warp'") != "warp" || words.word("'='") != "=")
        words.refuse("'warp = n' or '#END_TB' was expected here");
    const auto& b = header_.block;
    const std::uint32_t warps = (b[0] * b[1] * b[2] + 31) / 32;
    const auto warp = static_cast<std::int64_t>(words.number("the warp", warps - 1));
    if (warp <= warp_)
        words.wrong("the warp", "a number above " + std::to_string(warp_) + ", the one before,");
    words.end("warp = n");
    warp_ = warp;
    Words count(file_, need_text("'insts = n'"));
    if (count.word("'insts'") != "insts" || count.word("'='") != "=")
        count.refuse("'insts = n' was expected here");
    left_ = count.number("the number of instructions");
    count.end("insts = n");
    return static_cast<std::uint32_t>(warp);
}

void AccelSimKernel::read_registers(Words& words, const char* what, std::uint8_t& n,
                                    std::array<std::uint8_t, SassInstruction::most_registers>& to) {
    n = static_cast<std::uint8_t>(words.number(what, SassInstruction::most_registers));
    for (unsigned i = 0; i < n; ++i) {
        const std::string_view text = words.word("a register");
        unsigned number = 0;
        bool good = text.size() >= 2 && text.size() <= 4 && text[0] == 'R';
        for (std::size_t c = 1; c < text.size() && good; ++c) {
            good = text[c] >= '0' && text[c] <= '9';
            number = number * 10 + static_cast<unsigned>(text[c] - '0');
        }
        if (!good || number > 255) words.wrong("a register", "R0 to R255");
        to[i] = static_cast<std::uint8_t>(number);
    }
}

void AccelSimKernel::read(SassInstruction& i) {
    std::string_view line;
    if (!next_text(line))
        cut_off("an instruction (this warp has " + std::to_string(left_ + 1) + " more)");
    Words words(file_, line);
    if (header_.line_numbers) words.number("the source's line");
    const std::uint64_t pc = words.hex("the PC");
    if (pc >> 32) words.wrong("the PC", "one of 32 bits");
    i.pc = static_cast<std::uint32_t>(pc);
    const std::uint64_t mask = words.hex("the mask");
    if (mask >> 32) words.wrong("the mask", "one of 32 lanes");
    i.mask = static_cast<std::uint32_t>(mask);
    read_registers(words, "the number of destinations", i.destinations, i.destination);
    const std::string_view opcode = words.word("the opcode");
    i.opcode = sass_opcode(opcode);
    if (i.opcode.kind == SassKind::refused)
        words.refuse("'" + std::string(opcode) +
                     "' copies tensors, for which a trace has no addresses: such kernels cannot "
                     "be played");
    if (i.opcode.width == 0) words.wrong("the width in the opcode", "8, 16, 32, 64 or 128 bits");
    const bool touches = i.opcode.space != SassSpace::none;
    read_registers(words, "the number of sources", i.sources, i.source);
    const std::uint64_t width = words.number("the width of the access", 1024);
    if (width > 0) {
        if (!touches && i.opcode.kind == SassKind::other && !opcode.starts_with("LDC"))
            words.refuse("'" + std::string(opcode) +
                         "' has addresses, but its effect on memory is unknown");
        read_addresses(words, i);
    } else if (touches && i.mask != 0) {
        words.refuse("'" + std::string(opcode) + "' accesses memory, but the line has no address");
    }
    if (header_.version < 6 &&
        (header_.immediate == Header::Immediate::one ||
         (header_.immediate == Header::Immediate::optional && !words.empty())))
        words.word("the immediate");
    if (header_.version == 6) {
        words.word("the first immediate");
        words.word("the second immediate");
        if (words.word("'NoVal'") != "NoVal")
            words.wrong("the last word", "'NoVal' (register values of version 6 are not supported: "
                                         "trace without them)");
    }
    words.end("PC mask registers opcode registers width addresses");
}

void AccelSimKernel::read_addresses(Words& words, SassInstruction& i) {
    const std::uint64_t mode = words.number("the address mode");
    const auto check = [&](std::uint64_t address) {
        if (address >= address_space) [[unlikely]]
            words.refuse("the access leaves the address space of 2^57 bytes");
    };
    std::uint32_t rest = i.mask;
    std::uint64_t address = 0;
    switch (mode) {
    case 0: // list
        for (; rest; rest &= rest - 1) {
            i.address[static_cast<unsigned>(std::countr_zero(rest))] = address =
                words.hex("an address");
            check(address);
        }
        break;
    case 1: { // base and stride
        address = words.hex("the base address");
        const auto stride = static_cast<std::uint64_t>(words.integer("the stride"));
        if (rest == 0) break;
        check(address);
        // In 128 bits, so that a stride cannot wrap around to a valid address.
        const Int128 last = Int128 {address} + Int128 {static_cast<std::int64_t>(stride)} *
                                                   (std::popcount(i.mask) - 1);
        if (last < 0 || last >= Int128 {address_space})
            words.refuse("the stride leaves the address space of 2^57 bytes");
        if (i.mask == ~0u) {
            for (unsigned lane = 0; lane < 32; ++lane) i.address[lane] = address + lane * stride;
            break;
        }
        for (; rest; rest &= rest - 1, address += stride)
            i.address[static_cast<unsigned>(std::countr_zero(rest))] = address;
        break;
    }
    case 2: // base and deltas
        address = words.hex("the base address");
        if (rest == 0) break;
        check(address);
        i.address[static_cast<unsigned>(std::countr_zero(rest))] = address;
        for (rest &= rest - 1; rest; rest &= rest - 1) {
            address += static_cast<std::uint64_t>(words.integer("a distance"));
            check(address);
            i.address[static_cast<unsigned>(std::countr_zero(rest))] = address;
        }
        break;
    default:
        words.wrong("the address mode", "0 (list), 1 (base and stride) or 2 (base and distances)");
    }
}

void AccelSimKernel::end() {
    std::string_view line;
    while (next_text(line))
        if (line[0] != '#' || line.starts_with("#BEGIN_TB"))
            Words(file_, line)
                .refuse("the grid of " + name_of(header_.grid) +
                        " has ended, but the trace continues");
}

} // namespace memsim::workload
