#pragma once

#include "core/machine/machine.hh"

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// The perturbation oracle. It finds components whose results depend on superfluous wakes, on
/// values outside of State, on the kind of event queue, or on another machine in the process.
namespace memsim::test {

/// A machine around one component type under traffic. `make` adds and binds; the oracle builds and
/// starts it. Every run must end with no event pending.
struct Rig {
    std::string type; ///< the component type that it is for
    std::function<void(Machine&)> make;
};

/// All rigs of the program; a file of rigs has one line for each:
/// `static const RigFor simple {"mem.SimpleMemory", [](Machine& m) { ... }};`
std::vector<Rig>& rigs();
struct RigFor {
    RigFor(std::string type, std::function<void(Machine&)> make) {
        rigs().push_back({std::move(type), std::move(make)});
    }
};

/// A machine of the rig, always with the same seed.
std::unique_ptr<Machine> built(const Rig& rig, QueueKind kind = QueueKind::fast);

/// The path of a part with an index, such as "channel[2]".
inline std::string at(const char* name, unsigned i) {
    return std::string(name) + "[" + std::to_string(i) + "]";
}

/// The path of a file of this process with that text, for rigs that read one.
std::string written(const std::string& name, const std::string& text);

/// Runs the rig undisturbed; then with spurious wakes, saved and restored at random ticks, on the
/// naive queue, stamped, traced, sampled, and together with another machine. Returns a sentence for
/// each run that ends otherwise (statistics, digest, last tick or State); empty if the component
/// passes. Each round has other seeds and other ticks.
std::vector<std::string> check_oracle(const Rig& rig, unsigned rounds = 1);

} // namespace memsim::test
