// expect: could not convert|no viable conversion|cannot convert|conversion from .int. to
// non-scalar|no matching
#include "core/declare/param.hh"

using namespace memsim;

Time latency = 4;
