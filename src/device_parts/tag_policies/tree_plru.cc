#include "device_parts/tag_policies/tree_plru.hh"

namespace memsim::device_parts {

static const PolicyRegistration<TreePlru> tree_plru {
    "tree_plru", "Pseudo-LRU: a tree of bits selects a line that was used long ago."};

} // namespace memsim::device_parts
