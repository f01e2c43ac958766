#pragma once

#include "files/words.hh"
#include "workload/traces/accelsim_opcode.hh"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace memsim::workload {

using files::InputFile;
using files::Words;

/// One traced instruction of a warp.
struct SassInstruction {
    static constexpr unsigned most_registers = 8;
    std::uint32_t pc = 0;
    std::uint32_t mask = 0; ///< lanes that are active and not switched off; may be 0
    SassOpcode opcode;
    std::uint8_t destinations = 0, sources = 0;
    std::array<std::uint8_t, most_registers> destination {}, source {}; ///< register numbers
    std::array<std::uint64_t, 32> address {}; ///< of the set lanes, if the opcode touches memory
};

/// One kernel of an Accel-Sim trace (.traceg; .gz and .xz, too), versions 3 to 6 of the tracer,
/// read once from front to back: a block, its warps, their instructions. Nothing is kept but a
/// piece of the file. What is wrong is a ConfigError with line and column; nothing is guessed:
/// register values (version 6), tensor copies and blocks out of order are refused.
class AccelSimKernel {
  public:
    struct Header {
        std::string name;
        std::array<std::uint32_t, 3> grid {}, block {};
        std::uint32_t shared_bytes = 0;
        std::uint32_t registers = 0;
        std::uint64_t shared_base = 0, local_base = 0; ///< of the windows in the generic space
        std::uint32_t version = 0;
        std::uint64_t stream = 0;
        bool line_numbers = false;
        /// What the line '#traces format' states; without it an immediate is read where it stands.
        enum class Immediate : std::uint8_t { optional, none, one } immediate = Immediate::optional;
    };

    explicit AccelSimKernel(const std::string& path);
    const Header& header() const { return header_; }

    /// Begins a block, which must be the one of this linear number.
    void begin_block(std::uint32_t block);
    /// The next warp of the block: its number, or nothing at the block's end.
    std::optional<std::uint32_t> next_warp();
    /// False when the warp's instructions have been read.
    bool next(SassInstruction& instruction) {
        if (left_ == 0) return false;
        --left_;
        read(instruction);
        return true;
    }
    /// Nothing may follow the last block.
    void end();

    InputFile& file() { return file_; }
    std::uint64_t instructions_left() const { return left_; }

  private:
    bool next_text(std::string_view& line); ///< a line that is not blank
    std::string_view need_text(const char* what);
    [[noreturn]] void cut_off(const std::string& what) const;
    void read_header();
    void note_format(std::string_view line);
    void read_dimensions(Words& words, std::array<std::uint32_t, 3>& to);
    void read(SassInstruction& instruction);
    void read_registers(Words& words, const char* what, std::uint8_t& n,
                        std::array<std::uint8_t, SassInstruction::most_registers>& to);
    void read_addresses(Words& words, SassInstruction& instruction);

    InputFile file_;
    Header header_;
    std::uint64_t left_ = 0; ///< instructions of the warp not yet read
    std::int64_t warp_ = -1; ///< the last one begun
};

} // namespace memsim::workload
