#pragma once

#include "core/declare/param.hh"

#include <vector>

/// How applications share a machine: who has which SMs and which addresses.
namespace memsim::gpu {

using namespace memsim::literals;

/// Which SMs an application may use: spatial gives each its own, shared lets all use all, also side
/// by side in one SM.
enum class Partition : std::uint8_t { spatial, shared };
constexpr std::array<std::string_view, 2> names_of(Partition) { return {"spatial", "shared"}; }

struct PartitionParams {
    using group = void;
    Param<unsigned> applications {1, {1, 64}, "Applications that run at once"};
    Param<Partition> partition {Partition::spatial, "Which SMs each application may use"};
    Param<std::string> sm_split {
        "", "SMs of each application if spatial, such as '10,6'; empty: as even as possible"};
};
struct AddressParams {
    using group = void;
    Param<std::string> bases {"", "Physical address at which each application's addresses "
                                  "begin, such as '0B,1GiB'; empty: one after the other"};
    Param<Bytes> base_alignment {
        4_KiB, {1_B, 1_GiB}, "Alignment of an application's first address where `bases` is empty"};
    Param<bool> translated {
        false, "Whether an MMU translates: addresses go out as the application has them"};
};

struct SmRange {
    std::uint32_t first = 0, end = 0;
    bool operator==(const SmRange&) const = default;
};

// Both throw ConfigError, with the path of the owner.
/// The SMs of each application.
std::vector<SmRange> split_sms(const PartitionParams& p, std::uint32_t sms,
                               const std::string& path);
/// Where the addresses of each application begin.
std::vector<std::uint64_t> place_applications(const AddressParams& p,
                                              const std::vector<std::uint64_t>& footprints,
                                              const std::string& path);

} // namespace memsim::gpu
