#pragma once

#include "core/base/error.hh"

#include <cstddef>

namespace memsim::parts {

/// The element that a message names: the tag that an answer brings back, the number of a frame or
/// a warp. A message that names nothing is a fault of its sender, and must not write elsewhere.
template <class Elements>
auto& named(Elements& elements, std::size_t number) {
    MEMSIM_ASSERT(number < elements.size(), "a message names what its receiver does not have");
    return elements[number];
}

} // namespace memsim::parts
