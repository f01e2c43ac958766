#include "workload/catalogue.hh"
#include "workload/matrix/connections.hh"

#include <limits>

/// K-means after Rodinia (Che et al., IISWC'09): `invert_mapping` stores the features one after the
/// other and `kmeansPoint` finds the nearest centre of each point; the host moves the centres and
/// counts the points that changed. 34 features and 5 clusters as for Rodinia's kdd_cup, whose
/// statistics the points have (connections.hh). Rodinia reads features through the texture cache
/// and centres from constant memory; both are device memory here [A].
namespace memsim::workload {

struct KmeansHost {
    u32 round = 0;               ///< assignments launched
    std::vector<u32> membership; ///< of the previous round
};

namespace {

constexpr u32 features = connection_features, clusters = 5, no_cluster = ~0u;

class Kmeans final : public HostedApplication<KmeansHost> {
  public:
    explicit Kmeans(const Options& options)
        : HostedApplication(options), points_(static_cast<u32>(options.size)) {
        const std::vector<float> all = connections(options.seed, points_);
        by_point_ = memory_.input("feature_flipped", all);
        by_feature_ = memory_.zeroed<float>("feature", all.size());
        membership_ = memory_.zeroed<u32>("membership", points_);
        centres_ = memory_.filled( // the first points [A]
            "clusters", std::vector<float>(all.begin(), all.begin() + clusters * features));
        host.membership.assign(points_, no_cluster);
        invert_ = kernel("invert_mapping", 14, [this](Warp& w) { invert(w); });
        assign_ = kernel("kmeansPoint", 18, [this](Warp& w) { assign(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (launches() == 0) {
            launch(invert_, points_, 256);
            return true;
        }
        // No kernel would read centres moved after the last round.
        if (launches() > 1 && (host.round == options_.iterations || !move_centres())) return false;
        ++host.round;
        launch(assign_, points_, 256);
        return true;
    }
    void invert(Warp& w) {
        enum class Site : u32 { from, to };
        const auto p = w.thread();
        w.if_(p < points_, [&] {
            const auto row = p * features;
            w.repeat(features, [&](u32 f) {
                const auto value = w.load(Site::from, by_point_, row, f);
                w.store(Site::to, by_feature_, p + f * points_, value);
            });
        });
    }
    void assign(Warp& w) {
        enum class Site : u32 { feature, centre, set };
        const auto p = w.thread();
        w.if_(p < points_, [&] {
            Lanes<u32> nearest = all_lanes(0u);
            Lanes<float> least = all_lanes(std::numeric_limits<float>::max());
            nearest.flow = least.flow = &w;
            w.repeat(clusters, [&](u32 c) {
                Lanes<float> distance = all_lanes(0.0f);
                distance.flow = &w;
                const auto centre = all_lanes(c * features);
                w.repeat(features, [&](u32 f) {
                    const auto value = w.load(Site::feature, by_feature_, p + f * points_);
                    const auto its = w.load(Site::centre, centres_, centre, f);
                    const auto apart = value - its;
                    distance = mad(apart, apart, distance);
                });
                const Cond nearer = distance < least;
                least = select(nearer, distance, least);
                nearest = select(nearer, all_lanes(c), nearest);
            });
            w.store(Site::set, membership_, p, nearest);
        });
    }
    /// The host's part: each centre becomes the mean of its points. Returns false if no point
    /// changed.
    bool move_centres() {
        std::vector<float> sum(clusters * features);
        std::vector<u32> members(clusters);
        for (u32 p = 0; p < points_; ++p) {
            const u32 c = membership_[p];
            ++members[c];
            for (u32 f = 0; f < features; ++f)
                sum[c * features + f] += by_point_[u64 {p} * features + f];
        }
        for (u32 i = 0; i < clusters * features; ++i)
            if (const u32 n = members[i / features]; n > 0)
                centres_[i] = sum[i] / static_cast<float>(n);
        const std::vector<u32> now(membership_.data, membership_.data + points_);
        const bool changed = now != host.membership;
        host.membership = now;
        return changed;
    }

    u32 points_;
    Array<float> by_point_, by_feature_, centres_;
    Array<u32> membership_;
    u32 invert_, assign_;
};

std::string Kmeans::difference() const {
    const auto feature = [&](u32 p, u32 f) { return by_point_[u64 {p} * features + f]; };
    std::vector<std::array<float, features>> centre(clusters);
    for (u32 c = 0; c < clusters; ++c)
        for (u32 f = 0; f < features; ++f) centre[c][f] = feature(c, f);
    std::vector<u32> membership(points_, no_cluster);
    bool changed = true;
    for (u32 round = 0; changed && round < options_.iterations; ++round) {
        changed = false;
        std::vector<std::array<float, features>> sum(clusters);
        std::vector<u32> members(clusters);
        for (u32 p = 0; p < points_; ++p) {
            u32 nearest = 0;
            float least = std::numeric_limits<float>::max();
            for (u32 c = 0; c < clusters; ++c) {
                float distance = 0;
                for (u32 f = 0; f < features; ++f) {
                    const float apart = feature(p, f) - centre[c][f];
                    distance += apart * apart;
                }
                if (distance < least) {
                    least = distance;
                    nearest = c;
                }
            }
            changed |= membership[p] != nearest;
            membership[p] = nearest;
            ++members[nearest];
            for (u32 f = 0; f < features; ++f) sum[nearest][f] += feature(p, f);
        }
        for (u32 c = 0; c < clusters && round + 1 < options_.iterations; ++c)
            for (u32 f = 0; f < features && members[c] > 0; ++f)
                centre[c][f] = sum[c][f] / static_cast<float>(members[c]);
    }
    if (auto wrong = first_difference("membership", membership_, membership); !wrong.empty())
        return wrong;
    std::vector<float> centres;
    for (const auto& c : centre) centres.insert(centres.end(), c.begin(), c.end());
    return first_difference("clusters", centres_, centres);
}

const Entry entry {{.names = {"kmeans"},
                    .doc = "K-means of points with 34 features in 5 clusters, until no point "
                           "changes, after Rodinia (Che et al., IISWC'09)",
                    .tables = "CMD I (kmeans)",
                    .size_is = "the number of points",
                    .size = 1 << 14,
                    .check_size = 1000,
                    .least = clusters,
                    .most = 1 << 22,
                    .iterations = 20,
                    .memory = [](const Options& o) { return 416 * o.size; },
                    .make = make<Kmeans>}};

} // namespace

} // namespace memsim::workload
