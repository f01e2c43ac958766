#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The micro-ring resonators of a virtual channel for each wavelength, after Fig. 15 of Ohm-GPU: an
/// array of pre-tuned rings at each endpoint, from which a route selects (tuning one ring to the
/// half-coupled state would take 500 ps). The general design has every pair of transmitter and
/// receiver, full and half coupled, on both paths of the three endpoints: 24 rings. A mode keeps
/// the rings that its functions need. The paper gives the counts, and names rings by labels of a
/// figure. The assignment of rings to functions is reconstructed from its text (assumption); only
/// the counts are the paper's.
namespace memsim::optical {

enum class Endpoint : std::uint8_t { controller, dram, xpoint };
enum class Path : std::uint8_t { forward, backward }; ///< as seen from the controller
enum class Coupling : std::uint8_t { full, half };
enum class Role : std::uint8_t { transmitter, receiver };

/// The functions that need a ring, as a mask.
enum Function : std::uint8_t {
    plain = 1,   ///< controller to device and back
    auto_rw = 2, ///< the XPoint controller snarfs traffic between DRAM and the memory controller
    swap = 4,    ///< memory route between XPoint and DRAM on the light of the data route
    reverse_write = 8, ///< XPoint to DRAM; the memory controller snarfs
};

struct Ring {
    Endpoint endpoint;
    Path path;
    Role role;
    Coupling coupling;
    std::uint8_t needed_by; ///< Functions
};

/// All 24 rings, outwards from the controller.
std::span<const Ring> general_layout();

/// Number of rings that a design with these functions keeps, in total and at one endpoint.
unsigned rings_of(std::uint8_t functions);
unsigned rings_at(Endpoint endpoint, std::uint8_t functions);

/// Rings that light passes between two endpoints without using them: all rings of the design on
/// that section except the sender's and the receiver's own.
unsigned rings_passed(std::uint8_t functions, Path path, Endpoint from, Endpoint to);

} // namespace memsim::optical
