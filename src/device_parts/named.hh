#pragma once

#include "core/base/error.hh"

#include <cstddef>

namespace memsim::device_parts {

/// The element that a message names: by the tag of a response, or the number of a frame or warp. An
/// invalid number is a bug of the sender and must not corrupt other data.
template <class Elements>
auto& named(Elements& elements, std::size_t number) {
    MEMSIM_ASSERT(number < elements.size(), "a message names an element that does not exist");
    return elements[number];
}

} // namespace memsim::device_parts
