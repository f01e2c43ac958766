#include "core/kernel/policy.hh"
#include "support.hh"

#include <sys/wait.h>
#include <unistd.h>

// Policies by name: parameters, State, random streams, and what enters the configuration hash.

namespace memsim::test_policy {

using test::error_of;

class Chooser : public PolicyBase {
  public:
    static constexpr std::string_view family = "test chooser";
    virtual std::uint64_t choose(std::uint64_t n) = 0;
};

class Next final : public PolicyModel<Next, Chooser> {
  public:
    struct Params {
        Param<unsigned> step {1, {1, 8}, "From one choice to the next"};
    };
    struct State {
        std::uint64_t last = 0;
    };
    explicit Next(const Params& p) : params(p) {}
    std::uint64_t choose(std::uint64_t n) override {
        return state.last = (state.last + params.step) % n;
    }
    void check_loaded(Loader& l) const override { l.index("last", state.last, 100); }
    const Params params;
    State state;
};
static const PolicyRegistration<Next> next {"next", "One after the other"};

class Any final : public PolicyModel<Any, Chooser> {
  public:
    struct Params {};
    struct State {
        Rng rng;
    };
    explicit Any(const Params&) {}
    std::uint64_t choose(std::uint64_t n) override { return state.rng.below(n); }
    State state;
};
static const PolicyRegistration<Any> any {"any", "Any of them"};

class User final : public Model<User> {
  public:
    struct Params {
        Param<PolicyName<Chooser>> chooser {"next", "Which is next"};
    };
    struct Ports {};
    struct Stats {};
    struct State {
        Policy<Chooser> chooser;
    };
    explicit User(const Params& p) : params(p) {}
    void init() override { state.chooser.make(params.chooser, *this, "chooser"); }
    void wake() override {}
    std::uint64_t choose(std::uint64_t n) { return state.chooser->choose(n); }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<User> user {"Asks a policy."};

static User& add(Machine& m, const std::string& policy) {
    m.add("user", "test_policy.User", {{"chooser", policy}});
    return static_cast<User&>(m.at("user"));
}
static std::string hash_with(const std::string& policy) {
    Machine m(1);
    add(m, policy);
    m.build();
    return m.configuration();
}

TEST_CASE("A policy whose name is taken ends the process with a sentence", "[policy]") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        const PolicyRegistration<Any> again {"next", "Any of them", "mine.cc"};
        _exit(0);
    }
    close(ends[1]);
    char text[1024];
    const ssize_t size = ::read(ends[0], text, sizeof text);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(std::string(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))) ==
          "memsim: mine.cc: the test chooser next is registered twice, also in " +
              policies().at("test chooser").at("next").source + ": choose another name\n");
}

TEST_CASE("a policy has parameters of its own", "[policy]") {
    Machine m(1);
    User& u = add(m, "next(step=3)");
    m.build();
    CHECK(u.choose(10) == 3);
    CHECK(u.choose(10) == 6);
    CHECK(u.resolved_params()[0].text == "next(step=3)");
}

TEST_CASE("a policy that is not given is the default with all its parameters", "[policy]") {
    Machine m(1);
    m.add("user", "test_policy.User", {});
    auto& u = static_cast<User&>(m.at("user"));
    CHECK(u.resolved_params()[0].text == "next(step=1)");
}

TEST_CASE("a wrong policy is refused by a sentence", "[policy]") {
    auto refused = [](const std::string& policy, const std::string& sentence) {
        Machine m(1);
        CHECK_THAT(error_of([&] { add(m, policy); }), Catch::Contains(sentence));
    };
    refused("nxt", "user.chooser: there is no test chooser 'nxt' (did you mean 'next'?): it is one "
                   "of any, next");
    refused("next(stop=1)", "next.stop: there is no such parameter (did you mean 'step'?)");
    refused("next(step=9)", "next.step: '9' is outside its range: it must be from 1 to 8");
    refused("next(9)", "'9' is no parameter with its value: write name=value");
    refused("next(step=9", "does not end with ')'");
}

TEST_CASE("name, parameters and State of a policy are in the configuration hash", "[policy]") {
    CHECK(hash_with("next") == hash_with("next(step=1)"));
    CHECK(hash_with("next") != hash_with("next(step=2)"));
    CHECK(hash_with("next") != hash_with("any"));
}

TEST_CASE("a policy's State is saved, loaded and shown", "[policy]") {
    Machine m(7);
    User& u = add(m, "any");
    m.build();
    u.choose(1000);
    Saver s;
    u.save_state(s);
    const std::uint64_t first = u.choose(1000), second = u.choose(1000);
    Loader l(s.bytes);
    u.load_state(l);
    CHECK(l.done());
    CHECK(u.choose(1000) == first);
    CHECK(u.choose(1000) == second);
    CHECK(registry().at("test_policy.User").show_state(s.bytes).find("any") != std::string::npos);
}

TEST_CASE("a policy's random stream has the name of its place", "[policy]") {
    Machine m(7);
    User& u = add(m, "any");
    m.build();
    Rng same(7, "user.chooser.rng");
    CHECK(u.choose(1000) == same.below(1000));
}

TEST_CASE("a policy's loaded State is checked", "[policy]") {
    Machine m(1);
    User& u = add(m, "next");
    m.build();
    auto policy = [&]() -> Next& { return static_cast<Next&>(*u.state.chooser); };
    policy().state.last = 99;
    Saver good;
    u.save_state(good);
    policy().state.last = 100;
    Saver bad;
    u.save_state(bad);
    Loader l(good.bytes);
    u.load_state(l);
    Loader forged(bad.bytes);
    CHECK_THROWS_AS(u.load_state(forged), ConfigError);
    Machine other(1);
    User& v = add(other, "any");
    other.build();
    Loader of_another(good.bytes);
    CHECK_THROWS_AS(v.load_state(of_another), ConfigError);
}

TEST_CASE("a known policy is called as the class that it is", "[policy]") {
    Policy<Chooser> p;
    p.make("next", "here", 1);
    CHECK(p.with<Any, Next>([](auto& c) { return std::is_same_v<decltype(c), Next&>; }));
    CHECK(p.with<Any>([](auto& c) { return std::is_same_v<decltype(c), Chooser&>; }));
}

} // namespace memsim::test_policy
