#include "core/machine/version.hh"

#include "core/base/hash.hh"
#include "core/kernel/registry.hh"
#include "core/version_number.hh"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace memsim {

namespace {

/// The description of the note NT_GNU_BUILD_ID in these notes, in hexadecimal digits.
std::string id_among(const char* notes, std::size_t size) {
    const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        const char* const name = notes + at + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(name, "GNU", 4)) {
            std::string id;
            for (std::size_t i = 0; i < note.n_descsz; ++i)
                for (const int shift : {4, 0}) id += "0123456789abcdef"[name[4 + i] >> shift & 15];
            return id;
        }
        at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    }
    return "";
}

/// Called for each loaded object: stores the id of the object that contains this function.
int find_id(dl_phdr_info* object, std::size_t, void* to) {
    const auto here = reinterpret_cast<ElfW(Addr)>(&find_id);
    std::string id;
    bool mine = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD) mine = mine || here - begin < part.p_memsz;
        if (part.p_type == PT_NOTE && id.empty())
            // The loader passes addresses as numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
            id = id_among(reinterpret_cast<const char*>(begin), part.p_memsz);
    }
    if (mine) *static_cast<std::string*>(to) = id;
    return mine;
}

} // namespace

const std::string& build_id() {
    static const std::string id = [] {
        std::string found;
        dl_iterate_phdr(find_id, &found);
        return found;
    }();
    return id;
}

const std::string& version() {
    static const std::string text = [] {
        std::string all;
        for (const auto& [name, schema] : registry()) all += name + "\n" + schema.shape;
        return MEMSIM_VERSION "+" + hash128(all).substr(0, 12);
    }();
    return text;
}

} // namespace memsim
