#pragma once

#include "xpoint/device.hh"
#include "xpoint/media.hh"

namespace memsim::xpoint {

/// What a controller must know of a module behind DDR-T.
struct Figures {
    const MediaParams& media;
    const DeviceParams& device;
    Bytes snarf_register {0}; ///< 0: the module has none
    unsigned swaps = 0;       ///< that it holds at once
};

class HasFigures {
  public:
    virtual ~HasFigures() = default;
    virtual Figures figures() const = 0;
};

} // namespace memsim::xpoint
