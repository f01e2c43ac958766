// expect: not a constant expression|not a whole number
#include "core/base/units.hh"

using namespace memsim::literals;

auto three_hours = 10800_s;
