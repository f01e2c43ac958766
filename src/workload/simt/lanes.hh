#pragma once

#include "gpu_program/fill_lanes.hh"
#include "gpu_program/warp_stream.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <type_traits>

/// Registers of a warp and arithmetic on them. Each operator counts as an instruction by the rule
/// of docs/models/workloads.md and waits for the loads whose results it uses. Dependences follow
/// from the data flow; kernels do not state them.
namespace memsim::workload {

using gpu_program::u32;
using gpu_program::u64;
using gpu_program::u8;
using gpu_program::warp_lanes;

/// Bit i: lane i.
using Mask = u32;
inline constexpr Mask all_active = ~Mask {0};

/// A set of a warp's results: bit i stands for result number `at` - i.
struct Needs {
    u64 bits = 0;
    u32 at = 0;
};
inline Needs operator|(Needs a, Needs b) {
    if (a.at > b.at) std::swap(a, b);
    const u32 ago = b.at - a.at;
    return {b.bits | (ago < 64 ? a.bits << ago : 0), b.at};
}

/// State of a warp's stream while it runs: the active lanes, and the results for which no operation
/// has waited yet.
class Flow {
  public:
    Flow(std::vector<u8>& bytes, gpu_program::StreamCounts& counts, Mask threads, bool by_rule)
        : stream_(bytes, counts), active_(threads), by_rule_(by_rule) {}

    Mask active() const { return active_; }

    /// Adds instructions, counted by the rule, that use these results. In a kernel counted from
    /// machine code (compute), the next operation waits instead.
    void use(u32 instructions, u64 waits) {
        if (active_ == 0) return;
        if (by_rule_) {
            stream_.compute(active_, instructions, waits);
            open_ &= ~waits;
        } else
            owed_ |= waits;
    }
    /// Instructions of an arithmetic unit, in a kernel that is counted from machine code. If
    /// `dependent`, each needs the result of the one before, and the first that of the last call.
    void arithmetic(gpu_program::ArithmeticUnit unit, u32 n, bool dependent) {
        MEMSIM_ASSERT(!by_rule_, "arithmetic by the rule is counted by operators");
        if (active_ == 0) return;
        if (dependent) stream_.needs_arithmetic(1);
        stream_.arithmetic(unit, active_, n, dependent, take(0));
    }
    /// The results that must be waited for, in the format of `waits` of the next operation.
    u64 open(const Needs& needs) const {
        const u32 ago = results_ - needs.at;
        return ago >= 64 ? 0 : needs.bits << ago & open_;
    }

  protected:
    /// The results for which the next operation waits in addition to its operands.
    u64 take(u64 waits) {
        waits |= owed_;
        owed_ = 0;
        open_ &= ~waits;
        return waits;
    }
    /// The last operation written has a result.
    Needs new_result() {
        open_ = open_ << 1 | 1;
        return {1, ++results_};
    }

    gpu_program::WarpStreamWriter stream_;
    Mask active_;
    bool by_rule_;
    u32 results_ = 0; ///< so far
    u64 open_ = 0;    ///< bit i: nothing has waited for the i-th last result
    u64 owed_ = 0;    ///< in the same format
};

namespace detail {

/// Bit i in element i. A table, because x86-64 cannot shift several lanes by different amounts at
/// once.
inline constexpr auto lane_bit = [] {
    std::array<Mask, warp_lanes> bits {};
    for (u32 i = 0; i < warp_lanes; ++i) bits[i] = Mask {1} << i;
    return bits;
}();

struct Unset {}; ///< a register about to be written in all lanes

} // namespace detail

/// A register: one value per lane. As in CUDA, assignment changes the active lanes only; the
/// initialisation of a copy sets all lanes.
template <class T>
struct Lanes {
    std::array<T, warp_lanes> lane;
    Flow* flow = nullptr; ///< the owner of the register; none: a constant
    Needs needs;          ///< loads whose results it holds

