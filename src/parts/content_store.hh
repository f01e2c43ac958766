#pragma once

#include "core/hash_map.hh"

#include <cstdint>

namespace memsim::parts {

/// What a memory holds, for integrity checks: for each block (the owner says how large) the number
/// of the write that it got last, 0 for what was there at the start. Timed: the owner writes it
/// when the device's cells change, so a copy that is forgotten, misplaced or overtaken shows as a
/// wrong version. Sparse; a value for State.
class ContentStore {
  public:
    static constexpr std::string_view archived_as = "ContentStore";
    template <class Archive>
    void archive(Archive& a) {
        a(versions_);
    }

    std::uint64_t read(std::uint64_t block) const {
        const std::uint64_t* v = versions_.find(block);
        return v ? *v : 0;
    }
    void write(std::uint64_t block, std::uint64_t version) {
        if (version == 0)
            versions_.erase(block);
        else
            versions_[block] = version;
    }
    std::size_t size() const { return versions_.size(); }

  private:
    HashMap<std::uint64_t> versions_;
};

} // namespace memsim::parts
