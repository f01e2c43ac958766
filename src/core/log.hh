#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memsim {

/// A switch for trace output, declared where it is used: `const DebugFlag dram{"Dram", "..."};`
/// Which are on belongs to a run, not to the flag.
class DebugFlag {
  public:
    DebugFlag(const char* name, const char* doc);
    const char* name() const { return name_; }
    const char* doc() const { return doc_; }
    std::size_t index() const { return index_; }
    static const std::vector<const DebugFlag*>& all();

  private:
    const char* name_;
    const char* doc_;
    std::size_t index_;
};

} // namespace memsim
