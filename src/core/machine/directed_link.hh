#pragma once

#include <string>
#include <vector>

/// The links of a machine as a list, for reports: who sends to whom over which wire.
namespace memsim {

class LinkBase;
class Machine;

/// One direction of a connection: its messages go from `sender` to `receiver`.
struct DirectedLink {
    std::string sender, sender_port;     ///< path of the component, name of its port
    std::string receiver, receiver_port; ///< as those
    const LinkBase* link;
};

/// In the order of the tree. Valid after build().
std::vector<DirectedLink> directed_links(const Machine& machine);

} // namespace memsim
