#pragma once

#include "core/base/reflect.hh"
#include "core/declare/constraint.hh"
#include "core/declare/provenance.hh"

#include <memory>
#include <optional>

namespace memsim {

template <class T>
struct Range {
    T min, max;
};

/// A fixed parameter is part of the configuration hash: a checkpoint restores only under the same
/// value. A tunable parameter may be changed on restore, and the change is recorded.
enum class Change : std::uint8_t { fixed, tunable };

/// The framework's operations on a parameter whose type is erased. One table per type of value, so
/// that they are compiled once and not for each component.
struct ParamOperations {
    std::string (*type)();
    std::string_view (*unit)();
    bool late; ///< the default is checked only when a component is created
    std::string (*text)(const void* param);
    std::optional<std::int64_t> (*number)(const void* param);
    std::string (*min)(const void* param);
    std::string (*max)(const void* param);
    const char* (*doc)(const void* param);
    Change (*change)(const void* param);
    const Provenance& (*provenance)(const void* param);
    const std::vector<Constraint>& (*constraints)(const void* param);
    void (*parse)(void* param, std::string_view text);
    void (*check)(const void* param, const Constraint& c, std::string_view name_of_other);
};

/// One parameter of a component: default, allowed range and meaning, followed by its constraints,
/// its provenance and whether it is tunable, all declared once. It converts to a T. A component's
/// copy holds only the value, so that values are close together in memory.
template <class T>
class Param {
  public:
    using Value = T;
    Param(T initial, const char* doc);
    Param(T initial, Range<T> range, const char* doc);
    template <class First, class... Rest>
    Param(T initial, const char* doc, First first, Rest... rest) : Param(std::move(initial), doc) {
        add(std::move(first)), (add(std::move(rest)), ...);
    }
    template <class First, class... Rest>
    Param(T initial, Range<T> range, const char* doc, First first, Rest... rest)
        : Param(std::move(initial), std::move(range), doc) {
        add(std::move(first)), (add(std::move(rest)), ...);
    }
    Param(const Param& other);
    ~Param();

    const T& operator()() const { return value_; }
    operator const T&() const { return value_; }
    const T* operator->() const { return &value_; }

    const char* doc() const { return about().doc; }
    Change change() const { return about().change; }
    const Provenance& provenance() const { return about().provenance; }
    const std::vector<Constraint>& constraints() const { return about().constraints; }
    std::string text() const { return Text<T>::show(value_); }
    /// The value in the base unit; none if the value is a word or a text.
    std::optional<std::int64_t> number() const {
        if constexpr (requires { value_.raw; })
            return value_.raw;
        else if constexpr (std::integral<T>)
            return static_cast<std::int64_t>(value_);
        else
            return {};
    }
    std::string min() const { return about().range ? Text<T>::show(about().range->min) : ""; }
    std::string max() const { return about().range ? Text<T>::show(about().range->max) : ""; }

    /// Parses the value. The error is the end of a sentence; the caller prepends the place.
    void parse(std::string_view s) {
        T v = Text<T>::parse(s);
        if constexpr (std::totally_ordered<T>) {
            const auto& range = about().range;
            if (range && (v < range->min || range->max < v))
                throw ConfigError("'" + std::string(s) +
                                  "' is outside its range: it must be from " + min() + " to " +
                                  max());
        }
        value_ = std::move(v);
        for (const Constraint& c : constraints())
            if (!c.other()) check(c, "");
    }
    static const ParamOperations operations;

