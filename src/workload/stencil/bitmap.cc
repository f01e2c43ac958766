#include "workload/stencil/bitmap.hh"

#include "workload/simt/exact_math.hh"

#include <algorithm>
#include <utility>

namespace memsim::workload {

namespace {

constexpr u32 most_side = 1 << 13;

} // namespace

Picture read_bitmap(InputFile& file) {
    u8 head[54];
    file.read(head, sizeof head, "the header of a bitmap");
    const auto number = [&](u32 at, u32 bytes) {
        u32 n = 0;
        for (u32 i = 0; i < bytes; ++i) n |= u32 {head[at + i]} << 8 * i;
        return n;
    };
    if (head[0] != 'B' || head[1] != 'M') file.refuse("is no bitmap: it does not begin with BM");
    if (number(28, 2) != 24 || number(30, 4) != 0)
        file.refuse("is a bitmap of " + std::to_string(number(28, 2)) +
                    " bits a pixel, compression " + std::to_string(number(30, 4)) +
                    "; only 24 bits without compression are supported");
    const bool from_top = number(22, 4) >> 31 != 0; // a negative height
    Picture picture {number(18, 4), from_top ? 0 - number(22, 4) : number(22, 4), {}};
    for (const auto& [name, side] : {std::pair("width", picture.width), {"height", picture.height}})
        if (side < 1 || side > most_side)
            file.refuse(std::string("has a ") + name + " of " + std::to_string(side) +
                        " pixels; 1 to " + std::to_string(most_side) + " are supported");
    if (number(10, 4) < sizeof head)
        file.refuse("states that its pixels begin at byte " + std::to_string(number(10, 4)) +
                    ", within its header");
    u8 skipped;
    for (u32 i = sizeof head; i < number(10, 4); ++i) file.read(&skipped, 1, "the header");
    std::vector<u8> row((u64 {3} * picture.width + 3) / 4 * 4);
    for (u32 r = 0; r < picture.height; ++r) {
        file.read(row.data(), row.size(), "a row of pixels");
        for (u64 x = 0; x < picture.width; ++x)
            for (u64 c = 0; c < 3; ++c) // the file stores blue first
                picture.rgb.push_back(row[3 * x + 2 - c]);
    }
    const u64 width = u64 {3} * picture.width;
    for (u64 top = 0, bottom = picture.height - 1; !from_top && top < bottom; ++top, --bottom) {
        const auto begin = picture.rgb.begin() + static_cast<std::ptrdiff_t>(top * width);
        const auto other = picture.rgb.begin() + static_cast<std::ptrdiff_t>(bottom * width);
        std::swap_ranges(begin, begin + static_cast<std::ptrdiff_t>(width), other);
    }
    return picture;
}

Picture drawn_picture(u32 side, u64 seed) {
    constexpr u32 step = 16;
    const u32 corners = side / step + 2;
    const auto colour = random_words(seed, "colours", u64 {corners} * corners * 3, 256);
    const auto grain = random_words(seed, "grain", u64 {side} * side * 3, 4);
    Picture picture {side, side, {}};
    for (u32 y = 0; y < side; ++y)
        for (u32 x = 0; x < side; ++x)
            for (u32 c = 0; c < 3; ++c) {
                const auto corner = [&](u32 i, u32 j) {
                    return colour[((y / step + j) * corners + x / step + i) * 3 + c];
                };
                const u32 u = x % step, v = y % step;
                const u32 top = corner(0, 0) * (step - u) + corner(1, 0) * u;
                const u32 bottom = corner(0, 1) * (step - u) + corner(1, 1) * u;
                const u32 smooth = (top * (step - v) + bottom * v) / (step * step);
                picture.rgb.push_back(static_cast<u8>(smooth ^ grain[picture.rgb.size()]));
            }
    return picture;
}

} // namespace memsim::workload