    Lanes() { gpu_program::fill_lanes(lane, T {}); }
    explicit Lanes(T value) { gpu_program::fill_lanes(lane, value); }
    explicit Lanes(detail::Unset) {}
    Lanes(const Lanes&) = default;
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): copies lane by lane
    Lanes& operator=(const Lanes& other) {
        if (flow && flow->active() != all_active) {
            for (Mask rest = flow->active(); rest != 0; rest &= rest - 1) {
                const auto i = static_cast<u32>(std::countr_zero(rest));
                lane[i] = other.lane[i];
            }
            needs = needs | other.needs;
        } else {
            lane = other.lane;
            flow = flow ? flow : other.flow;
            needs = other.needs;
        }
        return *this;
    }

    T& operator[](u32 i) { return lane[i]; }
    const T& operator[](u32 i) const { return lane[i]; }
};

/// A predicate: the lanes in which it holds.
struct Cond {
    Mask mask = 0;

    Cond(Mask lanes = 0) : mask(lanes) {}
    friend Cond operator&&(Cond a, Cond b) { return a.mask & b.mask; }
    friend Cond operator||(Cond a, Cond b) { return a.mask | b.mask; }
    Cond operator!() const { return ~mask; }
};

namespace detail {

/// Integers are computed as unsigned values, so that inactive lanes cannot overflow.
template <class T>
struct Plain {
    using Type = T;
};
template <std::integral T>
requires(!std::same_as<T, bool>) struct Plain<T> {
    using Type = std::conditional_t<sizeof(T) <= 4, u32, u64>;
};
template <class T>
using PlainOf = typename Plain<T>::Type;

template <class T, class U>
Flow* used(u32 instructions, const Lanes<T>& a, const Lanes<U>& b) {
    Flow* const flow = a.flow ? a.flow : b.flow;
    if (flow) flow->use(instructions, flow->open(a.needs) | flow->open(b.needs));
    return flow;
}
template <class T>
Flow* used(u32 instructions, const Lanes<T>& a) {
    if (a.flow) a.flow->use(instructions, a.flow->open(a.needs));
    return a.flow;
}

template <class R, class T, class U, class F>
Lanes<R> both(const Lanes<T>& a, const Lanes<U>& b, F f) {
    Lanes<R> r(Unset {});
    for (u32 i = 0; i < warp_lanes; ++i) r.lane[i] = static_cast<R>(f(a.lane[i], b.lane[i]));
    r.flow = used(1, a, b);
    return r;
}
template <class R, class T, class F>
Lanes<R> each(const Lanes<T>& a, F f) {
    Lanes<R> r(Unset {});
    for (u32 i = 0; i < warp_lanes; ++i) r.lane[i] = static_cast<R>(f(a.lane[i]));
    r.flow = used(1, a);
    return r;
}
template <class T, class F>
Cond compare(const Lanes<T>& a, const Lanes<T>& b, F f) {
    Mask mask = 0;
    for (u32 i = 0; i < warp_lanes; ++i) mask |= (0 - Mask {f(a.lane[i], b.lane[i])}) & lane_bit[i];
    used(1, a, b);
    return mask;
}
/// The lanes, active or not, in which f holds; costs no instruction.
template <class T, class F>
Cond holds(const Lanes<T>& a, T b, F f) {
    Mask mask = 0;
    for (u32 i = 0; i < warp_lanes; ++i) mask |= (0 - Mask {f(a.lane[i], b)}) & lane_bit[i];
    return mask;
}
template <class T, class F>
Cond compare(const Lanes<T>& a, T b, F f) {
    used(1, a);
    return holds(a, b, f);
}

} // namespace detail

#define MEMSIM_LANES_OPERATOR(op)                                                                  \
    template <class T>                                                                             \
    Lanes<T> operator op(const Lanes<T>& a, const Lanes<T>& b) {                                   \
        using P = detail::PlainOf<T>;                                                              \
        return detail::both<T>(a, b,                                                               \
                               [](T x, T y) { return static_cast<P>(x) op static_cast<P>(y); });   \
    }                                                                                              \
    template <class T>                                                                             \
    Lanes<T> operator op(const Lanes<T>& a, std::type_identity_t<T> b) {                           \
        using P = detail::PlainOf<T>;                                                              \
        return detail::each<T>(a, [b](T x) { return static_cast<P>(x) op static_cast<P>(b); });    \
    }                                                                                              \
    template <class T>                                                                             \
    Lanes<T> operator op(std::type_identity_t<T> a, const Lanes<T>& b) {                           \
        using P = detail::PlainOf<T>;                                                              \
        return detail::each<T>(b, [a](T x) { return static_cast<P>(a) op static_cast<P>(x); });    \
    }
