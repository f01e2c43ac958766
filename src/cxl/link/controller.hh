#pragma once

#include "core/kernel/policy.hh"

namespace memsim::cxl {

using namespace memsim::literals;

/// The time of a message in each layer of one end of a link, for each pass.
struct LayerLatencies {
    Time conversion, transaction, link, physical;

    /// Above the link layer: from a request on a memory port to a message, or the reverse.
    Time upper() const { return conversion + transaction; }
    Time lower() const { return link + physical; }
    Time all() const { return upper() + lower(); }
};

/// A controller, described by the latencies of its layers.
class Controller : public PolicyBase {
  public:
    static constexpr std::string_view family = "CXL controller";
    virtual LayerLatencies layers() const = 0;
};

/// The latencies of a controller chosen by name, optionally with changed values:
/// 'ours(physical=9ns)'.
LayerLatencies layers_of(const PolicyName<Controller>& name);

} // namespace memsim::cxl
