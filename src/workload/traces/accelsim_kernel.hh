#pragma once

#include "input_files/words.hh"
#include "workload/traces/accelsim_opcode.hh"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace memsim::workload {

using input_files::InputFile;
using input_files::Words;

/// One traced instruction of a warp.
struct SassInstruction {
    static constexpr unsigned most_registers = 8;
    std::uint32_t pc = 0;
    std::uint32_t mask = 0; ///< active lanes that are not predicated off; may be 0
    SassOpcode opcode;
    std::uint8_t destinations = 0, sources = 0;
    std::array<std::uint8_t, most_registers> destination {}, source {}; ///< register numbers
    std::array<std::uint64_t, 32>
        address {}; ///< of the lanes in `mask`, if the opcode accesses memory
};

/// One kernel of an Accel-Sim trace (.traceg, also .gz and .xz; tracer versions 3 to 6), read once
/// from front to back: blocks, warps, instructions. Only a piece of the file is kept in memory.
/// Errors are ConfigErrors with line and column. Register values (version 6), tensor copies and
/// blocks out of order are rejected.
class AccelSimKernel {
  public:
    struct Header {
        std::string name;
        std::array<std::uint32_t, 3> grid {}, block {};
        std::uint32_t shared_bytes = 0;
        std::uint32_t registers = 0;
        std::uint64_t shared_base = 0,
                      local_base = 0; ///< start of the windows in the generic address space
        std::uint32_t version = 0;
        std::uint64_t stream = 0;
        bool line_numbers = false;
        /// As stated by the line '#traces format'; without that line an immediate is read if
        /// present.
        enum class Immediate : std::uint8_t { optional, none, one } immediate = Immediate::optional;
    };

    explicit AccelSimKernel(const std::string& path);
    const Header& header() const { return header_; }

    /// Starts a block, which must be the one with this linear number.
    void begin_block(std::uint32_t block);
    /// The number of the block's next warp, or nothing at the end of the block.
    std::optional<std::uint32_t> next_warp();
    /// Returns false when all instructions of the warp have been read.
    bool next(SassInstruction& instruction) {
        if (left_ == 0) return false;
        --left_;
        read(instruction);
        return true;
    }
    /// Checks that nothing follows the last block.
    void end();

    InputFile& file() { return file_; }
    std::uint64_t instructions_left() const { return left_; }

  private:
    bool next_text(std::string_view& line); ///< the next line that is not blank
    std::string_view need_text(const char* what);
    [[noreturn]] void cut_off(const std::string& what) const;
    /// Lines of the header that must exist.
    struct HeaderLines {
        bool grid = false, block = false, version = false;
    };
    void read_header();
    void read_value(std::string_view key, Words& words, HeaderLines& found);
    void note_format(std::string_view line);
    void read_dimensions(Words& words, std::array<std::uint32_t, 3>& to);
    void read(SassInstruction& instruction);
    void read_registers(Words& words, const char* what, std::uint8_t& n,
                        std::array<std::uint8_t, SassInstruction::most_registers>& to);
    void read_addresses(Words& words, SassInstruction& instruction);

    InputFile file_;
    Header header_;
    std::uint64_t left_ = 0; ///< instructions of the warp that are not read yet
    std::int64_t warp_ = -1; ///< the last warp that was started
};

} // namespace memsim::workload
