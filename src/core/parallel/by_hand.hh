#pragma once

#include "core/parallel/partition.hh"

#include <string>

namespace memsim {

/// The partition of each component, in the order of the machine, as a user names them: `groups[i]`
/// has paths of objects, each of which includes all objects below it. Components that
/// no group contains form one more partition. Throws ConfigError if two groups contain a component,
/// or if a group contains none.
std::vector<std::uint32_t> parts_of(const std::vector<Component*>& components,
                                    const std::vector<std::vector<std::string>>& groups);

/// The division of a machine into these partitions, with the longest possible window. Throws
/// ConfigError, with the remedy, if two components in different partitions cannot run side by side.
Partition divide_as(const std::vector<Component*>& components,
                    const std::vector<std::uint32_t>& part_of);

} // namespace memsim
