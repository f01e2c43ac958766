#pragma once

#include "workload/device_memory.hh"

#include <cmath>
#include <cstdio>

namespace memsim::workload {

/// Returns a sentence about the first element that differs from the reference by more than `error`;
/// empty if there is none. `reference(i)` returns a value and its error: a pair, or a struct of
/// two.
template <class T, class Reference>
std::string first_far(const std::string& name, std::span<const T> ours, Reference reference) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const auto [value, error] = reference(i);
        const auto have = static_cast<long double>(ours[i]);
        if (std::abs(have - value) <= error) continue; // false for NaN, too
        char text[160];
        std::snprintf(text, sizeof text,
                      "[%zu] is %.9Lg, but the reference has %.9Lg and allows for %.3Lg", i, have,
                      static_cast<long double>(value), static_cast<long double>(error));
        return name + text;
    }
    return "";
}

} // namespace memsim::workload
