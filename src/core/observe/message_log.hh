#pragma once

#include "core/kernel/simulation.hh"

#include <string>
#include <utility>
#include <vector>

namespace memsim {

class Machine;

/// Logs each message that a component receives, as text, if the debug flag with the name of the
/// component's type ('mem.Cache') is on. Every type has such a flag; log lines that a component
/// writes itself have their own flags.
class MessageLog final : public Watcher {
  public:
    explicit MessageLog(const Machine& machine);
    void before(const Component& c) override;
    void after(const Component& c) override;

  private:
    std::vector<const DebugFlag*> flags_;           ///< of each component's type, by number
    std::vector<std::vector<std::string>> waiting_; ///< at each link of the woken component
};

} // namespace memsim
