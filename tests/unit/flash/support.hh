#pragma once

#include "core/machine/machine.hh"
#include "flash/drive/drive.hh"

#include <catch2/catch.hpp>

#include <functional>
#include <string>

/// What the tests of this folder share.
namespace memsim::test_flash {

using namespace memsim::literals;

inline constexpr Tick ns = 1'000'000;
inline constexpr Tick us = 1000 * ns;

template <class Total>
inline std::uint64_t value(const Total& c) {
    return static_cast<std::uint64_t>(c.value());
}

/// `more` over `base`: later values of a parameter win.
inline Arguments with(Arguments base, const Arguments& more) {
    for (const auto& m : more) {
        bool found = false;
        for (auto& b : base)
            if (b.first == m.first) b.second = m.second, found = true;
        if (!found) base.push_back(m);
    }
    return base;
}
/// Those of `all` that are named.
inline Arguments pick(const Arguments& all, const std::vector<std::string>& names) {
    Arguments some;
    for (const auto& a : all)
        if (std::find(names.begin(), names.end(), a.first) != names.end()) some.push_back(a);
    return some;
}

/// The geometry of the flash, as each component takes its part of it.
struct Flash {
    unsigned channels = 2, packages = 2, dies = 2, planes = 2, blocks = 16, pages = 8;
    Arguments drive {}, channel {}, package {};

    Arguments of_package() const {
        return with({{"dies", std::to_string(dies)},
                     {"planes", std::to_string(planes)},
                     {"blocks", std::to_string(blocks)},
                     {"pages", std::to_string(pages)},
                     {"registers", "1"}},
                    package);
    }
    Arguments of_channel() const {
        return with({{"packages", std::to_string(packages)},
                     {"dies", std::to_string(dies)},
                     {"planes", std::to_string(planes)}},
                    channel);
    }
    Arguments of_drive() const {
        return with({{"channels", std::to_string(channels)},
                     {"packages", std::to_string(packages)},
                     {"dies", std::to_string(dies)},
                     {"planes", std::to_string(planes)},
                     {"blocks", std::to_string(blocks)},
                     {"pages", std::to_string(pages)}},
                    drive);
    }
    /// The drive with its channels and packages. The caller binds its host ports.
    void add(Machine& m) const {
        m.add("drive", "flash.Drive", of_drive());
        for (unsigned c = 0; c < channels; ++c) {
            const std::string channel_path = "channel[" + std::to_string(c) + "]";
            m.add(channel_path, "flash.Channel", of_channel());
            m.bind("drive", "channel[" + std::to_string(c) + "]", channel_path, "controller");
            for (unsigned p = 0; p < packages; ++p) {
                const std::string path = "package[" + std::to_string(c * packages + p) + "]";
                m.add(path, "flash.Package", of_package());
                m.bind(channel_path, "package[" + std::to_string(p) + "]", path, "io[0]");
            }
        }
    }
};

/// MQSim's default drive (its ssdconfig.xml), with its policies.
inline Flash mqsim_drive() {
    Flash f {8, 4, 2, 2, 2048, 256};
    f.drive = {{"over_provisioning", "0.07"}, {"unwritten", "past"}, {"map_cache", "2MiB"},
               {"keep_rewritten", "true"},    {"commands", "4096"},  {"queue_depth", "4096"}};
    f.channel = {{"bus", "nv_ddr2_333"}, {"dies_at_once", "1"}, {"queue", "4096"}};
    f.package = {{"media", "mlc"}};
    return f;
}

/// The sentence that f() fails with, or "" if it does not.
inline std::string error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

/// Runs to the end, which must be a clean one.
inline void run(Machine& m) {
    m.start();
    REQUIRE(m.run(never) == Stop::idle);
    REQUIRE_FALSE(m.pending());
    for (const std::string& broken : m.imbalances()) FAIL(broken);
}

} // namespace memsim::test_flash
