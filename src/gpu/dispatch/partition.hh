#pragma once

#include "core/declare/param.hh"

#include <vector>

/// The division of a machine among applications: SMs and addresses.
namespace memsim::gpu {

using namespace memsim::literals;

/// The SMs that an application may use. spatial: each has SMs of its own. shared: all use all SMs,
/// also at the same time.
enum class Partition : std::uint8_t { spatial, shared };
constexpr std::array<std::string_view, 2> names_of(Partition) { return {"spatial", "shared"}; }

struct PartitionParams {
    using group = void;
    Param<unsigned> applications {1, {1, 64}, "Applications that run concurrently", from_wiring()};
    Param<Partition> partition {Partition::spatial, "Division of the SMs among applications",
                                assumed("each application has SMs of its own")};
    Param<std::string> sm_split {
        "", "SMs of each application if spatial, such as '10,6'; empty: as even as possible",
        assumed("as even as possible")};
};
struct AddressParams {
    using group = void;
    Param<std::string> bases {
        "", "First physical address of each application, such as '0B,1GiB'; empty: consecutive",
        assumed("one application after the other")};
    Param<Bytes> base_alignment {4_KiB,
                                 {1_B, 1_GiB},
                                 "Alignment of an application's first address if `bases` is empty",
                                 assumed("a page of 4 KiB")};
    Param<bool> translated {false,
                            "An MMU translates, so addresses are sent as the application has them",
                            from_wiring()};
};

struct SmRange {
    std::uint32_t first = 0, end = 0;
    bool operator==(const SmRange&) const = default;
};

// Both functions throw ConfigError with the owner's path.
/// The SMs of each application.
std::vector<SmRange> split_sms(const PartitionParams& p, std::uint32_t sms,
                               const std::string& path);
/// The first address of each application.
std::vector<std::uint64_t> place_applications(const AddressParams& p,
                                              const std::vector<std::uint64_t>& footprints,
                                              const std::string& path);

} // namespace memsim::gpu
