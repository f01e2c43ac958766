#pragma once

#include "core/kernel/simulation.hh"

#include <string>
#include <utility>
#include <vector>

namespace memsim {

class Machine;

/// Tells each message that a component takes, in words, if the debug flag of the component's type
/// is on ('mem.Cache'). So every type has a flag; what a component says itself has flags of its
/// own.
class MessageLog final : public Watcher {
  public:
    explicit MessageLog(const Machine& machine);
    void before(const Component& c) override;
    void after(const Component& c) override;

  private:
    std::vector<const DebugFlag*> flags_;           ///< of each component's type, by number
    std::vector<std::vector<std::string>> waiting_; ///< at each link of the component that wakes
};

} // namespace memsim
