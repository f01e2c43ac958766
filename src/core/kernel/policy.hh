#pragma once

#include "core/kernel/registry.hh"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Policies: small classes that make one decision of a component. Python chooses a policy by name
/// and sets its parameters: `replacement="lru"`, `replacement="srrip(bits=3)"`.
///
/// A family is the interface of one decision, such as the way of a set that is replaced. A policy
/// declares its parameters and its State like a component, in one file:
///
///     #include "core/kernel/policy.hh"
///
///     namespace memsim::example {
///
///     class TagPolicy : public PolicyBase {
///       public:
///         static constexpr std::string_view family = "tag policy";
///         virtual void touch(std::uint32_t set, std::uint32_t way) = 0;
///     };
///
///     class Srrip final : public PolicyModel<Srrip, TagPolicy> {
///       public:
///         struct Params {
///             Param<unsigned> bits {2, {1, 8}, "Bits of a prediction"};
///         };
///         struct State {
///             std::vector<std::uint8_t> predictions;
///         };
///         explicit Srrip(const Params& p) : params(p) {}
///         void touch(std::uint32_t, std::uint32_t way) override { state.predictions[way] = 0; }
///         const Params params;
///         State state;
///     };
///     static const PolicyRegistration<Srrip> srrip {"srrip", "Re-reference interval prediction."};
///
///     } // namespace memsim::example
///
/// A component declares `Param<PolicyName<TagPolicy>> replacement {"lru", "..."}` in its Params and
/// `Policy<TagPolicy> replacement` in its State; its init() calls Policy::make(). The configuration
/// hash covers the policy's name, its parameters and the shape of its State.
namespace memsim {

/// The operations that the framework needs from every policy.
class PolicyBase {
  public:
    virtual ~PolicyBase() = default;
    virtual void save(Saver&) const = 0;
    virtual void load(Loader&) = 0;
    virtual std::string show() const = 0; ///< its State as JSON
    /// Seeds each Rng of its State. A stream is named by `path` and the name of the field.
    virtual void seed(std::uint64_t machine_seed, const std::string& path) = 0;
    /// Refuses loaded State whose indices or handles refer to elements that do not exist.
    virtual void check_loaded(Loader&) const {}
};

/// The description of a registered policy.
struct PolicyInfo {
    std::string family, name, doc, source;
    std::vector<ParamInfo> params;
    std::vector<StateInfo> state;
    std::string shape;
    /// Constructs the policy. A ConfigError lacks the place, which the caller puts in front.
    std::unique_ptr<PolicyBase> (*create)(const Arguments&);
    /// All parameters of the policy with these changed, as 'bits=3, ...'. Throws ConfigError.
    std::string (*resolve)(const Arguments&);
    const void* kind = nullptr;
};

/// All policies by family and name. Filled before main() and constant from then on.
const std::map<std::string, std::map<std::string, PolicyInfo>>& policies();
/// The functions that describe a policy's class.
struct PolicySource {
    std::string_view family;
    std::vector<ParamInfo> (*params)();
    std::vector<StateInfo> (*state)();
    std::string (*shape)();
    std::unique_ptr<PolicyBase> (*create)(const Arguments&);
    std::string (*resolve)(const Arguments&);
    const void* kind;
};
void register_policy(const char* name, const char* doc, const char* source,
                     const PolicySource& policy);

/// A choice such as 'srrip(bits=3)', parsed and resolved.
struct PolicyChoice {
    const PolicyInfo* info;
    Arguments arguments;
    std::string text; ///< with all parameters
};
/// Throws ConfigError, which lacks the place: the caller puts it in front.
PolicyChoice choose_policy(std::string_view family, std::string_view text);

/// The value of a parameter that chooses a policy of a family, with the policy's parameters.
template <class Family>
class PolicyName {
  public:
    PolicyName(const char* text) : text_(text) {}
    explicit PolicyName(std::string text) : text_(std::move(text)) {}
    const std::string& text() const { return text_; }
    bool operator==(const PolicyName&) const = default;

  private:
    std::string text_;
};

template <class Family>
struct Text<PolicyName<Family>> {
    /// Defaults are parsed when a component is created, because all policies are registered then.
    static constexpr bool late = true;
    static std::string type() { return std::string(Family::family); }
    static std::string_view unit() { return ""; }
    static std::string show(const PolicyName<Family>& v) { return v.text(); }
    static PolicyName<Family> parse(std::string_view s) {
        return PolicyName<Family> {choose_policy(Family::family, s).text};
    }
};

namespace detail {
template <class P>
inline constexpr char policy_kind = 0; // its address identifies the class P
} // namespace detail

/// A policy in a component's State.
template <class Family>
class Policy {
  public:
    static constexpr std::string_view archived_as = "Policy";

