#pragma once

#include "core/kernel/policy.hh"

namespace memsim::cxl {

using namespace memsim::literals;

/// What a message spends in each layer of one end of a link, each time that it passes it.
struct LayerLatencies {
    Time conversion, transaction, link, physical;

    /// Above the link layer: from a request on a memory port to a message, or back.
    Time upper() const { return conversion + transaction; }
    Time lower() const { return link + physical; }
    Time all() const { return upper() + lower(); }
};

/// A controller, as its layers' latencies.
class Controller : public PolicyBase {
  public:
    static constexpr std::string_view family = "CXL controller";
    virtual LayerLatencies layers() const = 0;
};

/// Of a controller that is chosen by name, perhaps with figures of its own: 'ours(physical=9ns)'.
LayerLatencies layers_of(const PolicyName<Controller>& name);

} // namespace memsim::cxl
