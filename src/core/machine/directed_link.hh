#pragma once

#include <string>
#include <vector>

/// The links of a machine as a list, for reports.
namespace memsim {

class LinkBase;
class Machine;

/// One direction of a connection: messages travel from `sender` to `receiver`.
struct DirectedLink {
    std::string sender, sender_port;     ///< path of the component, name of its port
    std::string receiver, receiver_port; ///< the same for the receiver
    const LinkBase* link;
};

/// Lists the links in the order of the tree. Valid after build().
std::vector<DirectedLink> directed_links(const Machine& machine);

} // namespace memsim
