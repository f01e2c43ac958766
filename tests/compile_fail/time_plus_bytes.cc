// expect: no match for .operator\+|invalid operands to binary expression
#include "core/base/units.hh"

using namespace memsim::literals;

auto sum = 1_ns + 1_B;
