// expect: not a constant expression|not a whole number
#include "core/base/units.hh"

using namespace memsim::literals;

auto finer_than_a_tick = 0.3_fs;
