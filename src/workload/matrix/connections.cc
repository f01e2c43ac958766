#include "workload/matrix/connections.hh"

#include "core/base/rng.hh"

#include <algorithm>
#include <array>

namespace memsim::workload {

namespace {

/// The features that are not 0 in all records, by index.
enum Feature : std::uint32_t {
    duration = 0,
    source_bytes = 1,
    target_bytes = 2,
    count = 15,
    service_count = 16,
    syn_errors = 17,
    service_syn_errors = 18,
    rejections = 19,
    service_rejections = 20,
    same_service = 21,
    other_service = 22,
    service_other_hosts = 23,
    host_count = 24,
    host_service_count = 25,
    host_same_service = 26,
    host_other_service = 27,
    host_same_port = 28,
    host_service_other_hosts = 29,
    host_syn_errors = 30,
    host_service_syn_errors = 31,
    host_rejections = 32
};
using Record = std::array<float, connection_features>;

class Traffic {
  public:
    explicit Traffic(std::uint64_t seed) : random_(seed, "connections") {}

    void append_run(std::vector<float>& to, std::uint64_t length) {
        const Kind kind = next_kind();
        Record record {};
        if (kind == Kind::smurf) smurf(record);
        if (kind == Kind::neptune) neptune(record);
        for (std::uint64_t i = 0; i < length; ++i) {
            if (kind == Kind::normal) normal(record, i);
            if (kind == Kind::neptune) vary_counts(record);
            to.insert(to.end(), record.begin(), record.end());
        }
    }
    std::uint64_t run_length() { return 64 + random_.below(512); }

  private:
    enum class Kind : std::uint8_t { smurf, neptune, normal };

    /// Of each 14 runs, 8 are smurf, 3 neptune and 3 normal, in random order.
    Kind next_kind() {
        if (left_ == 0) {
            left_ = kinds_.size();
            for (std::size_t i = 0; i < kinds_.size(); ++i)
                kinds_[i] = i < 8 ? Kind::smurf : i < 11 ? Kind::neptune : Kind::normal;
        }
        std::swap(kinds_[left_ - 1], kinds_[random_.below(left_)]);
        return kinds_[--left_];
    }
    float number(std::uint64_t least, std::uint64_t most) {
        return static_cast<float>(least + random_.below(most - least + 1));
    }
    /// 0 to `most` hundredths.
    float rate(std::uint64_t most) { return number(0, most) / 100.0f; }
    bool in_100(std::uint64_t chance) { return random_.below(100) < chance; }

    /// Echo replies of one size, up to the limit of the counters.
    void smurf(Record& r) {
        r[source_bytes] = in_100(80) ? 1032 : 520;
        r[count] = r[service_count] = 511;
        r[same_service] = 1;
        r[host_count] = r[host_service_count] = 255;
        r[host_same_service] = r[host_same_port] = 1;
    }
    /// Connections that are never established.
    void neptune(Record& r) {
        r[syn_errors] = r[service_syn_errors] = 1;
        r[host_syn_errors] = r[host_service_syn_errors] = 1;
        r[host_count] = 255;
        r[other_service] = r[host_other_service] = 0.06f;
    }
    void vary_counts(Record& r) {
        r[count] = number(100, 300);
        r[service_count] = number(1, 20);
        r[same_service] = number(1, 20) / 100.0f;
        r[host_service_count] = number(1, 20);
        r[host_same_service] = number(1, 8) / 100.0f;
    }
    void normal(Record& r, std::uint64_t place) {
        r = {};
        r[duration] = in_100(1) ? number(1, 120) : 0;
        r[source_bytes] = number(150, 350);
        r[target_bytes] = number(100, 20000);
        r[count] = number(1, 30);
        r[service_count] = number(1, 40);
        r[same_service] = r[host_same_service] = 1;
        const bool failed = in_100(4);
        for (const Feature f : {syn_errors, service_syn_errors, service_rejections})
            r[f] = failed ? rate(33) : 0;
        r[rejections] = in_100(1) ? rate(33) : 0;
        r[service_other_hosts] = in_100(36) ? rate(50) : 0;
        r[host_count] = static_cast<float>(std::min<std::uint64_t>(place % 256, 255));
        r[host_service_count] = 255;
        r[host_same_port] = rate(10);
        r[host_service_other_hosts] = static_cast<float>(place / 25 % 5) / 100.0f;
        r[host_syn_errors] = in_100(9) ? rate(3) : 0;
        r[host_service_syn_errors] = place % 100 >= 82 ? 0.01f : 0;
        r[host_rejections] = in_100(4) ? rate(20) : 0;
    }

    Rng random_;
    std::array<Kind, 14> kinds_ {};
    std::size_t left_ = 0; ///< remaining entries of `kinds_`
};

} // namespace

std::vector<float> connections(std::uint64_t seed, std::uint32_t points) {
    std::vector<float> all;
    Traffic traffic(seed);
    const std::uint64_t floats = std::uint64_t {points} * connection_features;
    all.reserve(floats);
    while (all.size() < floats)
        traffic.append_run(all,
                           std::min<std::uint64_t>(traffic.run_length(),
                                                   (floats - all.size()) / connection_features));
    return all;
}

} // namespace memsim::workload
