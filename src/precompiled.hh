#pragma once

/// What nearly every source of the simulator includes: g++ reads it once (SConstruct).
#include "core/kernel/component.hh"
#include "core/kernel/registry.hh"
#include "core/machine/functional.hh"
#include "protocol/mem.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