  private:
    struct About {
        std::optional<Range<T>> range;
        const char* doc;
        Change change = Change::fixed;
        Provenance provenance {};
        std::vector<Constraint> constraints {};
    };
    void add(Change c) { about_->change = c; }
    void add(const Provenance& p) { about_->provenance = p; }
    void add(Constraint c);
    void check(const Constraint& c, std::string_view name_of_other) const {
        if (!c.kept_by(number().value_or(0)))
            throw ConfigError("'" + text() + "' must be " + c.text(name_of_other, true));
    }
    const About& about() const {
        MEMSIM_ASSERT(about_, "a component's copy of a parameter holds only its value");
        return *about_;
    }
    T value_;
    std::unique_ptr<About> about_;
};

// Outside of the class, so that the instances for common types are compiled only in param.cc.
template <class T>
Param<T>::Param(T initial, const char* doc)
    : value_(std::move(initial)), about_(new About {{}, doc}) {}
template <class T>
Param<T>::Param(T initial, Range<T> range, const char* doc)
    : value_(std::move(initial)), about_(new About {std::move(range), doc}) {}
template <class T>
Param<T>::Param(const Param& other) : value_(other.value_) {}
template <class T>
Param<T>::~Param() = default;
template <class T>
void Param<T>::add(Constraint c) {
    about_->constraints.push_back(std::move(c));
}

template <class T>
const ParamOperations Param<T>::operations {Text<T>::type, Text<T>::unit, requires {Text<T>::late;
} // namespace memsim
, [](const void* p) { return static_cast<const Param*>(p)->text(); },
    [](const void* p) { return static_cast<const Param*>(p)->number(); },
    [](const void* p) { return static_cast<const Param*>(p)->min(); },
    [](const void* p) { return static_cast<const Param*>(p)->max(); },
    [](const void* p) { return static_cast<const Param*>(p)->doc(); },
    [](const void* p) { return static_cast<const Param*>(p)->change(); },
    [](const void* p) -> const Provenance& { return static_cast<const Param*>(p)->provenance(); },
    [](const void* p) -> const std::vector<Constraint>& {
        return static_cast<const Param*>(p)->constraints();
    },
    [](void* p, std::string_view text) { static_cast<Param*>(p)->parse(text); },
    [](const void* p, const Constraint& c, std::string_view name_of_other) {
        static_cast<const Param*>(p)->check(c, name_of_other);
    }
}
;

/// Compiled in param.cc.
extern template class Param<bool>;
extern template class Param<unsigned>;
extern template class Param<std::uint64_t>;
extern template class Param<std::string>;
extern template class Param<Bytes>;
extern template class Param<Time>;
extern template class Param<Frequency>;
extern template class Param<Rate>;
extern template class Param<Fraction>;

/// A parameter of a struct, with its name.
struct ParamRef {
    std::string_view name;
    void* param;
    const ParamOperations* operations;

    std::string text() const { return operations->text(param); }
};

/// Lists the parameters of a struct.
template <class Params>
std::vector<ParamRef> params_of(Params& params) {
    std::vector<ParamRef> all;
    reflect::for_each_leaf(params, [&]<class T>(std::string_view name, const Param<T>& p) {
        all.push_back({name, const_cast<Param<T>*>(&p), &Param<T>::operations});
    });
    return all;
}

/// Checks the constraints of a parameter that name other parameters of the same list.
void check_others(const ParamRef& p, const std::vector<ParamRef>& params);
std::string name_of_param(const std::vector<ParamRef>& params, const void* address);

/// A value that a port or a statistic reads from a parameter of its own component.
template <class T>
class Setting {
  public:
    using Getter = T (*)(const void* params);
    constexpr Setting(T constant) : constant_(constant) {}
    constexpr Setting(Getter getter) : getter_(getter) {}
    T value(const void* params) const { return getter_ ? getter_(params) : constant_; }

  private:
    T constant_ {};
    Getter getter_ = nullptr;
};

/// The number of a component's ports, read from its Ports: `bound<&Ports::mem_side>`
/// (core/kernel/port.hh).
struct PortCount {
    unsigned (*of)(const void* ports);
};

namespace detail {
template <class M>
struct ParamMember;
template <class P, class T>
struct ParamMember<T P::*> {
    using Params = P;
};
template <auto M, auto... In>
auto read_param(const void* params) {
    using Params = typename ParamMember<std::remove_cv_t<decltype(M)>>::Params;
    const auto& member = static_cast<const Params*>(params)->*M;
    if constexpr (sizeof...(In) == 0)
        return member();
    else
        return read_param<In...>(&member);
}
} // namespace detail

/// `from<&Params::queue_depth>` is the value of that parameter. `from<&Params::channel,
/// &ChannelParams::width>` is the value of a parameter in a group.
template <auto M, auto... In>
inline constexpr auto from = &detail::read_param<M, In...>;

} // namespace memsim