    /// Called in init(): `state.replacement.make(params.replacement, *this, "replacement")`.
    template <class Owner>
    void make(const PolicyName<Family>& name, const Owner& owner, const std::string& field) {
        make(name.text(), owner.path() + "." + field, owner.sim().seed());
    }
    /// Error sentences and the names of random streams begin with `place`.
    void make(const std::string& text, const std::string& place, std::uint64_t machine_seed) {
        try {
            const PolicyChoice choice = choose_policy(Family::family, text);
            set(choice);
        } catch (const ConfigError& e) {
            throw ConfigError(place + ": " + e.what());
        }
        policy_->seed(machine_seed, place);
    }

    Family* operator->() const { return policy_.get(); }
    Family& operator*() const { return *policy_; }
    const std::string& text() const { return text_; }

    /// Calls f with the policy as an object of its own class if that class is one of Known. These
    /// classes are final, so the compiler inlines the calls in f. Any other policy is passed as a
    /// Family.
    template <class... Known, class F>
    decltype(auto) with(F&& f) const {
        return with_first<F, Known...>(std::forward<F>(f));
    }

    template <class Archive>
    void archive(Archive& a) {
        if constexpr (Loading<Archive>) {
            std::string text;
            a(text);
            if (!policy_) set(choose_policy(Family::family, text)); // State is loaded for display
            a.check(text == text_, "is of another policy");
            policy_->load(a);
            policy_->check_loaded(a);
        } else {
            a(text_);
            if constexpr (std::is_same_v<Archive, Saver>)
                policy_->save(a);
            else
                a(policy_->show());
        }
    }

  private:
    void set(const PolicyChoice& choice) {
        policy_.reset(static_cast<Family*>(choice.info->create(choice.arguments).release()));
        kind_ = choice.info->kind;
        text_ = choice.text;
    }
    template <class F, class First, class... Rest>
    decltype(auto) with_first(F&& f) const {
        if (kind_ == &detail::policy_kind<First>) return f(static_cast<First&>(*policy_));
        if constexpr (sizeof...(Rest) > 0)
            return with_first<F, Rest...>(std::forward<F>(f));
        else
            return f(*policy_);
    }

    std::unique_ptr<Family> policy_;
    const void* kind_ = nullptr;
    std::string text_;
};

/// Base class of a policy: see the example above.
template <class Self, class Family_>
class PolicyModel : public Family_ {
  public:
    using Family = Family_;
    void save(Saver& s) const override { s(self().state); }
    void load(Loader& l) override { l(const_cast<Self&>(self()).state); }
    std::string show() const override {
        Shower shown;
        shown(self().state);
        return shown.text;
    }
    void seed(std::uint64_t machine_seed, const std::string& path) override {
        for_each_inside<Rng>(
            const_cast<Self&>(self()).state, path,
            [machine_seed](Rng& r, const std::string& name) { r.seed(machine_seed, name); });
    }

  private:
    const Self& self() const { return static_cast<const Self&>(*this); }
};

/// Sets a policy's parameters and checks all conditions. A ConfigError lacks the place, which the
/// caller puts in front.
void set_policy_params(const std::vector<ParamRef>& params, const Arguments& arguments);
/// 'bits=3, ...'
std::string text_of(const std::vector<ParamRef>& params);

/// Registers a policy. A policy without parameters has an empty Params.
template <class P>
struct PolicyRegistration {
    PolicyRegistration(const char* name, const char* doc, const char* source = __builtin_FILE()) {
        static_assert(std::is_final_v<P>, "a policy is final, so that its calls can be inlined");
        static_assert(checkpointable<typename P::State>(),
                      "a policy's State must hold only values: no pointers, references, functions "
                      "or live objects");
        if constexpr (checkpointable<typename P::State>())
            static_assert(!holds<Timer, typename P::State>() && !hides<Rng, typename P::State>(),
                          "a policy has no Timer, and its Rng is where the framework finds it");
        register_policy(name, doc, source,
                        {P::Family::family, &params, &detail::state_infos<P>,
                         &shape<typename P::State>, &create, &resolve, &detail::policy_kind<P>});
    }

  private:
    static std::vector<ParamInfo> params() {
        typename P::Params params;
        return describe(params_of(params));
    }
    static std::unique_ptr<PolicyBase> create(const Arguments& a) {
        typename P::Params params;
        set_policy_params(params_of(params), a);
        return std::make_unique<P>(params);
    }
    static std::string resolve(const Arguments& a) {
        typename P::Params params;
        const auto all = params_of(params);
        set_policy_params(all, a);
        return text_of(all);
    }
};

} // namespace memsim
