#pragma once

#include "xpoint/device.hh"
#include "xpoint/media.hh"

namespace memsim::xpoint {

/// The properties of a module behind DDR-T that a controller needs.
struct Figures {
    const MediaParams& media;
    const DeviceParams& device;
    Bytes snarf_register {0}; ///< 0: no register
    unsigned swaps = 0;       ///< maximum concurrent swaps
};

class HasFigures {
  public:
    static constexpr bool constant = true;
    virtual ~HasFigures() = default;
    virtual Figures figures() const = 0;
};

} // namespace memsim::xpoint
