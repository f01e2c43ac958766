#pragma once

#include "core/kernel/named.hh"
#include "mem/dram/device/timing.hh"

#include <vector>

namespace memsim::mem {

using DramTable = Named<DramTiming>;

/// The value of a parameter for DRAM timing: the name of a table, or a table written by a script,
///     NAME: FIGURE=VALUE ...; SOURCE
/// with at least all values that every standard has. The configuration stored with the results then
/// contains the whole table. Python's memsim.dram.Preset writes it.
class DramPreset {
  public:
    DramPreset(std::string text) : text_(std::move(text)) {}
    const std::string& text() const { return text_; }
    std::string name() const { return text_.substr(0, text_.find(':')); }
    /// The source of the values.
    std::string source() const;
    /// Throws ConfigError (the end of a sentence) if the text names no table or lacks a value.
    DramTiming timing() const;

  private:
    std::string text_;
};

} // namespace memsim::mem

template <>
struct memsim::Text<memsim::mem::DramPreset> {
    static std::string type() { return "DRAM preset"; }
    static std::string_view unit() { return ""; }
    static std::string show(const mem::DramPreset& v) { return v.text(); }
    static mem::DramPreset parse(std::string_view s) {
        mem::DramPreset preset {std::string(s)};
        preset.timing();
        return preset;
    }
};
