#pragma once

#include "cmd/tables/reference_store.hh"

#include "support.hh"

/// What the tests of stores of references share.
namespace memsim::cmd::test {

inline Reference::Digest digest(std::uint64_t n) {
    Reference::Digest d {};
    std::memcpy(d.data(), &n, sizeof n);
    return d;
}
template <class Store>
Store sized(std::uint32_t entries, std::uint32_t ways) {
    Store store;
    store.resize(entries, ways);
    return store;
}
template <class Store>
std::uint32_t count(const Store& store, std::uint32_t place) {
    const Reference* const r = store.find_place(place);
    return r ? r->count : 0;
}

} // namespace memsim::cmd::test
