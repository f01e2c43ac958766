#include "mem/dram/presets/preset.hh"

namespace memsim::mem {

std::string DramPreset::source() const {
    if (text_.find(':') == std::string::npos) return DramTable::find(text_).source;
    const std::size_t end = text_.find(';');
    const std::size_t begin =
        end == std::string::npos ? end : text_.find_first_not_of(' ', end + 1);
    return begin == std::string::npos ? "" : text_.substr(begin);
}

DramTiming DramPreset::timing() const {
    const std::size_t colon = text_.find(':');
    if (colon == std::string::npos) return DramTable::find(text_);
    if (name().find_first_of(" ,=") != std::string::npos || colon == 0)
        throw ConfigError("'" + name() + "' is not the name of a preset: give one word");
    return complete_timing(text_.substr(colon + 1, text_.find(';') - colon - 1));
}

} // namespace memsim::mem
