#pragma once

#include "parts/links.hh"

namespace memsim::flash {

using parts::check_list, parts::link_newest, parts::ListEnds, parts::no_link, parts::unlink;

} // namespace memsim::flash