MEMSIM_LANES_OPERATOR(+)
MEMSIM_LANES_OPERATOR(-)
MEMSIM_LANES_OPERATOR(*)
MEMSIM_LANES_OPERATOR(&)
MEMSIM_LANES_OPERATOR(|)
MEMSIM_LANES_OPERATOR(^)
#undef MEMSIM_LANES_OPERATOR

#define MEMSIM_LANES_COMPARISON(op)                                                                \
    template <class T>                                                                             \
    Cond operator op(const Lanes<T>& a, const Lanes<T>& b) {                                       \
        return detail::compare(a, b, [](T x, T y) { return x op y; });                             \
    }                                                                                              \
    template <class T>                                                                             \
    Cond operator op(const Lanes<T>& a, std::type_identity_t<T> b) {                               \
        return detail::compare(a, b, [](T x, T y) { return x op y; });                             \
    }
MEMSIM_LANES_COMPARISON(==)
MEMSIM_LANES_COMPARISON(!=)
MEMSIM_LANES_COMPARISON(<)
MEMSIM_LANES_COMPARISON(<=)
MEMSIM_LANES_COMPARISON(>)
MEMSIM_LANES_COMPARISON(>=)
#undef MEMSIM_LANES_COMPARISON

template <class T>
Lanes<T> operator<<(const Lanes<T>& a, u32 by) {
    return detail::each<T>(a, [by](T x) { return static_cast<detail::PlainOf<T>>(x) << by; });
}
template <class T>
Lanes<T> operator>>(const Lanes<T>& a, u32 by) {
    return detail::each<T>(a, [by](T x) { return x >> by; });
}
template <class T>
Lanes<T> min(const Lanes<T>& a, const Lanes<T>& b) {
    return detail::both<T>(a, b, [](T x, T y) { return y < x ? y : x; });
}
template <class T>
Lanes<T> max(const Lanes<T>& a, const Lanes<T>& b) {
    return detail::both<T>(a, b, [](T x, T y) { return x < y ? y : x; });
}
template <class T>
Lanes<T> min(const Lanes<T>& a, std::type_identity_t<T> b) {
    return detail::each<T>(a, [b](T x) { return b < x ? b : x; });
}
template <class T>
Lanes<T> max(const Lanes<T>& a, std::type_identity_t<T> b) {
    return detail::each<T>(a, [b](T x) { return x < b ? b : x; });
}
/// a where the condition holds, otherwise b.
template <class T>
Lanes<T> select(Cond condition, const Lanes<T>& a, const Lanes<T>& b) {
    Lanes<T> r(detail::Unset {});
    for (u32 i = 0; i < warp_lanes; ++i) r[i] = (condition.mask >> i & 1) != 0 ? a[i] : b[i];
    r.flow = detail::used(1, a, b);
    return r;
}
/// a x b + c as one instruction. The product is rounded before the sum, so that all compilers give
/// the same bits (fused hardware differs in the last bit).
template <class T>
Lanes<T> mad(const Lanes<T>& a, const Lanes<T>& b, const Lanes<T>& c) {
    using P = detail::PlainOf<T>;
    Lanes<T> r(detail::Unset {});
    for (u32 i = 0; i < warp_lanes; ++i) {
        const P product = static_cast<P>(a[i]) * static_cast<P>(b[i]);
        r[i] = static_cast<T>(product + static_cast<P>(c[i]));
    }
    r.flow = a.flow ? a.flow : b.flow ? b.flow : c.flow;
    if (r.flow)
        r.flow->use(1, r.flow->open(a.needs) | r.flow->open(b.needs) | r.flow->open(c.needs));
    return r;
}
template <class T>
Lanes<T> mad(const Lanes<T>& a, std::type_identity_t<T> b, const Lanes<T>& c) {
    return mad(a, Lanes<T>(b), c);
}
/// A register of another type with the same values.
template <class To, class T>
Lanes<To> as(const Lanes<T>& a) {
    return detail::each<To>(a, [](T x) { return static_cast<To>(x); });
}
template <class T>
Lanes<T> all_lanes(T value) {
    return Lanes<T>(value);
}

} // namespace memsim::workload
