#include "workload/graph/input/kronecker.hh"

#include "core/base/error.hh"
#include "core/base/heed.hh"
#include "core/base/rng.hh"

#include <numeric>

namespace memsim::workload {

namespace {

/// A probability in units of 2^-32.
constexpr std::uint64_t share(std::uint64_t hundredths) { return (hundredths << 32) / 100; }

/// The quadrant of each level, from 32 random bits: bit 1 belongs to the source, bit 0 to the
/// target.
struct Quadrants {
    explicit Quadrants(const Initiator& i) : a(share(i.a)), b(a + share(i.b)), c(b + share(i.c)) {}
    std::uint32_t operator()(std::uint64_t bits) const {
        return static_cast<std::uint32_t>((bits >= a) + (bits >= b) + (bits >= c));
    }
    std::uint64_t a, b, c;
};

Arc draw(std::uint32_t scale, const Quadrants& quadrant, Rng& random) {
    std::uint32_t from = 0, to = 0;
    std::uint64_t bits = 0;
    for (std::uint32_t level = 0; level < scale; ++level) {
        // A draw of 64 bits serves two levels.
        if (level % 2 == 0) bits = random.next();
        const std::uint32_t q = quadrant(bits & 0xffffffff);
        bits >>= 32;
        from = from << 1 | q >> 1;
        to = to << 1 | (q & 1);
    }
    return {from, to};
}

} // namespace

Csr kronecker_graph(const KroneckerOptions& options) {
    if (options.scale < 1 || options.scale > 28)
        throw ConfigError("a Kronecker graph of scale " + std::to_string(options.scale) +
                          ", where 1 to 28 is right (2^scale vertices)");
    const std::uint32_t vertices = 1u << options.scale;
    const std::uint64_t edges = std::uint64_t {vertices} * options.edge_factor;
    if (options.edge_factor < 1 || edges > 0x7fffffff)
        throw ConfigError("an edge factor of " + std::to_string(options.edge_factor) +
                          " at scale " + std::to_string(options.scale) + ", where 1 to " +
                          std::to_string(0x7fffffff / vertices) + " is right");

    Rng random(options.seed, "kronecker");
    std::vector<std::uint32_t> name(vertices);
    std::iota(name.begin(), name.end(), 0u);
    for (std::uint32_t left = options.renumber ? vertices : 1; left > 1; --left) // Fisher and Yates
        std::swap(name[left - 1], name[random.below(left)]);

    std::vector<Arc> arcs;
    const Quadrants quadrant {options.initiator};
    arcs.reserve(options.directed ? edges : 2 * edges);
    for (std::uint64_t e = 0; e < edges; ++e) {
        if (e % 65536 == 0) heed();
        const Arc drawn = draw(options.scale, quadrant, random);
        const Arc arc {name[drawn.first], name[drawn.second]};
        arcs.push_back(arc);
        if (!options.directed) arcs.emplace_back(arc.second, arc.first);
    }
    return simplified(rows_of(vertices, arcs));
}

} // namespace memsim::workload
